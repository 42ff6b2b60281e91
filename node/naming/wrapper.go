package naming

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
	"rsros/node/transport"
	"rsros/program/work"
	"rsros/ros"
)

// WrapperTopics publishes a device's streams as realsense2_camera does, if subscribed to.
type WrapperTopics struct {
	camdriver.NopHandler
	layout   *layout
	out      *ros.Node
	stamps   *Stamper
	streams  streams
	all      []*transport.Publisher
	united   *united   // nil without unite_imu_method
	pipeline *pipeline // nil if frames are published unprocessed
	stopTF   func()    // nil without tf_publish_rate
}

const imageType = "sensor_msgs/Image"

// wrapperPool bounds the converted images in all subscribers' queues, in bytes.
const wrapperPool = 256 << 20

// NewWrapperTopics advertises the topics and publishes the static ones.
func NewWrapperTopics(ctx context.Context, out *ros.Node, o WrapperOptions, snap camdriver.DeviceSnapshot,
	stamps *Stamper) (*WrapperTopics, error) {
	w := &WrapperTopics{
		layout: newLayout(o, snap, wrapperPool), out: out, stamps: stamps,
		streams: make(streams),
	}
	if err := w.advertiseAll(ctx, o, snap); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *WrapperTopics) advertiseAll(ctx context.Context, o WrapperOptions, snap camdriver.DeviceSnapshot) (err error) {
	for id, s := range w.layout.streams {
		if w.streams[id], err = w.layout.newStreamSinks(s, w.opener(ctx)); err != nil {
			return err
		}
	}
	for _, s := range w.layout.static {
		p, err := w.advertise(ctx, s.topic, s.typ, true, 0, transport.Options{})
		if err != nil {
			return err
		}
		p.Publish(whole(s.msg))
	}
	if w.layout.unites() {
		if w.united, err = newUnited(ctx, w, &o); err != nil {
			return err
		}
	}
	if o.TFRate > 0 && !o.NoTF {
		if err := w.repeatTF(ctx, staticTransforms(&o, snap), o.TFRate); err != nil {
			return err
		}
	}
	if o.sync() || o.Clip > 0 {
		w.pipeline, err = newPipeline(ctx, w, snap)
	}
	return err
}

// opener advertises topics and, if they have images, their compressed forms.
func (w *WrapperTopics) opener(ctx context.Context) openSink {
	return func(topic, typ string, s *stream) (sink, error) {
		var images transport.Options
		if typ == imageType {
			images = s.transports()
		}
		return w.advertise(ctx, topic, typ, false, 0, images)
	}
}

// advertise advertises a topic. Queue 0 is the default.
func (w *WrapperTopics) advertise(ctx context.Context, topic, typ string, latch bool, queue int,
	images transport.Options) (*transport.Publisher, error) {
	t := msgs.MustType(typ)
	p, err := transport.Advertise(ctx, w.out,
		ros.PublisherOptions{Topic: topic, Type: t, Latch: latch, Queue: queue}, images)
	if err != nil {
		return nil, fmt.Errorf("advertise %s: %w", topic, err)
	}
	w.all = append(w.all, p)
	return p, nil
}

// repeatTF publishes the transforms on /tf at hz until Close.
func (w *WrapperTopics) repeatTF(ctx context.Context, m *msgs.TFMessage, hz float64) error {
	p, err := w.advertise(ctx, "/tf", tfType, false, 0, transport.Options{})
	if err != nil {
		return err
	}
	period := time.Duration(float64(time.Second) / min(max(hz, 0.001), 1000))
	w.stopTF = work.Run(context.Background(), func(ctx context.Context) {
		work.Every(ctx, period, func(time.Time) {
			for i := range m.Transforms {
				m.Transforms[i].Header.Stamp = msgs.FromTime(w.out.Now())
			}
			p.Publish(whole(m))
		})
	})
	return nil
}

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
	st.publish(f, stamp, nil)
}

// StatusChanged implements camdriver.Handler. A reconnected camera restarts its clock.
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
func (w *WrapperTopics) Close() {
	if w.stopTF != nil {
		w.stopTF()
	}
	if w.pipeline != nil {
		w.pipeline.close()
	}
	for _, p := range w.all {
		p.Close()
	}
}

// united publishes <camera>/imu, the combined samples of gyroscope and accelerometer.
type united struct {
	pub    *transport.Publisher
	uniter *process.Uniter
	layout *layout
	seq    atomic.Uint32
	idle   atomic.Bool
}

const imuQueue = 100

func newUnited(ctx context.Context, w *WrapperTopics, o *WrapperOptions) (*united, error) {
	u := &united{layout: w.layout}
	u.uniter = process.NewUniter(o.UniteIMU, u.publish)
	var err error
	u.pub, err = w.advertise(ctx, o.Camera+"/imu", "sensor_msgs/Imu", false, imuQueue, transport.Options{})
	return u, err
}

// take adds a sample. It forgets previous samples while there are no subscribers.
func (u *united) take(f *camdriver.Frame, stamp msgs.Time) {
	if u == nil {
		return
	}
	if u.pub.Subscribers() == 0 {
		if !u.idle.Swap(true) {
			u.uniter.Reset()
		}
		return
	}
	u.idle.Store(false)
	unite(u.uniter, f, stamp)
}

func unite(u *process.Uniter, f *camdriver.Frame, stamp msgs.Time) {
	switch f.Stream().Kind {
	case camdriver.Gyro:
		u.Gyro(int64(stamp), f.Motion.Gyro)
	case camdriver.Accel:
		u.Accel(int64(stamp), f.Motion.Accel)
	}
}

func (u *united) publish(s process.UnitedSample) {
	u.pub.Publish(u.layout.united(u.seq.Add(1)-1, s))
}

func (l *layout) united(seq uint32, s process.UnitedSample) msgs.Raw {
	header := msgs.Header{Seq: seq, Stamp: msgs.Time(s.Stamp), FrameID: l.options.frame("imu_optical_frame")}
	m := l.imuMessage(header, camdriver.Gyro, &camdriver.Frame{Motion: camdriver.MotionSample{Gyro: s.Gyro}})
	m.LinearAcceleration = vector3(s.Accel)
	return whole(m)
}

func (u *united) reset() {
	if u != nil {
		u.uniter.Reset()
	}
}
