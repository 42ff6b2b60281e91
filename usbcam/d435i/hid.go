package d435i

import (
	"encoding/binary"
	"math"
	"time"
)

const hidEndpoint = 0x86

// hidSensor is one of the HID device's sensors.
type hidSensor struct {
	power    uint8
	interval uint16
	start    time.Time
	last     uint32
}

// hidReportDescriptor declares three sensors' input and feature reports.
func hidReportDescriptor() []byte {
	d := []byte{0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01} // vendor page, application
	for id := byte(1); id <= 3; id++ {
		d = append(d,
			0x85, id, // report id
			0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, // bytes
			0x09, 0x02, 0x95, 37, 0x81, 0x02, // input
			0x09, 0x03, 0x95, 8, 0xb1, 0x02, // feature
		)
	}
	return append(d, 0xc0)
}

// hidRequest serves feature reports.
func (c *Camera) hidRequest(s Setup, out []byte) ([]byte, error) {
	sensor := c.power[uint8(s.Value)]
	feature := s.Value>>8 == 3 && sensor != nil
	switch {
	case s.RequestType == 0xa1 && s.Request == 1 && feature:
		b := make([]byte, 9)
		b[0], b[3] = uint8(s.Value), sensor.power
		binary.LittleEndian.PutUint16(b[5:], sensor.interval)
		return b, nil
	case s.RequestType == 0x21 && s.Request == 9 && feature:
		return nil, c.setPower(uint8(s.Value), sensor, out)
	case s.RequestType == 0xa1 && s.Request == 1: // an input report on demand
		return make([]byte, c.reportSize()), nil
	case s.RequestType == 0x21 && (s.Request == 0x0a || s.Request == 0x0b): // idle, protocol
		return nil, nil
	}
	return nil, c.refuse("HID %v", s)
}

func (c *Camera) setPower(id uint8, sensor *hidSensor, out []byte) error {
	if len(out) != 9 || out[0] != id {
		return c.refuse("HID feature report %d of %d bytes", id, len(out))
	}
	period := binary.LittleEndian.Uint16(out[5:])
	if out[3] != 2 && out[3] != 6 {
		return c.refuse("HID sensor %d set to power state %d", id, out[3])
	}
	if out[3] == 2 && imuRate(id, period) == 0 {
		return c.refuse("HID sensor %d set to interval %d", id, period)
	}
	if out[3] == 2 && sensor.power != 2 {
		sensor.start, sensor.last = time.Now(), 0
	}
	sensor.power, sensor.interval = out[3], period
	c.interrupt(hidEndpoint)
	return nil
}

// imuRate returns a sensor's rate in Hz at an interval, or 0 if it doesn't have it. The accelerometer
// runs at 62.5 Hz if 63 is requested.
func imuRate(id uint8, interval uint16) float64 {
	switch {
	case interval == 1000 && id == 1:
		return 62.5
	case interval == 500:
		return 200
	case interval == 333 && id == 1:
		return 250
	case interval == 250 && id == 2:
		return 400
	}
	return 0
}

func (c *Camera) wide() bool {
	return c.opt.Firmware[0] > 5 || c.opt.Firmware[0] == 5 && c.opt.Firmware[1] >= 16
}

func (c *Camera) reportSize() int {
	if c.wide() {
		return 38
	}
	return 32
}

// reportTurn returns the turn of a read of the sensors' reports.
func (c *Camera) reportTurn() turn {
	if c.opt.Source != nil {
		return c.sampleTurn()
	}
	id, due := c.nextReport()
	return turn{Wait: until(due), Take: func() []byte {
		s := c.power[id]
		s.last++
		return c.encodeReport(id, c.clockAt(due), c.Counts(id == 2, s.last))
	}}
}

// nextReport returns the powered sensor whose report is due first; the time is zero if
// all are off. Reports that the host doesn't fetch in time are lost.
func (c *Camera) nextReport() (first uint8, when time.Time) {
	for id, s := range c.power {
		rate := imuRate(id, s.interval)
		if s.power != 2 || rate == 0 {
			continue
		}
		period := time.Duration(float64(time.Second) / rate)
		number := max(s.last+1, uint32(max(0, time.Since(s.start)-200*time.Millisecond)/period))
		due := s.start.Add(time.Duration(number) * period)
		if when.IsZero() || due.Before(when) {
			first, when = id, due
			s.last = number - 1
		}
	}
	return first, when
}

func (c *Camera) encodeReport(id uint8, us uint32, raw [3]int32) []byte {
	b := make([]byte, c.reportSize())
	b[0] = id
	binary.LittleEndian.PutUint64(b[2:], uint64(us))
	for i, v := range raw {
		if c.wide() {
			binary.LittleEndian.PutUint32(b[10+4*i:], uint32(v))
		} else {
			binary.LittleEndian.PutUint16(b[10+2*i:], uint16(int16(v)))
		}
	}
	return b
}

// Counts returns the chip's measurement of the scene's motion.
func (c *Camera) Counts(gyro bool, number uint32) [3]int32 {
	return c.counts(gyro, c.opt.Scene.Motion(gyro, number))
}

func (c *Camera) counts(gyro bool, v [3]float64) [3]int32 {
	unit := 0.001 * 9.80665
	if gyro {
		unit = math.Pi / 180 / 10
		if c.wide() {
			unit = math.Pi / 180 / 10000
		}
	}
	sign := [3]float64{-1, 1, -1} // the chip's axes
	var raw [3]int32
	for i := range raw {
		raw[i] = int32(math.Round(sign[i] * v[i] / unit))
	}
	return raw
}
