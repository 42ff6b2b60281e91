package dataset

import (
	"rsros/camdriver"
	"rsros/tools/export"
)

// InertialTables are tables of what a gyroscope and an accelerometer sent, with nothing added or left out.
type InertialTables struct {
	separator   string
	stamp       func(int64) string
	gyro, accel *export.Table
}

// InertialCSV returns tables for layouts that have none of their own.
func InertialCSV(s *Input) InertialTables {
	return InertialTables{",", nanoseconds,
		s.table("gyroscope.csv", "stamp_ns,x_rad_s,y_rad_s,z_rad_s\n"),
		s.table("accelerometer.csv", "stamp_ns,x_m_s2,y_m_s2,z_m_s2\n")}
}

// Sample writes a sample.
func (t *InertialTables) Sample(at int64, f *camdriver.Frame) error {
	kind := f.Stream().Kind
	if kind != camdriver.Accel {
		if err := t.row(t.gyro, at, f.Motion.Gyro); err != nil {
			return err
		}
	}
	if kind != camdriver.Gyro {
		return t.row(t.accel, at, f.Motion.Accel)
	}
	return nil
}

func (t *InertialTables) row(to *export.Table, at int64, v [3]float64) error {
	return to.Printf("%s%[2]s%[3]v%[2]s%[4]v%[2]s%[5]v\n", t.stamp(at), t.separator, v[0], v[1], v[2])
}

// poseOf returns a sample's translation in metres, and its rotation: x, y, z, w.
func poseOf(f *camdriver.Frame) (t [3]float64, r [4]float64) {
	for i, v := range f.Pose.Translation {
		t[i] = exact(v)
	}
	for i, v := range f.Pose.Rotation {
		r[i] = exact(v)
	}
	return t, r
}
