package disk

import (
	"testing"
	"testing/synctest"
	"time"
)

// slowDisk takes a second for each write.
type slowDisk struct{ Disk }

func (slowDisk) Writev([][]byte, int64) error { time.Sleep(time.Second); return nil }

func (d slowDisk) Start(bufs [][]byte, off int64, done func(error)) {
	go func() { done(d.Writev(bufs, off)) }()
}

func (slowDisk) Allocate(int64) error { return nil }

// TestStopwatch: only waiting counts, once if it happens at the same time, and also while it goes on.
func TestStopwatch(t *testing.T) {
	for name, sink := range map[string]func() *Sink{
		"buffered": func() *Sink { return NewBuffered(slowDisk{}) },
		"direct":   func() *Sink { return NewDirect(slowDisk{}, Grain, nil) },
	} {
		synctest.Test(t, func(t *testing.T) {
			var w Stopwatch
			write := func(pieces int) {
				s := sink()
				s.Waits = &w
				for range pieces {
					if err := s.Append(nil, make([]byte, stagingSize), nil, nil); err != nil {
						t.Error(err)
					}
				}
				s.Intact() // waits for the writes past the page cache, which are at the same time
			}
			time.Sleep(time.Minute)
			if got := w.Total(); got != 0 {
				t.Errorf("%s: %v before any write", name, got)
			}
			write(1)
			if got := w.Total(); got != time.Second {
				t.Errorf("%s: %v after a write, want 1s", name, got)
			}
			go write(1)
			go write(1)
			time.Sleep(time.Second / 2)
			if got := w.Total(); got != 1500*time.Millisecond {
				t.Errorf("%s: %v during two writes, want 1.5s", name, got)
			}
			time.Sleep(time.Minute)
			if got := w.Total(); got != 2*time.Second {
				t.Errorf("%s: %v after two more, want 2s", name, got)
			}
		})
	}
}
