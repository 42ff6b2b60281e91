package replay

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"rsros/bagstore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	ms  = 1_000_000
	sec = 1_000_000_000

	bag0  = bagstore.Time(1000 * sec)   // first message of most bags here
	wall0 = Wall(2_000_000_000*sec + 7) // start time of tests
)

// TestTimeline checks the exact publish times and clock values for each control of the player. The bag
// has messages every 10 ms.
func TestTimeline(t *testing.T) {
	for _, c := range []struct {
		name   string
		n      int
		o      Settings
		script []scripted
		want   string
	}{
		{"rate 1", 3, Settings{}, nil, `
			+0s /a 0
			+10ms /a 1
			+20ms /a 2`},
		{"rate 4", 3, Settings{Rate: 4}, nil, `
			+0s /a 0
			+2.5ms /a 1
			+5ms /a 2`},
		{"rate 0.5", 3, Settings{Rate: 0.5}, nil, `
			+0s /a 0
			+20ms /a 1
			+40ms /a 2`},
		{"rate 3 rounds to the nanosecond", 3, Settings{Rate: 3}, nil, `
			+0s /a 0
			+3.333333ms /a 1
			+6.666667ms /a 2`},
		{"delay", 2, Settings{Delay: 200 * ms}, nil, `
			+200ms /a 0
			+210ms /a 1`},
		{"immediate", 3, Settings{Immediate: true, Rate: 1e-3}, nil, `
			+0s /a 0
			+0s /a 1
			+0s /a 2`},
		{"clock by its rate", 3, Settings{ClockHz: 250}, nil, `
			+0s clock 1000
			+0s /a 0
			+4ms clock 1000.004
			+8ms clock 1000.008
			+10ms /a 1
			+12ms clock 1000.012
			+16ms clock 1000.016
			+20ms clock 1000.02
			+20ms /a 2`},
		{"clock before messages", 3, Settings{ClockHz: 125, ClockPerMessage: true, Rate: 2}, nil, `
			+0s clock 1000
			+0s /a 0
			+5ms clock 1000.01
			+5ms /a 1
			+8ms clock 1000.016
			+10ms clock 1000.02
			+10ms /a 2`},
		{"clock of an immediate replay", 2, Settings{ClockHz: 100, Immediate: true}, nil, `
			+0s clock 1000
			+0s /a 0
			+0s clock 1000.01
			+0s /a 1`},
		{"clock of a bag with one message", 1, Settings{ClockHz: 100}, nil, `
			+0s clock 1000
			+0s /a 0`},
		{"pause and resume", 3, Settings{}, []scripted{{13 * ms, Pause{}}, {100 * ms, Resume{}}}, `
			+0s /a 0
			+10ms /a 1
			+107ms /a 2`},
		{"pause at rate 2", 3, Settings{Rate: 2}, []scripted{{7 * ms, Pause{}}, {100 * ms, Resume{}}}, `
			+0s /a 0
			+5ms /a 1
			+103ms /a 2`},
		{"clock while paused", 3, Settings{ClockHz: 100}, []scripted{{13 * ms, Pause{}}, {35 * ms, Resume{}}}, `
			+0s clock 1000
			+0s /a 0
			+10ms clock 1000.01
			+10ms /a 1
			+20ms clock 1000.013
			+30ms clock 1000.013
			+40ms clock 1000.018
			+42ms /a 2
			+42ms clock 1000.02`},
		{"step", 4, Settings{Paused: true}, []scripted{{5 * ms, StepMessage{}}, {6 * ms, StepMessage{}}, {50 * ms, Resume{}}}, `
			+5ms /a 0
			+6ms /a 1
			+60ms /a 2
			+70ms /a 3`},
		{"step with clock", 3, Settings{Paused: true, ClockHz: 10, ClockPerMessage: true},
			[]scripted{{5 * ms, StepMessage{}}, {6 * ms, StepMessage{}}, {7 * ms, StepMessage{}}}, `
			+0s clock 1000
			+5ms /a 0
			+6ms clock 1000.01
			+6ms /a 1
			+7ms clock 1000.02
			+7ms /a 2`},
		{"step while running does nothing", 2, Settings{}, []scripted{{5 * ms, StepMessage{}}}, `
			+0s /a 0
			+10ms /a 1`},
		{"rate change", 5, Settings{}, []scripted{{15 * ms, SetRate{2}}, {20 * ms, SetRate{0.5}}}, `
			+0s /a 0
			+10ms /a 1
			+17.5ms /a 2
			+30ms /a 3
			+50ms /a 4`},
		{"rate change while paused", 3, Settings{}, []scripted{{5 * ms, Pause{}}, {6 * ms, SetRate{5}}, {20 * ms, Resume{}}}, `
			+0s /a 0
			+21ms /a 1
			+23ms /a 2`},
		{"seek forward", 6, Settings{}, []scripted{{5 * ms, SeekBy{32 * ms}}}, `
			+0s /a 0
			+8ms /a 4
			+18ms /a 5`},
		{"seek back", 4, Settings{}, []scripted{{25 * ms, SeekTo{bag0.Add(10 * ms)}}}, `
			+0s /a 0
			+10ms /a 1
			+20ms /a 2
			+25ms /a 1
			+35ms /a 2
			+45ms /a 3`},
		{"seek while paused", 6, Settings{Paused: true}, []scripted{{5 * ms, SeekOffset{35 * ms}}, {6 * ms, StepMessage{}}, {7 * ms, SeekBy{-15 * ms}}, {8 * ms, Resume{}}}, `
			+6ms /a 4
			+13ms /a 3
			+23ms /a 4
			+33ms /a 5`},
		{"seek sets the clock at once", 6, Settings{ClockHz: 20}, []scripted{{5 * ms, SeekOffset{45 * ms}}}, `
			+0s clock 1000
			+0s /a 0
			+5ms clock 1000.045
			+10ms /a 5
			+10ms clock 1000.05`},
		{"seek beyond the ends stays inside", 3, Settings{}, []scripted{{5 * ms, SeekBy{-time.Hour}}, {6 * ms, SeekBy{time.Hour}}}, `
			+0s /a 0
			+5ms /a 0
			+6ms /a 2`},
		{"stop", 3, Settings{}, []scripted{{15 * ms, Stop{}}}, `
			+0s /a 0
			+10ms /a 1`},
		{"start and duration", 6, Settings{Start: moment("0.015"), Duration: 25 * ms}, nil, `
			+0s /a 2
			+10ms /a 3
			+20ms /a 4`},
		{"start before the first message", 6, Settings{Start: moment("-0.015"), Duration: 25 * ms}, nil, `
			+0s /a 0
			+10ms /a 1`},
		{"start and end", 6, Settings{Start: bagstore.MomentAt(bag0 + 20*ms), End: bagstore.MomentAt(bag0 + 30*ms)}, nil, `
			+0s /a 2
			+10ms /a 3`},
		{"keep alive", 2, Settings{KeepAlive: true, ClockHz: 100}, []scripted{{35 * ms, Stop{}}}, `
			+0s clock 1000
			+0s /a 0
			+10ms clock 1000.01
			+10ms /a 1
			+20ms clock 1000.02
			+30ms clock 1000.03
			+35ms clock 1000.035`},
		{"seek back from the end", 2, Settings{KeepAlive: true}, []scripted{{35 * ms, SeekOffset{0}}, {60 * ms, Stop{}}}, `
			+0s /a 0
			+10ms /a 1
			+35ms /a 0
			+45ms /a 1`},
		{"loop", 3, Settings{Loop: true, ClockHz: 1, ClockPerMessage: true}, []scripted{{45 * ms, Stop{}}}, `
			+0s clock 1000
			+0s /a 0
			+10ms clock 1000.01
			+10ms /a 1
			+20ms clock 1000.02
			+20ms /a 2
			+20ms clock 1000
			+20ms /a 0
			+30ms clock 1000.01
			+30ms /a 1
			+40ms clock 1000.02
			+40ms /a 2
			+40ms clock 1000
			+40ms /a 0
			+45ms clock 1000.005`},
		{"loop on one time line", 3, Settings{Loop: true, LoopMonotonic: true, ClockHz: 1, ClockPerMessage: true}, []scripted{{35 * ms, Stop{}}}, `
			+0s clock 1000
			+0s /a 0
			+10ms clock 1000.01
			+10ms /a 1
			+20ms clock 1000.02
			+20ms /a 2
			+20ms /a 0
			+30ms clock 1000.03
			+30ms /a 1
			+35ms clock 1000.035`},
		{"loop of one message doesn't spin", 1, Settings{Loop: true}, []scripted{{25 * ms, Stop{}}}, `
			+0s /a 0
			+10ms /a 0
			+20ms /a 0`},
		{"loop of one message on one time line", 1, Settings{Loop: true, LoopMonotonic: true, ClockHz: 1, ClockPerMessage: true, Rate: 2}, []scripted{{25 * ms, Stop{}}}, `
			+0s clock 1000
			+0s /a 0
			+10ms clock 1000.02
			+10ms /a 0
			+20ms clock 1000.04
			+20ms /a 0`},
		{"loop after the end", 2, Settings{KeepAlive: true}, []scripted{{35 * ms, SetLoop{true}}, {50 * ms, Stop{}}}, `
			+0s /a 0
			+10ms /a 1
			+35ms /a 0
			+45ms /a 1
			+45ms /a 0`},
		{"loop after the end, on one time line", 3, Settings{KeepAlive: true, LoopMonotonic: true, ClockHz: 1, ClockPerMessage: true},
			[]scripted{{50 * ms, SetLoop{true}}, {55 * ms, Stop{}}}, `
			+0s clock 1000
			+0s /a 0
			+10ms clock 1000.01
			+10ms /a 1
			+20ms clock 1000.02
			+20ms /a 2
			+50ms clock 1000.05
			+50ms /a 0
			+55ms clock 1000.055`},
		{"loop range", 6, Settings{LoopRange: &Range{15 * ms, 35 * ms}}, []scripted{{36 * ms, Stop{}}}, `
			+5ms /a 2
			+15ms /a 3
			+25ms /a 2
			+35ms /a 3`},
		{"loop range set while playing, then left", 6, Settings{}, []scripted{{25 * ms, SetRange{Range{15 * ms, 35 * ms}}}, {52 * ms, SetLoop{false}}}, `
			+0s /a 0
			+10ms /a 1
			+20ms /a 2
			+30ms /a 3
			+40ms /a 2
			+50ms /a 3
			+60ms /a 4
			+70ms /a 5`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.o, counting(t, c.n))
			for _, s := range c.script {
				r.at(s.after, s.c)
			}
			expect(t, r.run(t), c.want)
			if p := r.Problems(); len(p) > 0 {
				t.Errorf("problems %q", p)
			}
			if s := r.Status(); s.State != Finished || s.WorstLate != 0 {
				t.Errorf("status at the end: %+v", s)
			}
		})
	}
}
