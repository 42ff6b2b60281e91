package process

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

const ms = int64(time.Millisecond)

// event is a gyroscope or accelerometer sample or a reset: 'g', 'a' or 'r'. The values
// of a sample derive from its stamp.
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
		method UniteMethod
		events []event
		gyro   []float64 // x of the emitted samples
		accel  []float64 // x of the emitted samples
		drops  uint64
	}{
		"copy uses the last sample": {UniteCopy,
			[]event{{'g', 1}, {'a', 2}, {'g', 3}, {'g', 4}, {'a', 5}, {'g', 6}},
			[]float64{3, 4, 6}, []float64{20, 20, 50}, 1},
		"copy drops old stamps": {UniteCopy,
			[]event{{'a', 1}, {'g', 5}, {'g', 4}, {'g', 5}, {'g', 6}},
			[]float64{5, 6}, []float64{10, 10}, 2},
		"copy drops after a gap": {UniteCopy,
			[]event{{'a', 1}, {'g', 150}, {'g', 300}, {'a', 301}, {'g', 302}},
			[]float64{150, 302}, []float64{10, 3010}, 1},
		"interpolation": {UniteLinear,
			[]event{{'g', 0}, {'a', 10}, {'g', 10}, {'g', 12.5}, {'g', 15}, {'a', 20}},
			[]float64{10, 12.5, 15}, []float64{100, 125, 150}, 1},
		"later samples wait": {UniteLinear,
			[]event{{'a', 10}, {'g', 12}, {'g', 24}, {'a', 20}, {'g', 25}, {'a', 30}},
			[]float64{12, 24, 25}, []float64{120, 240, 250}, 0},
		"no interpolation over a gap": {UniteLinear,
			[]event{{'a', 10}, {'g', 12}, {'a', 500}, {'g', 501}, {'a', 502}},
			[]float64{501}, []float64{5010}, 1},
		"equal stamps": {UniteLinear,
			[]event{{'a', 10}, {'g', 12}, {'a', 10}, {'g', 12}, {'a', 20}},
			[]float64{12}, []float64{120}, 1},
		"seek back": {UniteLinear,
			[]event{{'a', 1000}, {'g', 1001}, {'r', 0}, {'a', 10}, {'g', 12}, {'a', 20}},
			[]float64{12}, []float64{120}, 0},
		"seek back without Reset": {UniteCopy,
			[]event{{'a', 1000}, {'g', 1001}, {'a', 10}, {'g', 12}},
			[]float64{1001, 12}, []float64{10000, 100}, 0},
		"restarted clock": {UniteLinear,
			[]event{{'a', 1000}, {'g', 1001}, {'a', 10}, {'g', 12}, {'a', 20}},
			[]float64{12}, []float64{120}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var gyro, accel []float64
			u := NewUniter(c.method, func(s UnitedSample) {
				if s.Stamp != int64(s.Gyro[0]*float64(ms)) || s.Gyro[2] != 1 || math.Abs(s.Accel[2]-9.8) > 1e-12 {
					t.Errorf("sample %+v", s)
				}
				gyro, accel = append(gyro, s.Gyro[0]), append(accel, math.Round(s.Accel[0]*1e6)/1e6)
			})
			feed(u, c.events...)
			if !slices.Equal(gyro, c.gyro) || !slices.Equal(accel, c.accel) || u.Dropped() != c.drops {
				t.Errorf("got gyro %v, accel %v and %d drops, want %v, %v and %d", gyro, accel, u.Dropped(), c.gyro, c.accel, c.drops)
			}
		})
	}
}

// TestStampsIncrease adds samples in random order.
func TestStampsIncrease(t *testing.T) {
	for _, m := range []UniteMethod{UniteCopy, UniteLinear} {
		r := rand.New(rand.NewPCG(7, 7))
		last, emitted := int64(math.MinInt64), uint64(0)
		u := NewUniter(m, func(s UnitedSample) {
			if s.Stamp <= last {
				t.Fatalf("%s: stamp %d after %d", m, s.Stamp, last)
			}
			last, emitted = s.Stamp, emitted+1
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
		if n := uint64(len(u.waiting)); emitted == 0 || emitted+u.Dropped()+n != gyros {
			t.Errorf("%s: %d emitted, %d dropped and %d waiting of %d", m, emitted, u.Dropped(), n, gyros)
		}
	}
}

func TestWaitingIsBounded(t *testing.T) {
	u := NewUniter(UniteLinear, func(UnitedSample) {})
	u.Accel(0, [3]float64{})
	for i := range int64(3 * maxWaiting) {
		u.Gyro(i, [3]float64{})
	}
	if len(u.waiting) != maxWaiting || u.Dropped() != 2*maxWaiting {
		t.Errorf("%d waiting, %d dropped; want %d and %d", len(u.waiting), u.Dropped(), maxWaiting, 2*maxWaiting)
	}
}
