package naming

import (
	"errors"
	"fmt"
	"sync/atomic"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/ros"
)

// WrapperTopics publishes a device's streams as realsense2_camera does. It is a
// consumer of the hub; nothing is encoded for a topic without a subscriber.
type WrapperTopics struct {
	camdriver.NopHandler
	layout  *layout
	out     Advertiser
	stamps  *Stamper
	streams map[camdriver.StreamID]*publishers
	all     []*ros.Publisher
}

// Advertiser is what topics are made with; *ros.Node is one.
type Advertiser interface {
	Advertise(ros.PublisherOptions) (*ros.Publisher, error)
}

// publishers are those of one stream's topics, in the layout's order.
type publishers struct {
	*stream
	seq        atomic.Uint32
	publishers []*ros.Publisher
}

// wrapperPool bounds what converted pictures may take, all subscribers' queues
// together.
const wrapperPool = 256 << 20

// NewWrapperTopics advertises the topics of the streams in snap and publishes
// what is static: calibration, transforms.
func NewWrapperTopics(out Advertiser, camera string, snap camdriver.DeviceSnapshot, stamps *Stamper) (*WrapperTopics, error) {
	w := &WrapperTopics{
		layout: newLayout(camera, snap, wrapperPool), out: out, stamps: stamps,
		streams: map[camdriver.StreamID]*publishers{},
	}
	for id, s := range w.layout.streams {
		p := &publishers{stream: s}
		for _, t := range s.topics {
			pub, err := w.advertise(t.topic, t.typ, false)
			if err != nil {
				return nil, errors.Join(err, w.Close())
			}
			p.publishers = append(p.publishers, pub)
		}
		w.streams[id] = p
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
		if p := st.publishers[i]; wanted(p) {
			if m, ok := t.encode(header, f); ok {
				p.Publish(m)
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
	for _, p := range w.all {
		p.Close()
	}
	return nil
}

func wanted(p *ros.Publisher) bool { return p.Subscribers() > 0 }
