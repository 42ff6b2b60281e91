package model

import (
	"encoding/binary"
	"fmt"
	"math"

	"rsros/camdriver"
)

// Ids of the inertial sensors' reports.
const (
	ReportAccel = 1
	ReportGyro  = 2
)

// Power states in a feature report.
const (
	PowerOn  = 2
	PowerOff = 6
)

// FeatureSize is the size of feature reports.
const FeatureSize = 9

// Feature is a sensor's feature report.
type Feature struct {
	ID       uint8
	Power    uint8
	Interval uint16 // see RateIntervals
	raw      [FeatureSize]byte
}

// ParseFeature parses a feature report.
func ParseFeature(b []byte) (Feature, error) {
	if len(b) < FeatureSize {
		return Feature{}, fmt.Errorf("HID feature report has %d bytes, want %d", len(b), FeatureSize)
	}
	return Feature{
		ID: b[0], Power: b[3], Interval: binary.LittleEndian.Uint16(b[5:]), raw: [FeatureSize]byte(b),
	}, nil
}

// Encode preserves bytes of the parsed report that aren't fields.
func (f Feature) Encode() []byte {
	b := f.raw
	b[0], b[3] = f.ID, f.Power
	binary.LittleEndian.PutUint16(b[5:], f.Interval)
	return b[:]
}

// RateIntervals maps frame rates to the interval of a feature report: 1000 divided by a code for the rate.
var RateIntervals = map[int]uint16{63: 1000, 100: 1000, 200: 500, 250: 333, 400: 250}

// MotionProfiles returns the profiles of an IMU with the given chip.
func MotionProfiles(chip uint8) []camdriver.Profile {
	accel := []int{63, 250}
	if chip == ChipBMI085 || chip == ChipBMI088 {
		accel = []int{100, 200, 400}
	}
	var list []camdriver.Profile
	add := func(id camdriver.StreamID, rates []int) {
		for i, fps := range rates {
			list = append(list, camdriver.Profile{Stream: id, Format: camdriver.MotionXYZ32F, FPS: fps, Default: i == 0})
		}
	}
	add(camdriver.GyroStream, []int{200, 400})
	add(camdriver.AccelStream, accel)
	return list
}

// ReportOf returns the id of an inertial stream's reports.
func ReportOf(id camdriver.StreamID) uint8 {
	if id == camdriver.GyroStream {
		return ReportGyro
	}
	return ReportAccel
}

// Sizes of input reports. WideFirmware widened the counts.
const (
	ReportSize     = 32
	WideReportSize = 38
)

// WideFirmware is the first with wide reports.
var WideFirmware = Version{5, 16}

// Report is an input report, in the sensor's counts.
type Report struct {
	ID     uint8
	Time   uint32 // µs on the device's clock
	Counts [3]int32
	Wide   bool // counts of the gyroscope are 0.0001°/s instead of 0.1
}

// ParseReport parses an input report of either size.
func ParseReport(b []byte) (Report, error) {
	if len(b) != ReportSize && len(b) != WideReportSize {
		return Report{}, fmt.Errorf("HID report has %d bytes, want %d or %d", len(b), ReportSize, WideReportSize)
	}
	r := Report{ID: b[0], Time: binary.LittleEndian.Uint32(b[2:]), Wide: len(b) == WideReportSize}
	for i := range r.Counts {
		if r.Wide {
			r.Counts[i] = int32(binary.LittleEndian.Uint32(b[10+4*i:]))
		} else {
			r.Counts[i] = int32(int16(binary.LittleEndian.Uint16(b[10+2*i:])))
		}
	}
	return r, nil
}

// Encode returns the report's bytes.
func (r Report) Encode() []byte {
	size := ReportSize
	if r.Wide {
		size = WideReportSize
	}
	b := make([]byte, size)
	b[0] = r.ID
	binary.LittleEndian.PutUint32(b[2:], r.Time)
	for i, v := range r.Counts {
		if r.Wide {
			binary.LittleEndian.PutUint32(b[10+4*i:], uint32(v))
		} else {
			binary.LittleEndian.PutUint16(b[10+2*i:], uint16(v))
		}
	}
	return b
}

// axes are the signs of the chip's axes, which is rotated by 180° about y.
var axes = [3]float64{-1, 1, -1}

// unit returns a count in m/s² or rad/s.
func (r Report) unit() float64 {
	switch {
	case r.ID != ReportGyro:
		return 0.001 * 9.80665
	case r.Wide:
		return 0.0001 * math.Pi / 180
	}
	return 0.1 * math.Pi / 180
}

// Value returns the sample in m/s² or rad/s, in the camera's axes.
func (r Report) Value() (v [3]float64) {
	unit := r.unit()
	for i, n := range r.Counts {
		v[i] = axes[i] * unit * float64(n)
	}
	return v
}

// SetValue is the inverse of Value.
func (r *Report) SetValue(v [3]float64) {
	for i := range v {
		r.Counts[i] = int32(math.Round(axes[i] * v[i] / r.unit()))
	}
}
