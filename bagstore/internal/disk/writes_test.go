package disk

import (
	"errors"
	"testing"
)

// lateDisk ends writes when the test says.
type lateDisk struct {
	Disk
	done map[int64]func(error) // by offset
}

func (lateDisk) Allocate(int64) error { return nil }

func (d lateDisk) Start(_ [][]byte, off int64, done func(error)) { d.done[off] = done }

// TestFirstHole checks that of several failed writes the lowest counts, in whatever order they end: what is after it isn't
// intact.
func TestFirstHole(t *testing.T) {
	hole := errors.New("hole")
	for _, order := range [][]int64{{0, 100, 200, 300}, {300, 200, 100, 0}, {200, 300, 0, 100}} {
		d := lateDisk{done: make(map[int64]func(error))}
		w := &writes{d: d}
		w.over.L = &w.mu
		for off := int64(0); off < 400; off += 100 {
			w.start(nil, nil, off, off+100, nil)
		}
		for _, off := range order {
			switch off {
			case 0:
				d.done[off](nil)
			case 100:
				d.done[off](hole)
			default:
				d.done[off](errors.New("later"))
			}
		}
		if err := w.drain(); !errors.Is(err, hole) || w.failedAt != 100 {
			t.Errorf("in the order %v: %v at %d", order, err, w.failedAt)
		}
	}
}
