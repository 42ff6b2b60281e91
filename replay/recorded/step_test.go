package recorded_test

import (
	"errors"
	"slices"
	"testing"

	"rsros/camdriver"
	"rsros/replay"
	"rsros/replay/recorded"
	"rsros/test/need"
)

// TestStepThenResume checks that steps raise the same events as playing and that Resume
// continues after them.
func TestStepThenResume(t *testing.T) {
	all, _ := events(t, open(t, recorded.Options{Paused: true}))
	d := open(t, recorded.Options{Paused: true})
	l := newLog(camdriver.System{})
	startAll(t, d, l)
	need.Must(t, d.Do(t.Context(), replay.StepMessage{}))
	need.Must(t, d.Do(t.Context(), replay.StepFrameSet{}))
	stepped := l.take()
	do(t, d, replay.Resume{})
	<-l.ended
	got := slices.DeleteFunc(append(stepped, l.take()...), func(s string) bool { return s == "streaming" || s == "ended" })
	want := slices.DeleteFunc(all, func(s string) bool { return s == "streaming" || s == "ended" })
	if !slices.Equal(got, want) {
		t.Errorf("%d lines with steps, %d without; first: %q, want %q", len(got), len(want), got[:5], want[:5])
	}
}

func TestStepRaisesOneFrame(t *testing.T) {
	d := open(t, recorded.Options{Paused: true})
	var frames []*camdriver.Frame
	startAll(t, d, &frameFunc{f: func(f *camdriver.Frame) { frames = append(frames, f.Retain()) }})
	for range 3 {
		do(t, d, replay.StepMessage{})
	}
	if len(frames) != 3 {
		t.Fatalf("3 steps raised %d frames", len(frames))
	}
	do(t, d, replay.StepFrameSet{}) // the rest of the first set
	frames = nil
	do(t, d, replay.StepFrameSet{})
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
	d := open(t, recorded.Options{RealTime: true})
	l := newLog(camdriver.System{})
	startAll(t, d, l)
	if err := d.Do(t.Context(), replay.StepMessage{}); !errors.Is(err, replay.ErrRunning) {
		t.Errorf("Step while playing: %v", err)
	}
	do(t, d, replay.Pause{})
	do(t, d, replay.SeekOffset{Offset: d.Duration()})
	l.take()
	for range 2 {
		if err := d.Do(t.Context(), replay.StepMessage{}); !errors.Is(err, replay.ErrEnd) {
			t.Errorf("Step at the end: %v", err)
		}
	}
	if got := l.take(); !slices.Equal(got, []string{"ended"}) {
		t.Errorf("events at the end: %q, want one \"ended\"", got)
	}
}
