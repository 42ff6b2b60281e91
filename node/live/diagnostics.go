package live

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/naming"
	"rsros/node/transport"
	"rsros/program/work"
	"rsros/ros"
)

// diagnostics publishes /diagnostics once a second: the streams' rates, frames lost before they reached this program,
// drops because this program or its subscribers were too slow, the recorder's drops, and the camera's temperatures.
type diagnostics struct {
	pub    *ros.Publisher
	camera *camera
	name   string // prefix of names of statuses
	serial string
	rates  map[camdriver.StreamID]*frequency
	begun  time.Time
	drops  uint64 // at the last report
}

func (c *camera) startDiagnostics() error {
	t := msgs.MustType("diagnostic_msgs/DiagnosticArray")
	pub, err := c.node.Advertise(ros.PublisherOptions{Topic: "/diagnostics", Type: t})
	if err != nil {
		return err
	}
	c.cleanup.AddFunc(pub.Close)
	d := &diagnostics{
		pub: pub, camera: c, serial: camdriver.Find(c.device.Info(), camdriver.InfoSerialNumber),
		rates: map[camdriver.StreamID]*frequency{}, begun: time.Now(),
	}
	if d.name, err = c.diagnosticsName(); err != nil {
		return err
	}
	c.cleanup.Go(func(ctx context.Context) { work.Every(ctx, time.Second, d.publish) })
	return nil
}

// diagnosticsName returns the prefix of names of statuses. As in realsense2_camera, it is the
// name of the nodelet manager without the first slash. With the SDK's naming alone it is
// the node's name, with the camera's if there are several.
func (c *camera) diagnosticsName() (string, error) {
	name := c.node.Name()
	if c.several {
		name += "/" + strings.Trim(c.opts.Camera, "/")
	}
	if c.opts.Naming.Wrapper() {
		manager := c.opts.Manager
		if !strings.HasPrefix(manager, "/") {
			manager = c.opts.Camera + "/" + manager
		}
		var err error
		if name, err = c.node.Resolve(manager); err != nil {
			return "", fmt.Errorf("parameter ~manager: %w", err)
		}
	}
	return strings.TrimPrefix(name, "/"), nil
}

func (d *diagnostics) publish(now time.Time) {
	m := &msgs.DiagnosticArray{Header: msgs.Header{Stamp: msgs.FromTime(now)}}
	add := func(suffix string, s msgs.DiagnosticStatus) {
		s.Name, s.HardwareID = d.name+suffix+": "+s.Name, d.serial
		m.Status = append(m.Status, s)
	}
	for _, list := range d.camera.profiles {
		for _, p := range list {
			add("_"+rslayout.NodeName(p.Stream), d.rate(p, now))
		}
	}
	dropped := d.dropped()
	if d.pub.Subscribers() == 0 {
		return // don't query the camera
	}
	add("", dropped)
	for _, s := range d.temperatures() {
		add("", s)
	}
	if d.camera.frozen.Load() {
		add("", msgs.DiagnosticStatus{Level: msgs.DiagnosticWarn, Name: "Publishing", Message: "paused by pause_playback"})
	}
	if rec := d.camera.records.Current(); rec != nil {
		add("", rec.Status())
	}
	publish(d.pub, m)
}

func (d *diagnostics) rate(p camdriver.Profile, now time.Time) msgs.DiagnosticStatus {
	f := d.rates[p.Stream]
	if f == nil {
		f = newFrequency(d.begun)
		d.rates[p.Stream] = f
	}
	frames, lost := d.camera.hub.Counts(p.Stream)
	return f.update(p, now, frames, lost)
}

// dropped is a warning if there were drops since the last call.
func (d *diagnostics) dropped() msgs.DiagnosticStatus {
	var all naming.Drops
	for _, drops := range d.camera.drops {
		one := drops()
		all.Topics, all.Sets = append(all.Topics, one.Topics...), all.Sets+one.Sets
	}
	slices.SortFunc(all.Topics, func(a, b transport.Drops) int { return strings.Compare(a.Topic, b.Topic) })
	s := msgs.DiagnosticStatus{Name: "Drops", Message: "nothing was dropped"}
	total := all.Total()
	switch {
	case total > d.drops:
		s.Level, s.Message = msgs.DiagnosticWarn, fmt.Sprintf("%d dropped since the last report", total-d.drops)
	case total > 0:
		s.Message = "nothing was dropped since the last report"
	}
	d.drops = total
	count := func(key string, n uint64) {
		s.Values = append(s.Values, msgs.KeyValue{Key: key, Value: strconv.FormatUint(n, 10)})
	}
	var dropped, lost uint64
	for _, t := range all.Topics {
		dropped, lost = dropped+t.Dropped, lost+t.Lost
	}
	count("Frame sets not processed", all.Sets)
	count("Pictures not compressed", dropped)
	count("Messages lost by slow subscribers", lost)
	for _, t := range all.Topics {
		if t.Dropped > 0 {
			count(t.Topic+": not compressed", t.Dropped)
		}
		if t.Lost > 0 {
			count(t.Topic+": lost by subscribers", t.Lost)
		}
	}
	return s
}

var temperatures = []camdriver.OptionID{
	camdriver.OptionAsicTemperature, camdriver.OptionProjectorTemperature, camdriver.OptionMotionModuleTemperature,
}

func (d *diagnostics) temperatures() []msgs.DiagnosticStatus {
	var out []msgs.DiagnosticStatus
	for _, sensor := range d.camera.device.Sensors() {
		for _, id := range temperatures {
			if o, ok := sensor.Option(id); ok {
				out = append(out, msgs.DiagnosticStatus{
					Name:    o.ID.String(),
					Message: "OK",
					Values:  []msgs.KeyValue{{Key: "Index", Value: strconv.FormatFloat(float64(o.Value), 'f', -1, 32)}},
				})
			}
		}
	}
	return out
}

// frequencyWindow is the number of seconds over which a rate is measured, as in
// diagnostic_updater. In one second, a stream of 6 frames per second may have 5 or 7.
const frequencyWindow = 5

// frequencyTolerance is the allowed relative deviation from the profile's rate.
const frequencyTolerance = 0.1

type frequency struct {
	times  []time.Time // of the last updates, oldest first
	counts []uint64    // of frames at these times
}

// newFrequency starts a measurement without frames.
func newFrequency(now time.Time) *frequency {
	return &frequency{times: []time.Time{now}, counts: []uint64{0}}
}

// update returns diagnostic_updater's FrequencyStatus, with the frames lost before arrival.
func (f *frequency) update(p camdriver.Profile, now time.Time, frames, lost uint64) msgs.DiagnosticStatus {
	window, events := now.Sub(f.times[0]).Seconds(), frames-f.counts[0]
	if f.times, f.counts = append(f.times, now), append(f.counts, frames); len(f.times) > frequencyWindow {
		f.times, f.counts = f.times[1:], f.counts[1:]
	}
	hz, want := float64(events)/max(window, 1e-9), float64(p.FPS)
	least, most := want*(1-frequencyTolerance), want*(1+frequencyTolerance)
	s := msgs.DiagnosticStatus{Name: "Frequency Status", Message: "Desired frequency met"}
	switch {
	case events == 0:
		s.Level, s.Message = msgs.DiagnosticError, "No events recorded."
	case hz < least:
		s.Level, s.Message = msgs.DiagnosticWarn, "Frequency too low."
	case hz > most:
		s.Level, s.Message = msgs.DiagnosticWarn, "Frequency too high."
	}
	s.Values = []msgs.KeyValue{
		{Key: "Events in window", Value: strconv.FormatUint(events, 10)},
		{Key: "Events since startup", Value: strconv.FormatUint(frames, 10)},
		{Key: "Duration of window (s)", Value: fmt.Sprintf("%f", window)},
		{Key: "Actual frequency (Hz)", Value: fmt.Sprintf("%f", hz)},
		{Key: "Target frequency (Hz)", Value: fmt.Sprintf("%f", want)},
		{Key: "Minimum acceptable frequency (Hz)", Value: fmt.Sprintf("%f", least)},
		{Key: "Maximum acceptable frequency (Hz)", Value: fmt.Sprintf("%f", most)},
		{Key: "Frames lost before arrival", Value: strconv.FormatUint(lost, 10)},
	}
	return s
}
