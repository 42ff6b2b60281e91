package naming

import (
	"errors"
	"fmt"
	"sync/atomic"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/ros"
	"rsros/node/transport"
)

// WrapperTopics publishes a device's streams as realsense2_camera does. It is a
// consumer of the hub; nothing is encoded for a topic without a subscriber.
type WrapperTopics struct {
	camdriver.NopHandler
	layout  *layout
	out     *ros.Node
	stamps  *Stamper
	streams map[camdriver.StreamID]*publishers
	all     []*ros.Publisher
}

// publishers are those of one stream's topics, in the layout's order.
type publishers struct {
	*stream
	seq        atomic.Uint32
	publishers []*ros.Publisher
	beside     []*transport.Topics // the transports of those that publish images; nil for others
}

// imageType is the type that image_transport has transports for.
const imageType = "sensor_msgs/Image"

// wrapperPool bounds what converted pictures may take, all subscribers' queues
// together.
const wrapperPool = 256 << 20

// NewWrapperTopics advertises the topics of the streams in snap and publishes
// what is static: calibration, transforms.
func NewWrapperTopics(out *ros.Node, camera string, snap camdriver.DeviceSnapshot, stamps *Stamper) (*WrapperTopics, error) {
	w := &WrapperTopics{
		layout: newLayout(camera, snap, wrapperPool), out: out, stamps: stamps,
		streams: map[camdriver.StreamID]*publishers{},
	}
	for id, s := range w.layout.streams {
		p := &publishers{stream: s}
		w.streams[id] = p
		for _, t := range s.topics {
			pub, err := w.advertise(t.topic, t.typ, false)
			if err != nil {
				return nil, errors.Join(err, w.Close())
			}
			p.publishers = append(p.publishers, pub)
			var beside *transport.Topics
			if t.typ == imageType {
				beside, err = transport.Advertise(out, transport.Options{
					Topic: pub.Topic(), Encoding: wrapperEncoding(s.format), Depth: id.Kind == camdriver.Depth, Log: out.Log(),
				})
			}
			if err != nil {
				return nil, errors.Join(err, w.Close())
			}
			p.beside = append(p.beside, beside)
		}
	}
	for _, s := range w.layout.static {
		p, err := w.advertise(s.topic, s.typ, true)
		if err != nil {
			return nil, errors.Join(err, w.Close())
		}
		p.Publish(whole(s.msg))
	}
	return w, nil
}

func (w *WrapperTopics) advertise(topic, typ string, latch bool) (*ros.Publisher, error) {
	t := msgs.MustType(typ)
	p, err := w.out.Advertise(ros.PublisherOptions{Topic: topic, Type: t, Latch: latch})
	if err != nil {
		return nil, fmt.Errorf("advertise %s: %w", topic, err)
	}
	w.all = append(w.all, p)
	return p, nil
}

// Frame implements camdriver.Handler. A picture that there is no memory for is
// left out: subscribers already have more than they can take.
func (w *WrapperTopics) Frame(_ int, f *camdriver.Frame) {
	st, ok := w.streams[f.Stream()]
	if !ok {
		return
	}
	header := msgs.Header{Seq: st.seq.Add(1) - 1, Stamp: w.stamps.Stamp(f), FrameID: st.frameID}
	for i, t := range st.topics {
		if p, beside := st.publishers[i], st.beside[i]; wanted(p) || beside.Wanted() {
			if m, ok := t.encode(header, f); ok {
				p.Publish(beside.Beside(m))
			}
		}
	}
}

// StatusChanged implements camdriver.Handler. A camera that comes back has
// started its clock anew.
func (w *WrapperTopics) StatusChanged(s camdriver.Status) {
	if s.Kind == camdriver.StatusDisconnected {
		w.stamps.reset()
	}
}

// Close ends all topics.
func (w *WrapperTopics) Close() error {
	var errs []error
	for _, s := range w.streams {
		for _, beside := range s.beside {
			errs = append(errs, beside.Close())
		}
	}
	for _, p := range w.all {
		p.Close()
	}
	return errors.Join(errs...)
}

func wanted(p *ros.Publisher) bool { return p.Subscribers() > 0 }
