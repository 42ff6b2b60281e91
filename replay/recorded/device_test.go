package recorded_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/replay"
	"rsros/replay/recorded"
	"rsros/test/drivertest"
	"rsros/test/need"
	"rsros/test/rig"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const samples = "../../test/data/librealsense"

func open(t testing.TB, o recorded.Options) *recorded.Device {
	t.Helper()
	d, err := recorded.Open(filepath.Join(samples, "sw_small_lz4.bag"), o)
	need.Must(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

func TestContract(t *testing.T) {
	for name, o := range map[string]recorded.Options{
		"real time":         {RealTime: true, Loop: true},
		"eight times":       {RealTime: true, Loop: true, Speed: 8},
		"as fast as it can": {Loop: true},
	} {
		t.Run(name, func(t *testing.T) {
			drivertest.Run(t, func(t *testing.T) camdriver.Device { return open(t, o) }, drivertest.Options{Repeats: true})
		})
	}
}

// TestContractDB3 runs the contract test on recordings of librealsense 2.58 and of a
// proposed later version.
func TestContractDB3(t *testing.T) {
	for _, name := range []string{"sdk_formats_raw", "pr15556_formats_png"} {
		path := need.Bag(t, "db3/"+name+".db3")
		t.Run(name, func(t *testing.T) {
			drivertest.Run(t, func(t *testing.T) camdriver.Device {
				d, err := recorded.Open(path, recorded.Options{Loop: true})
				need.Must(t, err)
				t.Cleanup(func() { d.Close() })
				return d
			}, drivertest.Options{Repeats: true})
		})
	}
}

// log is a handler that logs its calls.
type log struct {
	mu     sync.Mutex
	lines  []string
	at     []time.Time // time of each line
	clock  camdriver.Clock
	ended  chan struct{}
	onLine func(n int)
}

func newLog(c camdriver.Clock) *log { return &log{clock: c, ended: make(chan struct{}, 10)} }

func (l *log) add(format string, args ...any) {
	l.mu.Lock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
	l.at = append(l.at, l.clock.Now())
	n := len(l.lines)
	l.mu.Unlock()
	if l.onLine != nil {
		l.onLine(n)
	}
}

func (l *log) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.lines
	l.lines, l.at = nil, nil
	return out
}

func (l *log) Frame(sensor int, f *camdriver.Frame) { l.add("%d %s %d", sensor, f.Stream(), f.Number) }
func (l *log) OptionChanged(sensor int, id camdriver.OptionID, v float32) {
	l.add("%d %s %g", sensor, id, v)
}
func (l *log) Notification(sensor int, n camdriver.Notification) { l.add("%d %s", sensor, n.Category) }
func (l *log) StatusChanged(s camdriver.Status) {
	l.add("%s", s.Kind)
	if s.Kind == camdriver.StatusEnded {
		l.ended <- struct{}{}
	}
}

// startAll starts every profile of every sensor.
func startAll(t testing.TB, d *recorded.Device, h camdriver.Handler) {
	t.Helper()
	for _, s := range d.Sensors() {
		need.Must(t, s.Start(s.Profiles(), h))
	}
}

// do executes a command. One that changes nothing is no error.
func do(t testing.TB, d *recorded.Device, c replay.Command) {
	t.Helper()
	if err := d.Do(t.Context(), c); err != nil && !errors.Is(err, replay.ErrNoChange) {
		t.Fatalf("%T: %v", c, err)
	}
}

// events returns the content of a file as lines of a log.
func events(t testing.TB, d *recorded.Device) (lines []string, times []time.Duration) {
	t.Helper()
	c := d.File().Cursor(rsbag.CursorOptions{})
	defer c.Close()
	for e, more := c.Next(); more; e, more = c.Next() {
		switch {
		case e.Frame != nil:
			lines = append(lines, fmt.Sprintf("%d %s %d", e.Sensor, e.Frame.Stream(), e.Frame.Number))
		case e.Option != nil:
			lines = append(lines, fmt.Sprintf("%d %s %g", e.Sensor, e.Option.ID, e.Option.Value))
		default:
			lines = append(lines, fmt.Sprintf("%d %s", e.Sensor, e.Notification.Category))
		}
		times = append(times, e.Time)
	}
	return lines, times
}

// TestAllOnce checks that every event is raised once and in order.
func TestAllOnce(t *testing.T) {
	d := open(t, recorded.Options{Paused: true})
	want, _ := events(t, d)
	l := newLog(camdriver.System{})
	startAll(t, d, l)
	do(t, d, replay.Resume{})
	<-l.ended
	got := l.take()
	if !slices.Equal(got, slices.Concat([]string{"streaming"}, want, []string{"ended"})) {
		t.Errorf("%d lines, want %d; first %q, last %q", len(got), len(want)+2, got[:3], got[len(got)-3:])
	}
	if s := d.Status(); s.State != replay.Finished || s.Position != d.Duration() {
		t.Errorf("status %+v", s)
	}
}

// TestRealTime checks in simulated time that every event is raised when it is due.
func TestRealTime(t *testing.T) {
	for _, speed := range []float64{1, 0.25, 10} {
		synctest.Test(t, func(t *testing.T) {
			d := open(t, recorded.Options{Clock: replay.NewTimers(), RealTime: true, Speed: speed, Paused: true})
			want, times := events(t, d)
			l := newLog(camdriver.System{})
			startAll(t, d, l)
			start := time.Now()
			do(t, d, replay.Resume{})
			<-l.ended
			for i, at := range times {
				due := time.Duration(float64(at) / speed)
				if got := l.at[i+1].Sub(start); got < due || got > due+time.Microsecond || l.lines[i+1] != want[i] {
					t.Fatalf("speed %g: %q at %v, want %q at %v", speed, l.lines[i+1], got, want[i], due)
				}
			}
			need.Must(t, d.Close())
		})
	}
}

// TestPauseLosesNothing pauses, resumes and changes speed at many points.
func TestPauseLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, recorded.Options{Clock: replay.NewTimers(), RealTime: true, Paused: true})
		want, _ := events(t, d)
		l := newLog(camdriver.System{})
		startAll(t, d, l)
		for i := range 60 {
			do(t, d, replay.Resume{})
			time.Sleep(time.Duration(i) * 777 * time.Microsecond)
			do(t, d, replay.Pause{})
			n := len(l.lines)
			time.Sleep(time.Second)
			if len(l.lines) != n {
				t.Fatal("event while paused")
			}
			do(t, d, replay.SetRate{Rate: 0.5 + float64(i%4)})
		}
		do(t, d, replay.Resume{})
		<-l.ended
		got := slices.DeleteFunc(l.take(), func(s string) bool { return s == "paused" || s == "streaming" || s == "ended" })
		if !slices.Equal(got, want) {
			t.Errorf("%d events, want %d", len(got), len(want))
		}
		need.Must(t, d.Close())
	})
}

// TestSeekPlaying checks that the next frame is the first at or after the target.
func TestSeekPlaying(t *testing.T) {
	d := open(t, recorded.Options{Paused: true})
	want, times := events(t, d)
	l := newLog(camdriver.System{})
	startAll(t, d, l)
	for _, i := range []int{0, 500, 100, len(want) - 1, 3} {
		do(t, d, replay.SeekOffset{Offset: times[i]})
		l.take() // raised by Seek while paused
		do(t, d, replay.Resume{})
		<-l.ended
		do(t, d, replay.SeekOffset{Offset: times[i]}) // at the end and not paused: plays from there
		<-l.ended
		got := l.take()
		tail := want[i+1:] // Seek raised the frame at the target
		full := want[i:]
		n := len(got) - len(full) - 2
		if n < 0 || got[0] != "streaming" || !slices.Equal(got[1+len(tail):2+len(tail)], []string{"ended"}) || !slices.Equal(got[1:1+len(tail)], tail) {
			t.Fatalf("event %d: resumed with %q", i, got[:min(4, len(got))])
		}
		if !slices.Equal(got[len(got)-1-len(full):len(got)-1], full) {
			t.Fatalf("event %d: seek while playing raised %d events", i, len(got))
		}
		do(t, d, replay.Pause{})
		l.take()
	}
}

// TestSeekPaused checks that Seek raises the last frame at or before the target of every
// stream, and Resume all frames after those.
func TestSeekPaused(t *testing.T) {
	d := open(t, recorded.Options{Paused: true})
	want, times := events(t, d)
	l := newLog(camdriver.System{})
	startAll(t, d, l)
	for _, at := range []time.Duration{0, 1061, 498617890, 498617889, 1995 * time.Millisecond / 2, d.Duration()} {
		do(t, d, replay.SeekOffset{Offset: at})
		shown := l.take()
		last := make(map[string]string) // the file's last frame of each stream
		var rest []string
		for i, w := range want {
			var sensor int
			var stream string
			var number uint64
			frame, _ := fmt.Sscan(w, &sensor, &stream, &number)
			switch {
			case times[i] > at || frame < 3 && times[i] == at:
				rest = append(rest, w)
			case frame == 3:
				last[stream] = w
			}
		}
		for _, w := range last {
			if !slices.Contains(shown, w) {
				t.Errorf("seek to %v: %q is missing in %q", at, w, shown)
			}
		}
		shown = slices.DeleteFunc(shown, func(s string) bool { return s == "2 Frames Queue Size 31" || s[:8] == "2 Frames" })
		if len(shown) != len(last) {
			t.Errorf("seek to %v: shown %q", at, shown)
		}
		do(t, d, replay.Resume{})
		<-l.ended
		if got := l.take(); !slices.Equal(got, slices.Concat([]string{"streaming"}, rest, []string{"ended"})) {
			t.Errorf("seek to %v: %d events after resume, want %d", at, len(got)-2, len(rest))
		}
		do(t, d, replay.Pause{})
		l.take()
	}
}

func TestSeekFrame(t *testing.T) {
	d := open(t, recorded.Options{Paused: true})
	l := newLog(camdriver.System{})
	startAll(t, d, l)
	depth := camdriver.DepthStream
	for _, n := range []uint64{150, 101, 159, 100} {
		need.Must(t, d.SeekFrame(t.Context(), depth, n))
		if got := l.take(); !slices.Contains(got, fmt.Sprintf("0 Depth_0 %d", n)) {
			t.Errorf("frame %d: %q", n, got)
		}
	}
	if err := d.SeekFrame(t.Context(), depth, 160); !errors.Is(err, camdriver.ErrNotFound) {
		t.Errorf("missing frame: %v", err)
	}
}

// TestOptionsFollow checks that options have the values at the position.
func TestOptionsFollow(t *testing.T) {
	d := open(t, recorded.Options{Paused: true})
	queue := func() float32 {
		for _, o := range d.Sensors()[2].Options() {
			if o.ID == camdriver.OptionFramesQueueSize {
				return o.Value
			}
		}
		return -1
	}
	first := queue()
	do(t, d, replay.SeekOffset{Offset: 1300 * time.Millisecond})
	second := queue()
	do(t, d, replay.SeekOffset{Offset: d.Duration()})
	third := queue()
	do(t, d, replay.SeekOffset{Offset: 0})
	if second != 31 || third != 0 || queue() != first {
		t.Errorf("%g, %g, %g, back at the start %g", first, second, third, queue())
	}
}

// TestLoop checks that arrival times never go back.
func TestLoop(t *testing.T) {
	d := open(t, recorded.Options{Loop: true})
	want, _ := events(t, d)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	frames := 0
	var last time.Time
	h := &frameFunc{f: func(f *camdriver.Frame) {
		if f.Arrival.Before(last) {
			t.Errorf("frame %d arrives before its predecessor", f.Number)
		}
		last = f.Arrival
		if frames++; frames == 3*1140 {
			cancel()
		}
	}}
	startAll(t, d, h)
	<-ctx.Done()
	if n := d.Status().Round; n < 2 || len(want) == 0 {
		t.Errorf("%d loops", n)
	}
	need.Must(t, d.Close())
}

type frameFunc struct {
	camdriver.NopHandler
	f func(*camdriver.Frame)
}

func (h *frameFunc) Frame(_ int, f *camdriver.Frame) { h.f(f) }

// TestDamage checks that unreadable messages are counted and don't stop recorded.
func TestDamage(t *testing.T) {
	d, err := recorded.Open(rig.CorruptChunks(t, filepath.Join(samples, "sw_small_lz4.bag")), recorded.Options{Paused: true})
	need.Must(t, err)
	defer d.Close()
	l := newLog(camdriver.System{})
	startAll(t, d, l)
	do(t, d, replay.Resume{})
	for <-l.ended; d.Status().State != replay.Finished; <-l.ended { // it ended before the last sensor started
	}
	if n, err := d.Damage(); n == 0 || err == nil || d.Status().State != replay.Finished {
		t.Errorf("after the end: %d damaged, %v, %+v", n, err, d.Status())
	}
}

func TestBadOptions(t *testing.T) {
	path := filepath.Join(samples, "sw_small_lz4.bag")
	if _, err := recorded.Open(path, recorded.Options{Speed: -1}); err == nil {
		t.Error("Open succeeded with negative speed")
	}
	if _, err := recorded.Open(samples, recorded.Options{}); err == nil {
		t.Error("Open succeeded for a folder")
	}
	d := open(t, recorded.Options{})
	if err := d.Do(t.Context(), replay.SetRate{}); err == nil {
		t.Error("SetSpeed(0) succeeded")
	}
	need.Must(t, d.Close())
	if err := d.Do(t.Context(), replay.Pause{}); !errors.Is(err, camdriver.ErrClosed) {
		t.Errorf("Pause after Close: %v", err)
	}
}

// TestGenuineD435 plays a recording of a camera from 2018.
func TestGenuineD435(t *testing.T) {
	d, err := recorded.Open(need.Bag(t, "public/d435_2018_v3.bag"), recorded.Options{Paused: true})
	need.Must(t, err)
	defer d.Close()
	l := newLog(camdriver.System{})
	startAll(t, d, l)
	do(t, d, replay.Resume{})
	<-l.ended
	want := []string{"streaming", "0 Depth_0 169", "1 Color_0 162", "0 Depth_0 170", "ended"}
	if got := l.take(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
