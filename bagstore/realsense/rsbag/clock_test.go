package rsbag

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"rsros/camdriver"
	"rsros/test/need"
)

// TestClockFit: offset and drift of a clock are found, whatever delays frames have.
func TestClockFit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(25, 4))
	start := time.Unix(1_700_000_000, 0)
	for _, c := range []struct {
		name            string
		seconds         int
		offset, drift   float64 // s; s in a second
		within, withinD float64
	}{
		{"short", 4, 5, 40e-6, 0.5e-3, 200e-6},
		{"a minute", 60, -3, -25e-6, 0.2e-3, 5e-6},
		{"ten minutes", 600, 1.7e9 - 1000, 12e-6, 0.2e-3, 0.5e-6},
	} {
		var k *clock
		for i := range c.seconds * 30 {
			sent := float64(i) / 30
			delay := 0.001 * rnd.ExpFloat64() // and now and then the host is busy
			if rnd.IntN(20) == 0 {
				delay += 0.05 * rnd.Float64()
			}
			f := &camdriver.Frame{Arrival: start.Add(time.Duration((sent + delay) * 1e9)), Domain: camdriver.HardwareClock}
			f.Timestamp = (float64(start.Unix()) - c.offset + sent*(1-c.drift)) * 1e3
			if k == nil {
				k = newClock(f)
			}
			k.frame(f)
		}
		got, ok := k.fit()
		if !ok || math.Abs(got.offset-c.offset) > c.within || math.Abs(got.drift-c.drift) > c.withinD {
			t.Errorf("%s: %v, want offset %v and drift %v", c.name, got, c.offset, c.drift)
		}
		if math.Abs(got.drift-c.drift) > 6*got.driftError || math.Abs(got.offset-c.offset) > 6*got.offsetError+0.2e-3 || len(k.points) > maxPoints {
			t.Errorf("%s: errors of %v are too small, or %d points too many", c.name, got, len(k.points))
		}
	}
}

// TestClockOdd: nothing is said without enough frames, and stamps may be anything.
func TestClockOdd(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	for name, stamps := range map[string][]float64{
		"none": {}, "two": {0, 1000}, "not a number": {math.NaN(), math.NaN(), math.NaN(), math.NaN()}, "infinite": {0, math.Inf(1), math.Inf(-1), 4000},
	} {
		k := newClock(&camdriver.Frame{Arrival: start})
		for i, stamp := range stamps {
			k.frame(&camdriver.Frame{Arrival: start.Add(time.Duration(i) * time.Second), Timestamp: stamp})
		}
		if fit, ok := k.fit(); ok {
			t.Errorf("%s: %v", name, fit)
		}
	}
}

var clockText = regexp.MustCompile(`^\S.*, offset -?\d+\.\d{6} s ± \d+\.\d{6} s, drift [+-]\d+\.\d{3} ppm ± \d+\.\d{3} ppm, over \d+ s$`)

// TestClocksStated: a recording and its summary state the clocks of sensors whose frames span some seconds.
func TestClocksStated(t *testing.T) {
	for _, seconds := range []int{1, 5} {
		path, snap := filepath.Join(t.TempDir(), "x.bag"), testSnapshot()
		r, err := NewRecorder(path, snap, RecorderOptions{Clocks: true})
		need.Must(t, err)
		for i := range seconds {
			for _, s := range snap.Streams {
				need.Must(t, r.Frame(s.Sensor, testFrame(s.Profile, i, testStart.Add(time.Duration(i)*time.Second))))
			}
		}
		f := written(t, r, path, 0)
		for i, s := range f.summary(false).Sensors {
			if clockText.MatchString(s.Clock) != (seconds > 2) {
				t.Errorf("%d s: clock of sensor %d is %q", seconds, i, s.Clock)
			}
		}
		if len(f.Notes()) != 0 {
			t.Errorf("notes %q", f.Notes())
		}
		if seconds > 2 {
			playable(t, path)
		}
	}
}
