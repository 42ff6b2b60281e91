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

// TestStep steps the host's clock while frames and samples arrive. Large steps are one jump of the frames' times, small ones
// are followed gradually; all other intervals are those of the frames.
func TestStep(t *testing.T) {
	const period = time.Second / 30
	start := time.Unix(1_700_000_000, 0)
	for _, step := range []time.Duration{-20 * time.Second, 20 * time.Second, -time.Hour, time.Hour, -90 * time.Millisecond, 90 * time.Millisecond} {
		var c Clock
		var n Numbering
		jumped, said, last, off := time.Duration(0), time.Duration(0), 0.0, 0.0
		host := func(at time.Duration) time.Time {
			if at > 30*time.Second {
				return start.Add(at + step)
			}
			return start.Add(at)
		}
		for at := time.Duration(0); at < time.Minute; at += period {
			us := uint32(at.Microseconds())
			if at%time.Second < period {
				const delay = 10 * time.Millisecond
				said += c.Add(us, host(at).Add(-delay), host(at).Add(delay))
			}
			global, _ := c.Global(us)
			ms := n.Monotonic(global)
			if interval := time.Duration((ms - last) * 1e6); last > 0 && (interval-period).Abs() > period/3 {
				if jumped != 0 {
					t.Fatalf("step %v: at %v, another interval of %v", step, at, interval)
				}
				jumped = interval - period
			}
			last, off = ms, ms-unixMS(host(at))
		}
		want := step
		if step.Abs() < 100*time.Millisecond {
			want = 0
		}
		if (jumped-want).Abs() > time.Millisecond || (said-want).Abs() > time.Millisecond {
			t.Errorf("step %v: times jumped by %v, and Add said %v", step, jumped, said)
		}
		if math.Abs(off) > 1 {
			t.Errorf("step %v: times are off by %.3f ms in the end", step, off)
		}
	}
}

// TestLateReadings checks that a reading that took long has no effect, and that a camera that has become slow is followed.
func TestLateReadings(t *testing.T) {
	var c Clock
	start := time.Unix(1_700_000_000, 0)
	for i := range 100 {
		at, delay := time.Duration(i)*time.Second, time.Millisecond
		if i%5 == 4 || i > 50 {
			delay = 300 * time.Millisecond
		}
		c.Add(uint32(at.Microseconds()), start.Add(at), start.Add(at+2*delay)) // the camera reads at once, replies late
		ms, _ := c.Global(uint32(at.Microseconds()))
		late := ms - unixMS(start.Add(at))
		if i <= 50 && late > 1.01 || late > 301 || i == 99 && late < 299 {
			t.Errorf("after %v, the time is late by %.3f ms", at, late)
		}
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
