package naming

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/ros"
	"rsros/node/transport"
)

// WrapperTopics publishes a device's streams as realsense2_camera does. It is a
// consumer of the hub. Nothing is encoded for a topic without a subscriber.
type WrapperTopics struct {
	camdriver.NopHandler
	layout   *layout
	out      *ros.Node
	stamps   *Stamper
	streams  map[camdriver.StreamID]*publishers
	all      []*ros.Publisher
	besides  []*transport.Topics
	united   *united   // nil without unite_imu_method
	pipeline *pipeline // nil where every frame goes out as it came
	stopTF   func()    // nil without tf_publish_rate
}

// publishers holds the publishers of one stream's topics, in the layout's order.
type publishers struct {
	*stream
	seq        atomic.Uint32
	publishers []*ros.Publisher
	beside     []*transport.Topics // the transports of those that publish images; nil for others
}

// imageType is the type that image_transport has transports for.
const imageType = "sensor_msgs/Image"

// wrapperPool bounds the memory of converted images in all subscribers' queues, in
// bytes.
const wrapperPool = 256 << 20

// NewWrapperTopics advertises the topics of the streams in snap, and publishes
// calibration and transforms, which are static.
func NewWrapperTopics(out *ros.Node, o WrapperOptions, snap camdriver.DeviceSnapshot, stamps *Stamper) (*WrapperTopics, error) {
	w := &WrapperTopics{
		layout: newLayout(o, snap, wrapperPool), out: out, stamps: stamps,
		streams: map[camdriver.StreamID]*publishers{},
	}
	if err := w.advertiseAll(o, snap); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func (w *WrapperTopics) advertiseAll(o WrapperOptions, snap camdriver.DeviceSnapshot) (err error) {
	for id, s := range w.layout.streams {
		if w.streams[id], err = w.advertiseStream(s, id.Kind == camdriver.Depth); err != nil {
			return err
		}
	}
	for _, s := range w.layout.static {
		p, err := w.advertise(s.topic, s.typ, true)
		if err != nil {
			return err
		}
		p.Publish(whole(s.msg))
	}
	if w.layout.unites() {
		if w.united, err = newUnited(w, &o); err != nil {
			return err
		}
	}
	if o.TFRate > 0 && !o.NoTF {
		if err := w.repeatTF(staticTransforms(&o, snap), o.TFRate); err != nil {
			return err
		}
	}
	if o.sync() || o.Clip > 0 {
		w.pipeline, err = newPipeline(w, o, snap)
	}
	return err
}

// advertiseStream makes a stream's topics.
func (w *WrapperTopics) advertiseStream(s *stream, depth bool) (*publishers, error) {
	out := &publishers{stream: s}
	for _, t := range s.topics {
		p, err := w.advertise(t.topic, t.typ, false)
		if err != nil {
			return nil, err
		}
		var beside *transport.Topics
		if t.typ == imageType {
			if beside, err = transport.Advertise(w.out, transport.Options{
				Topic: p.Topic(), Encoding: wrapperEncoding(s.format), Depth: depth && s.format == camdriver.Z16, Log: w.out.Log(),
			}); err != nil {
				return nil, err
			}
			w.besides = append(w.besides, beside)
		}
		out.publishers, out.beside = append(out.publishers, p), append(out.beside, beside)
	}
	return out, nil
}

func (w *WrapperTopics) advertise(topic, typ string, latch bool) (*ros.Publisher, error) {
	return w.advertiseQueue(topic, typ, latch, 0)
}

func (w *WrapperTopics) advertiseQueue(topic, typ string, latch bool, queue int) (*ros.Publisher, error) {
	t := msgs.MustType(typ)
	p, err := w.out.Advertise(ros.PublisherOptions{Topic: topic, Type: t, Latch: latch, Queue: queue})
	if err != nil {
		return nil, fmt.Errorf("advertise %s: %w", topic, err)
	}
	w.all = append(w.all, p)
	return p, nil
}

// repeatTF publishes the transforms on /tf, hz times a second, until Close.
func (w *WrapperTopics) repeatTF(m *msgs.TFMessage, hz float64) error {
	p, err := w.advertise("/tf", "tf2_msgs/TFMessage", false)
	if err != nil {
		return err
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Duration(float64(time.Second) / min(max(hz, 0.001), 1000)))
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			for i := range m.Transforms {
				m.Transforms[i].Header.Stamp = msgs.FromTime(w.out.Now())
			}
			p.Publish(whole(m))
		}
	}()
	w.stopTF = func() { close(stop); <-done }
	return nil
}

// Frame implements camdriver.Handler.
func (w *WrapperTopics) Frame(_ int, f *camdriver.Frame) {
	st, ok := w.streams[f.Stream()]
	if !ok {
		return
	}
	if w.pipeline != nil && f.Stream().Kind.Video() {
		w.pipeline.take(f)
		return
	}
	stamp := w.stamps.Stamp(f)
	w.united.take(f, stamp)
	w.publish(st, f, stamp, nil)
}

// publish sends a frame's messages. A picture that there is no memory for is left
// out: subscribers already have more than they can take. lens, if there is one, is
// the frame's, where it isn't the stream's.
func (w *WrapperTopics) publish(st *publishers, f *camdriver.Frame, stamp msgs.Time, lens *camdriver.Intrinsics) {
	header := msgs.Header{Seq: st.seq.Add(1) - 1, Stamp: stamp, FrameID: st.frameID}
	for i, t := range st.topics {
		p, beside := st.publishers[i], st.beside[i]
		if !wanted(p) && !beside.Wanted() {
			continue
		}
		if lens != nil && t.typ == cameraInfoType {
			p.Publish(cameraInfoOf(header, f, lens))
		} else if m, ok := t.encode(header, f); ok {
			p.Publish(beside.Beside(m))
		}
	}
}

// wanted says whether anybody subscribed to one of the stream's topics.
func (p *publishers) wanted() bool {
	for i, pub := range p.publishers {
		if wanted(pub) || p.beside[i].Wanted() {
			return true
		}
	}
	return false
}

// StatusChanged implements camdriver.Handler. A camera that reconnects restarts its
// clock.
func (w *WrapperTopics) StatusChanged(s camdriver.Status) {
	if s.Kind != camdriver.StatusDisconnected {
		return
	}
	w.stamps.reset()
	w.united.reset()
	if w.pipeline != nil {
		w.pipeline.reset()
	}
}

// Close stops all topics.
func (w *WrapperTopics) Close() error {
	if w.stopTF != nil {
		w.stopTF()
	}
	if w.pipeline != nil {
		w.pipeline.close()
	}
	var errs []error
	for _, beside := range w.besides {
		errs = append(errs, beside.Close())
	}
	for _, p := range w.all {
		p.Close()
	}
	return errors.Join(errs...)
}

func wanted(p *ros.Publisher) bool { return p.Subscribers() > 0 }
