package dataset

import (
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/tools/export"
)

// united combines the samples of a gyroscope and an accelerometer: one for each of the gyroscope's,
// with the acceleration interpolated between the two that are nearest in time. Samples of a combined
// stream stay as they are. It writes a table of them, and tables of what the sensors sent.
type united struct {
	s        *Input
	tables   InertialTables // of the samples as they were sent
	table    *export.Table
	uniter   *process.Uniter
	more     func(process.UnitedSample) error // also takes what table has; may be nil
	err      error
	gyro, in uint64
	separate bool
}

func newUnited(s *Input, separate InertialTables, table *export.Table) *united {
	u := &united{s: s, tables: separate, table: table}
	u.uniter = process.NewUniter(process.UniteLinear, u.take)
	return u
}

func (u *united) take(m process.UnitedSample) {
	if u.err == nil {
		u.err = u.table.Printf("%d,%v,%v,%v,%v,%v,%v\n", m.Stamp, m.Gyro[0], m.Gyro[1], m.Gyro[2],
			m.Accel[0], m.Accel[1], m.Accel[2])
	}
	if u.err == nil && u.more != nil {
		u.err = u.more(m)
	}
	u.in++
}

func (u *united) Motion(at int64, f *camdriver.Frame) error {
	if err := u.tables.Sample(at, f); err != nil {
		return err
	}
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

func (u *united) note() {
	if u.separate {
		u.s.Inform("imu0 has %d of %d gyroscope samples, each with the acceleration interpolated between two samples; the others have none around them", u.in, u.gyro)
	}
}
