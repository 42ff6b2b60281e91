package recorded_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"rsros/camdriver"
	"rsros/replay"
	"rsros/replay/recorded"
)

func sensorOf(d *recorded.Device, id camdriver.StreamID) int {
	return slices.IndexFunc(d.Sensors(), func(s camdriver.Sensor) bool {
		return slices.ContainsFunc(s.Profiles(), func(p camdriver.Profile) bool { return p.Stream == id })
	})
}

// TestRangeRepeats checks that a range repeats and that no frame outside of it is raised.
func TestRangeRepeats(t *testing.T) {
	d := open(t, recorded.Options{Paused: true})
	part := replay.Range{From: d.Duration() / 4, To: d.Duration() / 2}
	lines, times := events(t, d)
	at := make(map[string]time.Duration)
	for i, line := range lines {
		at[line] = times[i]
	}
	var outside []time.Duration
	var last time.Time
	rounds := make(chan struct{})
	startAll(t, d, &frameFunc{f: func(f *camdriver.Frame) {
		paused := d.Status().State == replay.Paused // seeking to the range shows earlier frames
		if x := at[fmt.Sprintf("%d %s %d", sensorOf(d, f.Stream()), f.Stream(), f.Number)]; !paused && (x < part.From || x > part.To) {
			outside = append(outside, x)
		}
		if !paused && f.Arrival.Before(last) {
			t.Errorf("frame %d arrives %v before its predecessor", f.Number, last.Sub(f.Arrival))
		}
		last = f.Arrival
		if d.Status().Round == 3 && rounds != nil {
			close(rounds)
			rounds = nil
		}
	}})
	done := rounds
	do(t, d, replay.SetRange{Range: part})
	if s := d.Status(); !s.Loop || s.Range == nil || *s.Range != part || s.Position < part.From {
		t.Errorf("state %+v", s)
	}
	do(t, d, replay.Resume{})
	<-done
	do(t, d, replay.Pause{})
	if len(outside) > 0 {
		t.Errorf("frames outside of %v: %v", part, outside)
	}
	do(t, d, replay.ClearRange{})
	if d.Status().Range != nil {
		t.Error("range was not removed")
	}
}
