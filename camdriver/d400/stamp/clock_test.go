package stamp

import (
	"math"
	"testing"
	"time"
)

func TestUnwrap(t *testing.T) {
	var u unwrapped
	for _, step := range []struct {
		in   uint32
		want uint64
	}{
		{0xfffffff0, 0xfffffff0},
		{0xfffffff8, 0xfffffff8},
		{0x00000010, 0x1_00000010}, // wrapped
		{0xfffffffc, 0xfffffffc},   // of another stream, before the wrap
		{0x00000020, 0x1_00000020},
		{0x7fffffff, 0x1_7fffffff},
		{0xf0000000, 0x1_f0000000},
		{0x00000000, 0x2_00000000},
	} {
		if got := u.time(step.in); got != step.want {
			t.Errorf("%#x: %#x, want %#x", step.in, got, step.want)
		}
	}
}

// TestGlobalTime simulates a device clock with an offset, a drift and a wrap, and readings
// with varying delays.
func TestGlobalTime(t *testing.T) {
	var d Clock
	start := time.Unix(1_700_000_000, 0)
	const drift = 40e-6
	device := func(at time.Duration) uint32 {
		us := uint64(0xffff_0000) + uint64(float64(at.Microseconds())*(1+drift))
		return uint32(us)
	}
	if _, ok := d.Global(device(0)); ok {
		t.Error("global time before any sample")
	}
	last := 0.0
	for i := range 600 {
		at := time.Duration(i) * 100 * time.Millisecond
		delay := time.Millisecond + time.Duration(i*7919%13)*300*time.Microsecond
		d.Add(device(at), start.Add(at-delay), start.Add(at+delay))
		for k := range 10 { // frames
			frame := at + time.Duration(k)*10*time.Millisecond
			got, ok := d.Global(device(frame))
			want := unixMS(start.Add(frame))
			if !ok || math.Abs(got-want) > 6 || i > 50 && math.Abs(got-want) > 5 {
				t.Fatalf("at %v: error is %f ms", frame, got-want)
			}
			if got <= last {
				t.Fatalf("at %v: time went back by %f ms", frame, last-got)
			}
			last = got
		}
	}
	if n := d.Count(); n != Samples {
		t.Errorf("%d samples are kept of 600, want %d", n, Samples)
	}
	d.Reset()
	if _, ok := d.Global(0); ok {
		t.Error("global time after reset")
	}
}

func TestFitClock(t *testing.T) {
	line := fitClock([]clockSample{{0, 1e12}, {100, 1e12 + 100.01}, {200, 1e12 + 200.02}})
	if got := line.system(1000); math.Abs(got-1e12-1000.1) > 0.001 {
		t.Errorf("fit is %f at 1000", got-1e12)
	}
	// Two samples at nearly the same time don't determine the slope.
	line = fitClock([]clockSample{{0, 0}, {0.001, 5}})
	if line.slope != 1 {
		t.Errorf("slope %g", line.slope)
	}
}

func TestNumbering(t *testing.T) {
	n := &Numbering{}
	for _, step := range []struct {
		counter uint32
		want    uint64
		fresh   bool
	}{
		{0xfffffffe, 0xfffffffe, true},
		{0xffffffff, 0xffffffff, true},
		{1, 0x1_00000001, true}, // wrapped, one lost
		{1, 0x1_00000001, false},
		{4, 0x1_00000004, true},
		{2, 0x1_00000005, true}, // the camera restarts its counter
	} {
		if got, fresh := n.Next(step.counter, true); got != step.want || fresh != step.fresh {
			t.Errorf("counter %#x: %#x %v, want %#x %v", step.counter, got, fresh, step.want, step.fresh)
		}
	}
	n.Again()
	if got, fresh := n.Next(1, true); got != 0x1_00000006 || !fresh {
		t.Errorf("after a replug: %#x %v", got, fresh)
	}
	if a, b := n.Monotonic(5), n.Monotonic(4); b <= a {
		t.Errorf("time %f after %f", b, a)
	}
}

func FuzzGlobalTime(f *testing.F) {
	f.Add(uint32(0), uint32(1), int64(5))
	f.Add(uint32(0xffffffff), uint32(0), int64(-1))
	f.Fuzz(func(t *testing.T, a, b uint32, step int64) {
		var d Clock
		now := time.Unix(1_700_000_000, 0)
		for i := range 40 {
			d.Add(a+uint32(i)*b, now, now.Add(time.Duration(step%1_000_000_000)))
			now = now.Add(100 * time.Millisecond)
			if ms, ok := d.Global(a + uint32(i)*b); !ok || math.IsNaN(ms) || math.IsInf(ms, 0) {
				t.Fatalf("time %f", ms)
			}
		}
	})
}
