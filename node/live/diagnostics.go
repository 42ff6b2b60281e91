package live

import (
	"fmt"
	"strconv"
	"time"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/naming"
	"rsros/node/ros"
)

// diagnostics publishes /diagnostics once a second: each stream's rate and its
// profile's, frames that were lost before they reached this program, the recorder's
// drops, and the camera's temperatures.
type diagnostics struct {
	pub    *ros.Publisher
	camera *camera
	serial string
	last   map[camdriver.StreamID]uint64
	at     time.Time
}

func (c *camera) startDiagnostics() error {
	t := msgs.MustType("diagnostic_msgs/DiagnosticArray")
	pub, err := c.node.Advertise(ros.PublisherOptions{Topic: "/diagnostics", Type: t})
	if err != nil {
		return err
	}
	d := &diagnostics{
		pub: pub, camera: c, serial: camdriver.Find(c.device.Info(), camdriver.InfoSerialNumber),
		last: map[camdriver.StreamID]uint64{}, at: time.Now(),
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				d.publish(now)
			case <-stop:
				return
			}
		}
	}()
	c.later(func() error { close(stop); <-done; pub.Close(); return nil })
	return nil
}

func (d *diagnostics) publish(now time.Time) {
	m := &msgs.DiagnosticArray{Header: msgs.Header{Stamp: msgs.FromTime(now)}}
	window := now.Sub(d.at).Seconds()
	d.at = now
	for _, list := range d.camera.profiles {
		for _, p := range list {
			m.Status = append(m.Status, d.frequency(p, window))
		}
	}
	if d.pub.Subscribers() == 0 {
		return // the counts are updated; the camera needn't be queried
	}
	m.Status = append(m.Status, d.temperatures()...)
	if d.camera.frozen.Load() {
		m.Status = append(m.Status, msgs.DiagnosticStatus{Level: msgs.DiagnosticWarn, Name: "Publishing", Message: "paused by pause_playback"})
	}
	if s, ok := d.camera.records.Status(); ok {
		m.Status = append(m.Status, s)
	}
	for i := range m.Status {
		m.Status[i].Name = d.camera.node.Name() + ": " + m.Status[i].Name
		m.Status[i].HardwareID = d.serial
	}
	publish(d.pub, m)
}

// frequency uses the words of diagnostic_updater's FrequencyStatus, which tools
// know. A rate within 10 % of the profile's is fine.
func (d *diagnostics) frequency(p camdriver.Profile, window float64) msgs.DiagnosticStatus {
	frames, gaps := d.camera.hub.Given(p.Stream)
	events := frames - d.last[p.Stream]
	d.last[p.Stream] = frames
	hz, want := float64(events)/window, float64(p.FPS)
	s := msgs.DiagnosticStatus{Name: naming.StreamName(p.Stream) + " Frequency Status", Message: "Desired frequency met"}
	switch {
	case events == 0:
		s.Level, s.Message = msgs.DiagnosticError, "No events recorded."
	case hz < want*0.9:
		s.Level, s.Message = msgs.DiagnosticWarn, "Frequency too low."
	case hz > want*1.1:
		s.Level, s.Message = msgs.DiagnosticWarn, "Frequency too high."
	}
	s.Values = []msgs.KeyValue{
		{Key: "Events in window", Value: strconv.FormatUint(events, 10)},
		{Key: "Events since startup", Value: strconv.FormatUint(frames, 10)},
		{Key: "Duration of window (s)", Value: fmt.Sprintf("%f", window)},
		{Key: "Actual frequency (Hz)", Value: fmt.Sprintf("%f", hz)},
		{Key: "Target frequency (Hz)", Value: fmt.Sprintf("%f", want)},
		{Key: "Frames lost before arrival", Value: strconv.FormatUint(gaps, 10)},
	}
	return s
}

func (d *diagnostics) temperatures() []msgs.DiagnosticStatus {
	var out []msgs.DiagnosticStatus
	for _, sensor := range d.camera.device.Sensors() {
		for _, o := range sensor.Options() {
			if o.ID != camdriver.OptionAsicTemperature && o.ID != camdriver.OptionProjectorTemperature {
				continue
			}
			out = append(out, msgs.DiagnosticStatus{
				Name:    o.ID.String(),
				Message: "OK",
				Values:  []msgs.KeyValue{{Key: "Index", Value: strconv.FormatFloat(float64(o.Value), 'f', -1, 32)}},
			})
		}
	}
	return out
}
