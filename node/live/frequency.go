package live

import (
	"fmt"
	"strconv"
	"time"

	"rsros/camdriver"
	"rsros/msgs"
)

// frequencyWindow is the number of seconds over which a rate is measured, as in
// diagnostic_updater. In one second, a stream of 6 frames per second may have 5 or 7.
const frequencyWindow = 5

// frequencyTolerance is the allowed relative deviation from the profile's rate.
const frequencyTolerance = 0.1

// frequency measures the rate of one stream.
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
