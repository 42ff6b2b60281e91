package imu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

const ms = int64(time.Millisecond)

// feed gives samples: 'g' or 'a' with a stamp in ms, whose value is the stamp.
type event struct {
	kind byte
	ms   float64
}

func feed(u *Uniter, events ...event) {
	for _, e := range events {
		stamp := int64(e.ms * float64(ms))
		switch e.kind {
		case 'g':
			u.Gyro(stamp, [3]float64{e.ms, 0, 1})
		case 'a':
			u.Accel(stamp, [3]float64{10 * e.ms, -e.ms, 9.8})
		case 'r':
			u.Reset()
		}
	}
}

func TestUnite(t *testing.T) {
	for name, c := range map[string]struct {
		method Method
		events []event
		gyro   []float64 // what is given: the gyroscope's x …
		accel  []float64 // … and the accelerometer's
		left   uint64
	}{
		"copy takes the last": {Copy,
			[]event{{'g', 1}, {'a', 2}, {'g', 3}, {'g', 4}, {'a', 5}, {'g', 6}},
			[]float64{3, 4, 6}, []float64{20, 20, 50}, 1},
		"copy never goes back": {Copy,
			[]event{{'a', 1}, {'g', 5}, {'g', 4}, {'g', 5}, {'g', 6}},
			[]float64{5, 6}, []float64{10, 10}, 2},
		"copy takes nothing old": {Copy,
			[]event{{'a', 1}, {'g', 150}, {'g', 300}, {'a', 301}, {'g', 302}},
			[]float64{150, 302}, []float64{10, 3010}, 1},
		"between two": {Linear,
			[]event{{'g', 0}, {'a', 10}, {'g', 10}, {'g', 12.5}, {'g', 15}, {'a', 20}},
			[]float64{10, 12.5, 15}, []float64{100, 125, 150}, 1},
		"later ones wait": {Linear,
			[]event{{'a', 10}, {'g', 12}, {'g', 24}, {'a', 20}, {'g', 25}, {'a', 30}},
			[]float64{12, 24, 25}, []float64{120, 240, 250}, 0},
		"nothing over a gap": {Linear,
			[]event{{'a', 10}, {'g', 12}, {'a', 500}, {'g', 501}, {'a', 502}},
			[]float64{501}, []float64{5010}, 1},
		"the same time twice": {Linear,
			[]event{{'a', 10}, {'g', 12}, {'a', 10}, {'g', 12}, {'a', 20}},
			[]float64{12}, []float64{120}, 1},
		"after a seek back": {Linear,
			[]event{{'a', 1000}, {'g', 1001}, {'r', 0}, {'a', 10}, {'g', 12}, {'a', 20}},
			[]float64{12}, []float64{120}, 0},
		"a seek back that nobody said": {Copy,
			[]event{{'a', 1000}, {'g', 1001}, {'a', 10}, {'g', 12}},
			[]float64{1001, 12}, []float64{10000, 100}, 0},
		"a clock that began anew": {Linear,
			[]event{{'a', 1000}, {'g', 1001}, {'a', 10}, {'g', 12}, {'a', 20}},
			[]float64{12}, []float64{120}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var gyro, accel []float64
			u := New(c.method, func(s Sample) {
				if s.Stamp != int64(s.Gyro[0]*float64(ms)) || s.Gyro[2] != 1 || math.Abs(s.Accel[2]-9.8) > 1e-12 {
					t.Errorf("sample %+v", s)
				}
				gyro, accel = append(gyro, s.Gyro[0]), append(accel, math.Round(s.Accel[0]*1e6)/1e6)
			})
			feed(u, c.events...)
			if !slices.Equal(gyro, c.gyro) || !slices.Equal(accel, c.accel) || u.LeftOut() != c.left {
				t.Errorf("gave %v with %v and left out %d, want %v with %v and %d", gyro, accel, u.LeftOut(), c.gyro, c.accel, c.left)
			}
		})
	}
}

// However the samples arrive, stamps grow and what waits is bounded.
func TestStampsGrow(t *testing.T) {
	for _, m := range []Method{Copy, Linear} {
		r := rand.New(rand.NewPCG(7, 7))
		last, given := int64(math.MinInt64), uint64(0)
		u := New(m, func(s Sample) {
			if s.Stamp <= last {
				t.Fatalf("%s: %d after %d", m, s.Stamp, last)
			}
			last, given = s.Stamp, given+1
		})
		gyros := uint64(0)
		for i := range int64(20000) {
			stamp := i*ms + r.Int64N(20*ms)
			if r.IntN(3) == 0 {
				u.Accel(stamp, [3]float64{})
			} else {
				u.Gyro(stamp, [3]float64{})
				gyros++
			}
		}
		if n := uint64(len(u.waiting)); given == 0 || given+u.LeftOut()+n != gyros {
			t.Errorf("%s: %d given, %d left out and %d waiting of %d", m, given, u.LeftOut(), n, gyros)
		}
	}
}

func TestWaitingIsBounded(t *testing.T) {
	u := New(Linear, func(Sample) {})
	u.Accel(0, [3]float64{})
	for i := range int64(3 * maxWaiting) {
		u.Gyro(i, [3]float64{})
	}
	if len(u.waiting) != maxWaiting || u.LeftOut() != 2*maxWaiting {
		t.Errorf("%d wait, %d left out", len(u.waiting), u.LeftOut())
	}
}

func TestParseMethod(t *testing.T) {
	for s, want := range map[string]Method{"": None, "none": None, "copy": Copy, "linear_interpolation": Linear} {
		if m, err := ParseMethod(s); m != want || err != nil {
			t.Errorf("%q is %q (%v), want %q", s, m, err, want)
		}
	}
	if _, err := ParseMethod("Copy"); err == nil {
		t.Error("Copy was taken for copy")
	}
}
