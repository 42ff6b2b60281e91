package playback_test

import (
	"errors"
	"slices"
	"testing"

	"rsros/bagstore/realsense/playback"
	"rsros/camdriver"
)

// TestStepThenResume checks that steps raise the same events as playing and that Resume
// continues after them.
func TestStepThenResume(t *testing.T) {
	all, _ := events(t, open(t, playback.Options{Paused: true}))
	d := open(t, playback.Options{Paused: true})
	l := newLog(camdriver.System{})
	startAll(t, d, l)
	if err := d.Step(); err != nil {
		t.Fatal(err)
	}
	if err := d.StepFrameSet(); err != nil {
		t.Fatal(err)
	}
	stepped := l.take()
	ok(t, d.Resume())
	<-l.ended
	got := slices.DeleteFunc(append(stepped, l.take()...), func(s string) bool { return s == "streaming" || s == "ended" })
	want := slices.DeleteFunc(all, func(s string) bool { return s == "streaming" || s == "ended" })
	if !slices.Equal(got, want) {
		t.Errorf("%d lines with steps, %d without; first: %q, want %q", len(got), len(want), got[:5], want[:5])
	}
}

func TestStepRaisesOneFrame(t *testing.T) {
	d := open(t, playback.Options{Paused: true})
	var frames []*camdriver.Frame
	startAll(t, d, &frameFunc{f: func(f *camdriver.Frame) { frames = append(frames, f.Retain()) }})
	for range 3 {
		ok(t, d.Step())
	}
	if len(frames) != 3 {
		t.Fatalf("3 steps raised %d frames", len(frames))
	}
	frames = nil
	ok(t, d.StepFrameSet())
	images := map[camdriver.StreamID]int{}
	for _, f := range frames {
		if f.Stream().Kind.Video() {
			images[f.Stream()]++
		}
	}
	for id, n := range images {
		if n != 1 {
			t.Errorf("frame set has %d images of %s", n, id)
		}
	}
	if len(images) != 4 {
		t.Errorf("frame set has images of %d streams, want 4", len(images))
	}
}

func TestStepErrors(t *testing.T) {
	d := open(t, playback.Options{RealTime: true})
	l := newLog(camdriver.System{})
	startAll(t, d, l)
	if err := d.Step(); !errors.Is(err, playback.ErrNotPaused) {
		t.Errorf("Step while playing: %v", err)
	}
	ok(t, d.Pause())
	ok(t, d.Seek(d.Duration()))
	l.take()
	for range 2 {
		if err := d.Step(); !errors.Is(err, playback.ErrEnd) {
			t.Errorf("Step at the end: %v", err)
		}
	}
	if got := l.take(); !slices.Equal(got, []string{"ended"}) {
		t.Errorf("events at the end: %q, want one \"ended\"", got)
	}
}

func TestSetLoop(t *testing.T) {
	d := open(t, playback.Options{Loop: true, Paused: true})
	l := newLog(camdriver.System{})
	startAll(t, d, l)
	ok(t, d.SetLoop(false))
	if d.Status().Loop {
		t.Error("Loop is still on")
	}
	ok(t, d.Resume())
	<-l.ended
}
