package dataset

import (
	"rsros/camdriver"
	"rsros/camdriver/process"
)

// united combines the samples of a gyroscope and an accelerometer: one for each of the gyroscope's,
// with the acceleration interpolated between the two that are nearest in time. Samples of a combined
// stream stay as they are.
type united struct {
	s        *Input
	uniter   *process.Uniter
	emit     func(process.UnitedSample) error
	err      error // of emit
	gyro, in uint64
	separate bool
}

func newUnited(s *Input, emit func(process.UnitedSample) error) *united {
	u := &united{s: s, emit: emit}
	u.uniter = process.NewUniter(process.UniteLinear, u.take)
	return u
}

func (u *united) take(m process.UnitedSample) {
	if u.err == nil {
		u.err = u.emit(m)
	}
	u.in++
}

func (u *united) sample(at int64, f *camdriver.Frame) error {
	switch f.Stream().Kind {
	case camdriver.Gyro:
		u.gyro, u.separate = u.gyro+1, true
		u.uniter.Gyro(at, f.Motion.Gyro)
	case camdriver.Accel:
		u.uniter.Accel(at, f.Motion.Accel)
	default:
		u.take(process.UnitedSample{Stamp: at, Gyro: f.Motion.Gyro, Accel: f.Motion.Accel})
	}
	return u.err
}

// finish notes what was interpolated.
func (u *united) finish() {
	if u.separate {
		u.s.Inform("imu0 has %d of %d gyroscope samples, each with the acceleration interpolated between two samples; the others have none around them", u.in, u.gyro)
	}
}
