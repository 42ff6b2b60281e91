package rsbag

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/test/need"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func label(e Event) string {
	switch {
	case e.Option != nil:
		return fmt.Sprint(e.Time, e.Sensor, *e.Option)
	case e.Notification != nil:
		return fmt.Sprint(e.Time, e.Sensor, e.Notification.Category)
	}
	return fmt.Sprint(e.Time, e.Sensor, e.Frame.Stream(), e.Frame.Number, e.Frame.Timestamp, len(e.Frame.Metadata))
}

func walk(t testing.TB, f *File) []string {
	t.Helper()
	c := f.Cursor(CursorOptions{})
	defer c.Close()
	var out []string
	for e, ok := c.Next(); ok; e, ok = c.Next() {
		out = append(out, label(e))
	}
	return out
}

// TestCursorLast finds each event from its time, and goes on from there.
func TestCursorLast(t *testing.T) {
	f := openSample(t, "sw_small_lz4")
	all := walk(t, f)
	if len(all) != 1140+2+2 {
		t.Fatalf("%d events", len(all))
	}
	c := f.Cursor(CursorOptions{})
	defer c.Close()
	at, ahead := f.Duration()+1, ""
	for i := len(all) - 1; i >= 0; i-- {
		e, ok := c.Last(at)
		if !ok || label(e) != all[i] {
			t.Fatalf("the last event before %v is %+v %v, want %s", at, e, ok, all[i])
		}
		at = e.Time
		for n := len(c.batch); n > 1; n-- {
			i-- // at the same time
		}
		if e, ok := c.Next(); ok != (ahead != "") || ok && label(e) != ahead {
			t.Fatalf("%+v %v comes after %v, want %s", e, ok, at, ahead)
		}
		ahead = all[i]
	}
	if e, ok := c.Last(at); ok {
		t.Errorf("%+v comes before the first event", e)
	}
}

// backward describes the last event of each instant, found from the end.
func backward(c *Cursor, text func(Event) string) (all string) {
	for e, ok := c.Last(math.MaxInt64); ok; e, ok = c.Last(e.Time) {
		all = text(e) + all
	}
	return all
}

// TestCursorLastDamaged finds the last frame before many that are damaged, and reads each of these once.
func TestCursorLastDamaged(t *testing.T) {
	const damaged = 50
	o := newOdd(t)
	o.image(1000, "Depth_0", 1)
	for i := range bagstore.Time(damaged) {
		o.add(2000+i, "/device_0/sensor_0/Depth_0/image/data", "sensor_msgs/Image", make([]byte, 7)) // torn
	}
	c := o.open().Cursor(CursorOptions{})
	defer c.Close()
	if e, ok := c.Last(math.MaxInt64); !ok || e.Frame == nil || e.Frame.Number != 1 {
		t.Errorf("found %+v %v", e, ok)
	}
	if n, err := c.Damaged(); n != damaged {
		t.Errorf("%d damaged: %v", n, err)
	}
}

func TestCursorSeek(t *testing.T) {
	f := openSample(t, "sw_small_raw")
	c := f.Cursor(CursorOptions{FramesOnly: true})
	defer c.Close()
	e, ok := c.Next()
	if !ok {
		t.Fatal("no frame")
	}
	first := e.Time
	for _, at := range []time.Duration{0, first, first + 1, time.Second, f.Duration(), f.Duration() + 1, -5} {
		c.Seek(at)
		e, ok := c.Next()
		if ok != (at <= f.Duration()) || ok && e.Time < at {
			t.Errorf("seek %v: %v %v", at, e.Time, ok)
		}
		p, before := c.Last(at)
		if before != (at > first) || before && (p.Time >= at || ok && p.Time >= e.Time) {
			t.Errorf("seek %v: before it %v %v", at, p.Time, before)
		}
	}
}

// TestFind looks up every frame number of a stream, and numbers between and beyond.
func TestFind(t *testing.T) {
	f := openSample(t, "sw_small_lz4")
	depth := camdriver.DepthStream
	for n := uint64(95); n < 165; n++ {
		at, err := f.Find(depth, n)
		if (err == nil) != (n < 160) {
			t.Fatalf("number %d: %v", n, err)
		}
		if err != nil {
			continue
		}
		e, err := f.Last(depth, at)
		if err != nil || e.Frame.Number != max(n, 100) || e.Time != at {
			t.Fatalf("number %d at %v: frame %d at %v, %v", n, at, e.Frame.Number, e.Time, err)
		}
		e.Frame.Release()
	}
	if _, err := f.Find(camdriver.StreamID{Kind: camdriver.Fisheye}, 1); err == nil {
		t.Error("found a frame of a stream that is not there")
	}
}

// TestOptionsAt follows an option that changes while recording.
func TestOptionsAt(t *testing.T) {
	f := openSample(t, "sw_small_pause")
	value := func(at time.Duration) float32 {
		for _, o := range f.OptionsAt(2, at) {
			if o.ID == camdriver.OptionFramesQueueSize {
				return o.Value
			}
		}
		return -1
	}
	first := value(0)
	if a, b := value(666935555), value(666935554); a != 31 || b != first {
		t.Errorf("before %g, at the change %g", b, a)
	}
	if a := value(time.Hour); a != 0 {
		t.Errorf("at the end %g", a)
	}
}

// TestGenuineD435 reads a real camera's recording from 2018.
func TestGenuineD435(t *testing.T) {
	f, err := Open(filepath.Join(bagsDir(t), "public", "d435_2018_v3.bag"), Options{})
	need.Must(t, err)
	defer f.Close()
	snap := f.Snapshot()
	if f.version != 3 || len(snap.Sensors) != 2 || camdriver.Find(snap.Info, camdriver.InfoName) != "Intel RealSense D435" {
		t.Errorf("version %d, %d sensors, %v", f.version, len(snap.Sensors), snap.Info)
	}
	if n := len(f.Notes()); n != 0 {
		t.Errorf("notes %q", f.Notes())
	}
	if s := snap.Sensors; s[0].Name != "Stereo Module" || len(s[0].Options) != 13 || len(s[1].Options) != 15 {
		t.Errorf("%s with %d options, %s with %d", s[0].Name, len(s[0].Options), s[1].Name, len(s[1].Options))
	}
	for _, s := range snap.Streams {
		if s.Video == nil || s.Extrinsic == nil || s.Profile.FPS == 0 {
			t.Errorf("%s: %+v", s.Profile, s)
		}
	}
	if got := walk(t, f); len(got) != 3 {
		t.Errorf("events %q", got)
	}
	e, err := f.Last(camdriver.DepthStream, time.Hour)
	need.Must(t, err)
	defer e.Frame.Release()
	if e.Frame.DepthUnits != 0.001 || len(e.Frame.Metadata) != 16 || len(e.Frame.Data) != e.Frame.Profile.FrameSize() {
		t.Errorf("frame %+v", e.Frame)
	}
}

// bagsDir is the folder of example bags that can't be part of the repository.
func bagsDir(t *testing.T) string {
	dir := os.Getenv("RS_BAGS")
	if dir == "" {
		need.Missing(t, "not here: example bags; RS_BAGS is unset")
	}
	if !filepath.IsAbs(dir) { // absolute in the Makefile
		dir = filepath.Join("../../..", dir)
	}
	return dir
}
