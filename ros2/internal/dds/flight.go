package dds

import (
	"math/bits"
	"time"

	"rsros/ros2/internal/rtps"
)

// flight is what a reader got of a sample, and asks for again.
type flight struct {
	number int64
	n      int  // fragments
	sent   int  // of them for the first time
	tail   bool // what the reader last asked for was all that it missed
	again  int  // fragments that were sent again
	begin  time.Time
	at     []uint32 // when each fragment was sent last, in units of 100 µs after begin
	wants  []uint64 // bits of fragments that are to be sent again
	wanted int      // bits in wants
}

const unit = 100 * time.Microsecond

// newFlight begins a flight. Fragments are sent and wanted at no earlier time than now: at has no sign.
func newFlight(c *change, fragment int, now time.Time) *flight {
	n := max((c.size()+fragment-1)/fragment, 1)
	return &flight{number: c.number, n: n, tail: true, begin: now, at: make([]uint32, n), wants: make([]uint64, (n+63)/64)}
}

// units returns a time as at has it; a negative one is before begin.
func (f *flight) units(t time.Time) int64 { return int64(t.Sub(f.begin) / unit) }

// overtaken returns a time in units: what was sent until then is lost if a reader misses it, since a later fragment has
// arrived. It is -1 if nothing is known.
func (f *flight) overtaken(missing *rtps.Set) (limit int64) {
	limit = -1
	for i := range missing.N {
		if k := missing.Base - 1 + int64(i); !missing.Has(i) && k >= 0 && k < int64(f.sent) {
			limit = max(limit, int64(f.at[k])-1)
		}
	}
	return limit
}

// want marks fragments, of those that were sent until a time in units: others may be on the way. It returns how many.
func (f *flight) want(from, count int, limit int64) (marked int) {
	for i := from; i < min(from+count, f.sent); i++ {
		bit := uint64(1) << (i % 64)
		if int64(f.at[i]) <= limit && f.wants[i/64]&bit == 0 {
			f.wants[i/64] |= bit
			f.wanted++
			marked++
		}
	}
	return marked
}

func (f *flight) firstWanted() int {
	for i, word := range f.wants {
		if word != 0 {
			return i*64 + bits.TrailingZeros64(word)
		}
	}
	return 0
}

// run returns how many fragments, from an index on and at most limit, are to be sent: all that are new, or all that
// are wanted.
func (f *flight) run(from, limit int) int {
	if from >= f.sent {
		return min(limit, f.n-from)
	}
	n := 1
	for n < limit && from+n < f.sent && f.wants[(from+n)/64]&(1<<((from+n)%64)) != 0 {
		n++
	}
	return n
}

// mark accounts for fragments that are sent, and returns how many of them were sent before.
func (f *flight) mark(from, count int, now time.Time) (again int) {
	for i := from; i < from+count; i++ {
		f.at[i] = uint32(now.Sub(f.begin) / unit)
		if bit := uint64(1) << (i % 64); f.wants[i/64]&bit != 0 {
			f.wants[i/64] &^= bit
			f.wanted--
			again++
		}
	}
	f.sent = max(f.sent, from+count)
	f.again += again
	return again
}

// roundTrip estimates how long a reader takes to acknowledge, as TCP does.
type roundTrip struct {
	smooth, spread time.Duration
	timeout        time.Duration
}

func (t *roundTrip) measured(d time.Duration) {
	if t.smooth == 0 {
		t.smooth, t.spread = d, d/2
	} else {
		t.spread += ((t.smooth - d).Abs() - t.spread) / 4
		t.smooth += (d - t.smooth) / 8
	}
	t.timeout = min(max(t.smooth+4*t.spread, minTimeout), maxTimeout)
}
