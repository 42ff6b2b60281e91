package playback_test

import (
	"errors"
	"testing"
	"time"

	"rsros/bagstore/realsense/playback"
	"rsros/camdriver"
)

// TestRangeRepeats checks that a range repeats and that no frame outside of it is raised.
func TestRangeRepeats(t *testing.T) {
	d := open(t, playback.Options{Paused: true})
	part := playback.Range{From: d.Duration() / 4, To: d.Duration() / 2}
	if err := d.SetRange(&playback.Range{From: part.To, To: part.From}); !errors.Is(err, playback.ErrRange) {
		t.Errorf("range that ends before it begins: %v", err)
	}
	var outside []time.Duration
	var last time.Time
	rounds := make(chan struct{})
	startAll(t, d, &frameFunc{f: func(f *camdriver.Frame) {
		if !d.Status().Paused && (d.Status().Position < part.From || d.Status().Position > part.To) {
			outside = append(outside, d.Status().Position)
		}
		if !d.Status().Paused && f.Arrival.Before(last) {
			t.Errorf("frame at %v arrives %v before its predecessor", d.Status().Position, last.Sub(f.Arrival))
		}
		last = f.Arrival
		if d.Status().Loops == 3 && rounds != nil {
			close(rounds)
			rounds = nil
		}
	}})
	done := rounds
	ok(t, d.SetRange(&part))
	if s := d.Status(); !s.Loop || s.Range == nil || *s.Range != part || s.Position < part.From {
		t.Errorf("state %+v", s)
	}
	ok(t, d.Resume())
	<-done
	ok(t, d.Pause())
	if len(outside) > 0 {
		t.Errorf("frames outside of %v: %v", part, outside)
	}
	ok(t, d.SetRange(nil))
	if d.Status().Range != nil {
		t.Error("range was not removed")
	}
}
