package naming

import (
	"sync/atomic"

	"rsros/camdriver"
	"rsros/camdriver/imu"
	"rsros/msgs"
	"rsros/node/ros"
)

// united publishes <camera>/imu, the combined samples of gyroscope and accelerometer.
type united struct {
	pub    *ros.Publisher
	uniter *imu.Uniter
	layout *layout
	seq    atomic.Uint32
	idle   atomic.Bool
}

const imuQueue = 100

func newUnited(w *WrapperTopics, o *WrapperOptions) (*united, error) {
	u := &united{layout: w.layout}
	u.uniter = imu.New(o.UniteIMU, u.publish)
	var err error
	u.pub, err = w.advertise(o.Camera+"/imu", "sensor_msgs/Imu", false, imuQueue)
	return u, err
}

// take adds a sample. It forgets previous samples while there are no subscribers.
func (u *united) take(f *camdriver.Frame, stamp msgs.Time) {
	if u == nil {
		return
	}
	if !wanted(u.pub) {
		if !u.idle.Swap(true) {
			u.uniter.Reset()
		}
		return
	}
	u.idle.Store(false)
	unite(u.uniter, f, stamp)
}

// unite passes a sample of the gyroscope or accelerometer to a uniter.
func unite(u *imu.Uniter, f *camdriver.Frame, stamp msgs.Time) {
	switch f.Stream().Kind {
	case camdriver.Gyro:
		u.Gyro(int64(stamp), f.Motion.Gyro)
	case camdriver.Accel:
		u.Accel(int64(stamp), f.Motion.Accel)
	}
}

func (u *united) publish(s imu.Sample) {
	u.pub.Publish(u.layout.united(u.seq.Add(1)-1, s))
}

// united returns the message of a combined sample.
func (l *layout) united(seq uint32, s imu.Sample) msgs.Raw {
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
