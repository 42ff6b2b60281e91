package load

import (
	"runtime"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	for text, want := range map[string][2]uint64{
		"cpu  100 20 3 5000 600 7 8 9 50 10\ncpu0 1 1 1 1 1 1 1 1 1 1\n": {147, 5600},
		"cpu  100 20 3 5000 600 7 8\n":                                   {},
		"cpu  100 20 3 x 600 7 8 9\n":                                    {},
		"cpu0 1 1 1 1 1 1 1 1 1 1\n":                                     {},
		"":                                                               {},
	} {
		if busy, idle := parseStat(text); [2]uint64{busy, idle} != want {
			t.Errorf("%q: %d, %d, want %d", text, busy, idle, want)
		}
	}
}

func TestSince(t *testing.T) {
	start := Usage{At: time.Unix(100, 0), own: time.Second, busy: 100, idle: 1000}
	n := time.Duration(runtime.GOMAXPROCS(0))
	for name, c := range map[string]struct {
		later Usage
		want  float64
	}{
		"nothing is known":          {Usage{At: time.Unix(102, 0)}.plus(start), 0},
		"the machine is half busy":  {Usage{At: time.Unix(102, 0), busy: 100, idle: 100}.plus(start), 0.5},
		"all of what it may use":    {Usage{At: time.Unix(102, 0), own: 2 * n * time.Second, busy: 50, idle: 150}.plus(start), 1},
		"no time has passed":        {Usage{At: time.Unix(100, 0), own: n * time.Second}.plus(start), 0},
		"more than all is measured": {Usage{At: time.Unix(101, 0), own: 2 * n * time.Second}.plus(start), 1},
	} {
		if got := c.later.Since(start); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if got := Now(); got.busy == 0 || got.idle == 0 || got.own == 0 {
		t.Errorf("now: %+v", got)
	}
}

func (u Usage) plus(more Usage) Usage {
	return Usage{u.At, u.own + more.own, u.busy + more.busy, u.idle + more.idle}
}
