package naming

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/transport"
	"rsros/ros"
)

// SDKTopics publishes a device under the RealSense bag format's names, with the same messages as in a recording. It
// encodes a frame only if one of its topics has a subscriber.
type SDKTopics struct {
	camdriver.NopHandler
	out      *ros.Node
	prefix   string // /device_N/
	enc      *rslayout.Encoder
	streams  map[camdriver.StreamID][]*transport.Publisher // data first, metadata last
	encoders sync.Pool                                     // of *frameEncoder

	mu   sync.Mutex
	pubs map[string]*transport.Publisher // by topic
}

// frameEncoder is memory for the messages of a frame, until they are published.
type frameEncoder struct {
	list  []msgs.Raw
	heads msgs.Encoder
}

// Queue lengths, in messages. One frame has about a dozen metadata messages.
const (
	imageQueue    = 10
	metadataQueue = 2000
	inertialQueue = 500
)

// firstDevice is the prefix of topics in a bag, which has one device.
const firstDevice = "/device_0/"

// IsSDKTopic reports whether a topic has a name of the RealSense bag format.
func IsSDKTopic(topic string) bool { return strings.HasPrefix(topic, "/device_") }

// NewSDKTopics advertises the topics of a node's device number, counted from 0.
func NewSDKTopics(ctx context.Context, out *ros.Node, snap camdriver.DeviceSnapshot,
	number int) (_ *SDKTopics, err error) {
	s := &SDKTopics{
		out: out, prefix: fmt.Sprintf("/device_%d/", number), enc: rslayout.NewEncoder(snap),
		streams: map[camdriver.StreamID][]*transport.Publisher{}, pubs: map[string]*transport.Publisher{},
	}
	s.encoders.New = func() any { return new(frameEncoder) }
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	for _, m := range s.enc.Static() {
		if err := s.publish(ctx, m); err != nil {
			return nil, err
		}
	}
	for _, stream := range snap.Streams {
		if err := s.addStream(ctx, stream.Profile, depthUnits(snap)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *SDKTopics) addStream(ctx context.Context, profile camdriver.Profile, units float64) error {
	id := profile.Stream
	for _, t := range s.enc.Stream(id).Topics() {
		var images transport.Options
		if t.Type.Name == imageType {
			images = transport.Options{Encoding: rslayout.Encoding(profile.Format),
				Depth: id.Kind == camdriver.Depth, Units: units}
		}
		p, err := s.publisher(ctx, t.Name, t.Type, false, images)
		if err != nil {
			return err
		}
		s.streams[id] = append(s.streams[id], p)
	}
	return nil
}

// depthUnits returns the value of the device's option in metres, or 0 without the option.
func depthUnits(snap camdriver.DeviceSnapshot) float64 {
	for _, sensor := range snap.Sensors {
		if o, ok := camdriver.FindOption(sensor.Options, camdriver.OptionDepthUnits); ok {
			return float64(o.Value)
		}
	}
	return 0
}

// publisher returns the publisher of a topic of the format. It advertises it when first
// needed, because the categories of notifications aren't known in advance.
func (s *SDKTopics) publisher(ctx context.Context, topic string, t msgs.Type, latch bool,
	images transport.Options) (*transport.Publisher, error) {
	if rest, ok := strings.CutPrefix(topic, firstDevice); ok {
		topic = s.prefix + rest
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.pubs[topic]; ok {
		return p, nil
	}
	p, err := transport.Advertise(ctx, s.out,
		ros.PublisherOptions{Topic: topic, Type: t, LatchAll: latch, Queue: sdkQueue(topic, latch)}, images)
	if err != nil {
		return nil, fmt.Errorf("advertise %s: %w", topic, err)
	}
	s.pubs[topic] = p
	return p, nil
}

func sdkQueue(topic string, latch bool) int {
	switch {
	case latch:
		return 0 // all latched messages
	case strings.HasSuffix(topic, "/metadata"):
		return metadataQueue
	case strings.Contains(topic, "/image/"), strings.Contains(topic, "/occupancy_map/"):
		return imageQueue
	}
	return inertialQueue
}

// publish publishes a message that isn't a frame's.
func (s *SDKTopics) publish(ctx context.Context, m rslayout.Message) error {
	p, err := s.publisher(ctx, m.Topic, m.Type, m.Static, transport.Options{})
	if err != nil {
		return err
	}
	out := m.Raw
	if m.Static && strings.HasSuffix(m.Topic, "/value") {
		out.Key = "value" // an option's new value replaces the previous one
	}
	p.Publish(out)
	return nil
}

// Frame implements camdriver.Handler. Messages with pixels retain the frame until every subscriber has received them.
func (s *SDKTopics) Frame(sensor int, f *camdriver.Frame) {
	st, list := s.enc.Stream(f.Stream()), s.streams[f.Stream()]
	if st == nil || st.Sensor != sensor {
		return
	}
	metadata := list[len(st.Data)]
	dataWanted, metadataWanted := slices.ContainsFunc(list[:len(st.Data)], (*transport.Publisher).Wanted),
		metadata.Wanted()
	if !dataWanted && !metadataWanted {
		return
	}
	e := s.encoders.Get().(*frameEncoder)
	defer s.encoders.Put(e)
	e.heads.B = e.heads.B[:0]
	if dataWanted {
		e.list = st.AppendData(e.list[:0], &e.heads, f)
		for i, m := range e.list {
			if len(m.Body) > 0 {
				m.Owner = f.Retain()
			}
			list[i].Publish(m)
		}
	}
	if metadataWanted {
		e.list = st.AppendMetadata(e.list[:0], &e.heads, f)
		metadata.Publisher.Publish(e.list...)
	}
	clear(e.list) // of the frame's memory
}

func (s *SDKTopics) OptionChanged(sensor int, id camdriver.OptionID, value float32) {
	if m, ok := s.enc.Option(sensor, id, value); ok {
		m.Static = true // latched like the first value
		_ = s.publish(context.Background(), m)
	}
}

func (s *SDKTopics) Notification(sensor int, n camdriver.Notification) {
	if m, ok := s.enc.Notification(sensor, n); ok {
		_ = s.publish(context.Background(), m)
	}
}

// Close stops all topics.
func (s *SDKTopics) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pubs {
		p.Close()
	}
}
