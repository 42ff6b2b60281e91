package d435i

import (
	"slices"
	"time"

	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
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
	case s.RequestType == uvc.RequestIn && s.Request == uvc.HIDGetReport && feature:
		return model.Feature{ID: uint8(s.Value), Power: sensor.power, Interval: sensor.interval}.Encode(), nil
	case s.RequestType == uvc.RequestOut && s.Request == uvc.HIDSetReport && feature:
		return nil, c.setPower(uint8(s.Value), sensor, out)
	case s.RequestType == uvc.RequestIn && s.Request == uvc.HIDGetReport: // an input report on demand
		return model.Report{Wide: c.wide()}.Encode(), nil
	case s.RequestType == uvc.RequestOut && (s.Request == 0x0a || s.Request == 0x0b): // idle, protocol
		return nil, nil
	}
	return nil, c.refuse("HID %v", s)
}

func (c *Camera) setPower(id uint8, sensor *hidSensor, out []byte) error {
	f, err := model.ParseFeature(out)
	switch {
	case err != nil || len(out) != model.FeatureSize || f.ID != id:
		return c.refuse("HID feature report %d of %d bytes", id, len(out))
	case f.Power != model.PowerOn && f.Power != model.PowerOff:
		return c.refuse("HID sensor %d set to power state %d", id, f.Power)
	case f.Power == model.PowerOn && imuRate(id, f.Interval) == 0:
		return c.refuse("HID sensor %d set to interval %d", id, f.Interval)
	case f.Power == model.PowerOn && sensor.power != model.PowerOn:
		sensor.start, sensor.last = time.Now(), 0
	}
	c.faults.Silent = slices.DeleteFunc(c.faults.Silent, func(silent uint8) bool { return silent == id })
	sensor.power, sensor.interval = f.Power, f.Interval
	c.interrupt(hidEndpoint)
	return nil
}

var motionProfiles = model.MotionProfiles(model.ChipBMI055)

// imuRate returns a sensor's rate in Hz at an interval, or 0 if it doesn't have it.
func imuRate(id uint8, interval uint16) float64 {
	for _, p := range motionProfiles {
		if model.ReportOf(p.Stream) != id || model.RateIntervals[p.FPS] != interval {
			continue
		}
		if p.FPS == 63 {
			return 62.5 // as the chip runs
		}
		return float64(p.FPS)
	}
	return 0
}

func (c *Camera) wide() bool { return !c.opt.Firmware.Less(model.WideFirmware) }

// reportTurn returns the turn of a read of the sensors' reports.
func (c *Camera) reportTurn() turn {
	if c.opt.Source != nil {
		return c.sampleTurn()
	}
	id, due := c.nextReport()
	return turn{Wait: until(due), Take: func() []byte {
		s := c.power[id]
		s.last++
		return c.report(id, c.clockAt(due), c.opt.Scene.Motion(id == model.ReportGyro, s.last)).Encode()
	}}
}

// nextReport returns the powered sensor whose report is due first; the time is zero if
// all are off. Reports that the host doesn't fetch in time are lost.
func (c *Camera) nextReport() (first uint8, when time.Time) {
	for id, s := range c.power {
		rate := imuRate(id, s.interval)
		if s.power != model.PowerOn || rate == 0 || slices.Contains(c.faults.Silent, id) {
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

func (c *Camera) report(id uint8, us uint32, v [3]float64) model.Report {
	r := model.Report{ID: id, Time: us, Wide: c.wide()}
	r.SetValue(v)
	return r
}
