package usbserve

import (
	"encoding/binary"
	"slices"
	"time"

	"rsros/camdriver/d435i"
	"rsros/camdriver/usbreport"
)

// Feature reports of the inertial sensors.
const (
	featureSize     = 9
	featurePower    = 3
	featureInterval = 5
	powerOn         = 2
)

// Offsets of the time in input reports.
const (
	timeAt  = 2
	timeEnd = timeAt + 4
)

// motionRun is a sensor that is on.
type motionRun struct {
	reports []usbreport.Packet
	period  time.Duration
	span    uint32 // µs from the first report to the one after the last
	start   time.Time
	clock   uint32
	number  uint32 // of the next report
}

// hid serves feature reports.
func (c *Replay) hid(s d435i.Setup, out []byte) ([]byte, error) {
	id := uint8(s.Value)
	switch feature := s.Value>>8 == hidFeature; {
	case s.RequestType == classIn && s.Request == hidGetReport && feature && c.features[s.Value] != nil:
		return c.features[s.Value], nil
	case s.RequestType == classIn:
		return c.recorded(s)
	case s.Request == hidSetIdle, s.Request == hidProtocol:
		return nil, nil
	case s.Request != hidSetReport || !feature || len(out) != featureSize || out[0] != id || c.find(hidGetReport, s.Value, s.Index) == nil:
		return nil, c.refuse(s)
	}
	interval := binary.LittleEndian.Uint16(out[featureInterval:])
	if out[featurePower] != powerOn {
		delete(c.motion, id)
	} else if run := c.r.MotionRun(id, interval); run == nil {
		return nil, c.refuse(s)
	} else {
		c.motion[id] = newMotionRun(run, c.clock())
	}
	c.features[s.Value] = slices.Clone(out)
	c.wake()
	return nil, nil
}

func newMotionRun(m *usbreport.Motion, clock uint32) *motionRun {
	r := &motionRun{reports: m.Reports, start: time.Now(), clock: clock}
	n := uint32(len(m.Reports))
	r.period = time.Second / time.Duration(max(m.Rate, 1))
	if n > 1 {
		if step := (reportTime(m.Reports[n-1].Data) - reportTime(m.Reports[0].Data)) / (n - 1); step > 0 {
			r.period = time.Duration(step) * time.Microsecond
		}
	}
	r.period = min(max(r.period, minInterval), time.Second)
	r.span = n * uint32(r.period.Microseconds())
	return r
}

// reportTime is an input report's time on the device's clock in µs.
func reportTime(b []byte) uint32 {
	if len(b) < timeEnd {
		return 0
	}
	return binary.LittleEndian.Uint32(b[timeAt:])
}

// nextReport returns the input report that is due first, as next does.
func (c *Replay) nextReport() (due time.Time, take func() []byte) {
	var first *motionRun
	for _, id := range []uint8{1, 2, 3} {
		run := c.motion[id]
		if run == nil || len(run.reports) == 0 {
			continue
		}
		run.number = max(run.number, uint32(max(0, time.Since(run.start)-lateness)/run.period))
		if at := run.start.Add(time.Duration(run.number) * run.period); first == nil || at.Before(due) {
			first, due = run, at
		}
	}
	if first == nil {
		return time.Time{}, func() []byte { return nil }
	}
	return due, first.take
}

func (r *motionRun) take() []byte {
	n := uint32(len(r.reports))
	b := slices.Clone([]byte(r.reports[r.number%n].Data))
	if us := reportTime(b); len(b) >= timeEnd {
		binary.LittleEndian.PutUint32(b[timeAt:], r.clock+us-reportTime(r.reports[0].Data)+r.number/n*r.span)
	}
	r.number++
	return b
}
