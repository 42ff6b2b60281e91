package d400

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"rsros/camdriver"
	"rsros/camdriver/model"
)

// HID report ids.
const (
	reportAccel = 1
	reportGyro  = 2
)

// Power states of a HID sensor's feature report.
const (
	powerOn  = 2
	powerOff = 6
)

const featureSize = 9

// feature is a HID sensor's feature report.
type feature struct {
	ID       uint8
	Power    uint8
	Interval uint16 // see rateIntervals
	raw      [featureSize]byte
}

func parseFeature(b []byte) (feature, error) {
	if len(b) < featureSize {
		return feature{}, fmt.Errorf("HID feature report has %d bytes, want %d", len(b), featureSize)
	}
	return feature{
		ID: b[0], Power: b[3], Interval: binary.LittleEndian.Uint16(b[5:]), raw: [featureSize]byte(b),
	}, nil
}

// encode preserves bytes that the driver does not set.
func (f feature) encode() []byte {
	b := f.raw
	b[0], b[3] = f.ID, f.Power
	binary.LittleEndian.PutUint16(b[5:], f.Interval)
	return b[:]
}

// rateIntervals maps frame rates to the interval of a feature report: 1000 divided by a
// code for the rate.
var rateIntervals = map[int]uint16{63: 1000, 100: 1000, 200: 500, 250: 333, 400: 250}

// imuSample is an input report, in the sensor's counts.
type imuSample struct {
	id        uint8
	timestamp uint32 // µs on the device's clock
	raw       [3]int32
	fine      bool // gyro counts are 0.0001°/s instead of 0.1
}

// Sizes of input reports. Firmware 5.16 widened the counts.
const (
	reportShort = 32
	reportLong  = 38
)

// parseReport parses an input report of either size.
func parseReport(b []byte) (imuSample, error) {
	if len(b) != reportShort && len(b) != reportLong {
		return imuSample{}, fmt.Errorf("HID report has %d bytes, want %d or %d", len(b), reportShort, reportLong)
	}
	s := imuSample{id: b[0], timestamp: binary.LittleEndian.Uint32(b[2:]), fine: len(b) == reportLong}
	for i := range s.raw {
		if s.fine {
			s.raw[i] = int32(binary.LittleEndian.Uint32(b[10+4*i:]))
		} else {
			s.raw[i] = int32(int16(binary.LittleEndian.Uint16(b[10+2*i:])))
		}
	}
	return s, nil
}

// scaled converts counts to m/s² or rad/s, in the camera's axes.
func (s imuSample) scaled() [3]float64 {
	unit := 0.001 * 9.80665
	if s.id == reportGyro {
		unit = 0.1 * math.Pi / 180
		if s.fine {
			unit = 0.0001 * math.Pi / 180
		}
	}
	// The chip is rotated by 180° about y.
	return [3]float64{-unit * float64(s.raw[0]), unit * float64(s.raw[1]), -unit * float64(s.raw[2])}
}

// motionCalibration is the correction scale·v − bias of an inertial sensor.
type motionCalibration struct {
	scale [9]float64 // by rows
	bias  [3]float64 // m/s² or rad/s
}

func idealMotion() motionCalibration {
	return motionCalibration{scale: [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}}
}

func (c motionCalibration) correct(v [3]float64) [3]float64 {
	var out [3]float64
	for i := range 3 {
		for j := range 3 {
			out[i] += c.scale[3*i+j] * v[j]
		}
		out[i] -= c.bias[i]
	}
	return out
}

// intrinsics returns the calibration in the SDK's layout: rows of scale, cross-axis and
// bias.
func (c motionCalibration) intrinsics() camdriver.MotionIntrinsics {
	var m camdriver.MotionIntrinsics
	for i := range 3 {
		for j := range 3 {
			m.Data[4*i+j] = float32(c.scale[3*i+j])
		}
		m.Data[4*i+3] = float32(c.bias[i])
	}
	return m
}

// imuCalibration is the table in the motion module's EEPROM.
type imuCalibration struct {
	accel, gyro motionCalibration
	fromDepth   camdriver.Extrinsics
	hasPose     bool
}

// parseIMU parses the EEPROM's content. If it is empty or damaged, parseIMU returns an
// ideal sensor and an error.
func parseIMU(b []byte) (imuCalibration, error) {
	const (
		start = model.MotionAt
		need  = start + 164
	)
	c := imuCalibration{accel: idealMotion(), gyro: idealMotion()}
	b, err := model.CheckTable(model.TableEEPROM, b, need)
	if err != nil {
		return c, err
	}
	if version := binary.LittleEndian.Uint16(b); version != model.MotionVersion {
		return c, fmt.Errorf("IMU calibration has version %#04x, want %#04x", version, model.MotionVersion)
	}
	t := b[start:]
	if t[model.MotionPoseAt] == 1 {
		for i := range 9 {
			c.fromDepth.Rotation[3*(i%3)+i/3] = float32At(t, model.MotionRotationAt+4*i) // column-major
		}
		for i := range 3 {
			c.fromDepth.Translation[i] = float32At(t, model.MotionTranslationAt+4*i)
		}
		c.hasPose = finite(c.fromDepth.Rotation[:]) && finite(c.fromDepth.Translation[:])
	}
	if t[model.MotionValidAt] == 1 {
		accel, gyro := motionAt(t, model.AccelAt, 1), motionAt(t, model.GyroAt, math.Pi/180)
		if accel.finite() && gyro.finite() {
			c.accel, c.gyro = accel, gyro
		}
	}
	return c, nil
}

// motionAt parses a 3x3 sensitivity, stored by columns, and a bias in units of biasUnit.
func motionAt(t []byte, at int, biasUnit float64) motionCalibration {
	var c motionCalibration
	for i := range c.scale {
		c.scale[3*(i%3)+i/3] = float32At(t, at+4*i)
	}
	for i := range c.bias {
		c.bias[i] = biasUnit * float32At(t, at+36+4*i)
	}
	return c
}

func (c motionCalibration) finite() bool { return finite(c.scale[:]) && finite(c.bias[:]) }

func finite(list []float64) bool {
	return !slices.ContainsFunc(list, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
