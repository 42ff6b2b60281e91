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

// SDKTopics publishes a device under the RealSense bag format's names, with the same
// messages as in a recording. It encodes a frame only if one of its topics has a
// subscriber.
type SDKTopics struct {
	camdriver.NopHandler
	out     *ros.Node
	prefix  string // /device_N/
	enc     *rslayout.Encoder
	streams map[camdriver.StreamID][]*published // data first, metadata last

	mu   sync.Mutex
	pubs map[string]*published // by topic
}

// Queue lengths, in messages. One frame has about a dozen metadata messages.
const (
	imageQueue    = 10
	metadataQueue = 2000
	inertialQueue = 500
)

// firstDevice is the prefix of topics in a bag, which has one device.
const firstDevice = "/device_0/"

// NewSDKTopics advertises the topics of a node's device number, counted from 0.
func NewSDKTopics(ctx context.Context, out *ros.Node, snap camdriver.DeviceSnapshot, number int) (_ *SDKTopics, err error) {
	s := &SDKTopics{
		out: out, prefix: fmt.Sprintf("/device_%d/", number), enc: rslayout.NewEncoder(snap),
		streams: map[camdriver.StreamID][]*published{}, pubs: map[string]*published{},
	}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	for _, m := range s.enc.Static() {
		if err := s.publish(m, nil); err != nil {
			return nil, err
		}
	}
	for _, stream := range snap.Streams {
		id := stream.Profile.Stream
		topics, _ := s.enc.Stream(id)
		for _, topic := range topics {
			t, _ := rslayout.TopicType(topic)
			p, err := s.publisher(topic, t, false)
			if err != nil {
				return nil, err
			}
			s.streams[id] = append(s.streams[id], p)
			if t.Name != imageType {
				continue
			}
			if p.compressed, err = transport.Advertise(ctx, out, transport.Options{
				Topic: p.Topic(), Encoding: rslayout.Encoding(stream.Profile.Format), Depth: id.Kind == camdriver.Depth,
				Units: depthUnits(snap), Log: out.Log(),
			}); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
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
func (s *SDKTopics) publisher(topic string, t msgs.Type, latch bool) (*published, error) {
	if rest, ok := strings.CutPrefix(topic, firstDevice); ok {
		topic = s.prefix + rest
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.pubs[topic]; ok {
		return p, nil
	}
	p, err := s.out.Advertise(ros.PublisherOptions{
		Topic: topic, Type: t, LatchAll: latch, Queue: sdkQueue(topic, latch),
	})
	if err != nil {
		return nil, fmt.Errorf("advertise %s: %w", topic, err)
	}
	s.pubs[topic] = &published{p, nil}
	return s.pubs[topic], nil
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

// publish retains f, unless it is nil, until every subscriber has received the body.
func (s *SDKTopics) publish(m rslayout.Message, f *camdriver.Frame) error {
	p, err := s.publisher(m.Topic, m.Type, m.Static)
	if err != nil {
		return err
	}
	out := m.Raw
	if m.Static && strings.HasSuffix(m.Topic, "/value") {
		out.Key = "value" // an option's new value replaces the previous one
	}
	if f != nil && len(m.Body) > 0 {
		out.Owner = f.Retain()
	}
	p.publish(out)
	return nil
}

func (s *SDKTopics) Frame(sensor int, f *camdriver.Frame) {
	pubs := s.streams[f.Stream()]
	if len(pubs) == 0 {
		return
	}
	emit := func(m rslayout.Message) { _ = s.publish(m, f) } // can only fail to advertise, which is already done
	data, metadata := pubs[:len(pubs)-1], pubs[len(pubs)-1]
	if slices.ContainsFunc(data, (*published).wanted) {
		s.enc.Data(sensor, f, emit)
	}
	if metadata.wanted() {
		s.enc.Metadata(sensor, f, emit)
	}
}

func (s *SDKTopics) OptionChanged(sensor int, id camdriver.OptionID, value float32) {
	if m, ok := s.enc.Option(sensor, id, value); ok {
		m.Static = true // latched like the first value
		_ = s.publish(m, nil)
	}
}

func (s *SDKTopics) Notification(sensor int, n camdriver.Notification) {
	if m, ok := s.enc.Notification(sensor, n); ok {
		_ = s.publish(m, nil)
	}
}

// Close stops all topics.
func (s *SDKTopics) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pubs {
		p.close()
	}
}
