package rsbag

import (
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
)

// segment is a range of times in the bag that maps to file times. Undamaged files have one, with shift 0.
type segment struct {
	lo, hi bagstore.Time // in the bag, inclusive
	shift  bagstore.Time // file time = time in the bag + shift
}

const (
	// wrapPoint is what 0 ns becomes if a recorder wrote negative times: -1 ns became (2^64-1 ns) mod 2^32 s.
	wrapPoint bagstore.Time = 1_266_874_889_709_551_616
	// wrapRange is how far below zero a pause may have moved the times.
	wrapRange = bagstore.Time(24 * time.Hour)
	// wrapSlack allows for the rounding of such times in a float64.
	wrapSlack = bagstore.Time(time.Millisecond)
	// epochTimes is the least time that counts from 1970, not from a recording's start.
	epochTimes = 1_000_000_000 * bagstore.Time(100_000_000)
)

// findTimes maps the times of frames in the bag to file times, which start near 0.
func (f *File) findTimes() {
	first := earliest
	if f.textual {
		first = bagstore.MinTime
	}
	from, to, ok := f.dataRange(first, bagstore.MaxTime)
	if !ok {
		f.segments = []segment{{lo: earliest, hi: bagstore.MaxTime}}
		f.note("no frames")
		return
	}
	if f.textual && from < earliest { // a .db3 may begin with a frame at 0
		f.segments = []segment{{lo: bagstore.MinTime, hi: bagstore.MaxTime, shift: earliest - from}}
		f.first, f.end = from+f.segments[0].shift, to+f.segments[0].shift
		return
	}
	low, high := wrapPoint-wrapRange, wrapPoint+wrapSlack
	wrapped, _, isWrapped := f.dataRange(low, high)
	switch {
	case isWrapped:
		shift := firstFrame - wrapped // the earliest wrapped time comes first
		f.segments = []segment{{lo: wrapped, hi: high, shift: shift}, {lo: earliest, hi: low - 1, shift: wrapPoint + shift}}
		f.note("a recorder that was paused too early wrote times below zero, which wrapped to 2010; repaired by %v",
			time.Duration(f.segments[1].shift))
	case from >= epochTimes:
		f.segments = []segment{{lo: from, hi: bagstore.MaxTime, shift: firstFrame - from}}
		f.note("times are since 1970, not since the start; shifted to begin at 0")
	default:
		f.segments = []segment{{lo: earliest, hi: bagstore.MaxTime}}
	}
	f.first = max(from, f.segments[0].lo) + f.segments[0].shift
	last := f.segments[len(f.segments)-1]
	if _, t, ok := f.dataRange(last.lo, last.hi); ok {
		f.end = t + last.shift
	} else {
		f.end = to + f.segments[0].shift
	}
}

// dataRange returns the times of the first and the last frame in a range of times in the bag.
func (f *File) dataRange(lo, hi bagstore.Time) (from, to bagstore.Time, ok bool) {
	return f.ends(f.connections(rslayout.Topic.IsFrame), lo, hi)
}

func (f *File) ends(want func(*bagstore.Connection) bool, lo, hi bagstore.Time) (from, to bagstore.Time, ok bool) {
	v := f.bag.View(bagstore.Query{Connections: want, Start: lo, End: hi})
	from, begins := v.Start()
	to, ends := v.End()
	return from, to, begins && ends
}

// track visits messages of all segments in order of file time. Its position is between two messages.
type track struct {
	segments []segment
	its      []*bagstore.Iterator
	cur      int
	errs     int
	lost     uint64 // messages
	err      error  // the last damage that was skipped
}

func (f *File) newTrack(want func(*bagstore.Connection) bool) *track {
	return f.trackOf(f.segments, want)
}

func (f *File) trackOf(list []segment, want func(*bagstore.Connection) bool) *track {
	t := &track{segments: list}
	for _, s := range list {
		v := f.bag.View(bagstore.Query{Connections: want, Start: s.lo, End: s.hi})
		t.its = append(t.its, v.Iterator())
	}
	return t
}

// instant returns the segment of one file time. A track of it reads nothing ahead.
func (f *File) instant(at bagstore.Time) []segment {
	for _, s := range f.segments {
		if in := at - s.shift; in >= s.lo && in <= s.hi {
			return []segment{{lo: in, hi: in, shift: s.shift}}
		}
	}
	return f.segments
}

func (t *track) close() {
	for _, it := range t.its {
		it.Close()
	}
}

// seek moves to just before the first message at or after a file time.
func (t *track) seek(at bagstore.Time) {
	for i, s := range t.segments {
		if at <= s.hi+s.shift || i == len(t.segments)-1 {
			t.cur = i
			t.its[i].Seek(max(at-s.shift, s.lo))
			return
		}
	}
}

// maxErrors is the number of damaged places to skip before giving up.
const maxErrors = 1000

// next moves past the following message and reads it. It skips damaged messages.
func (t *track) next() bool { return t.move((*bagstore.Iterator).Next, +1) }

// skip is next without reading the message.
func (t *track) skip() bool { return t.move((*bagstore.Iterator).SkipNext, +1) }

// prev moves back past the preceding message and reads it. It skips damaged messages.
func (t *track) prev() bool { return t.move((*bagstore.Iterator).Prev, -1) }

func (t *track) move(step func(*bagstore.Iterator) bool, dir int) bool {
	for t.errs < maxErrors {
		if step(t.its[t.cur]) {
			return true
		}
		if err := t.its[t.cur].Err(); err != nil {
			t.err = err
			t.lost += bagstore.LostMessages(err)
			t.errs++
			continue
		}
		next := t.cur + dir
		if next < 0 || next == len(t.its) {
			return false
		}
		t.cur = next
		if dir > 0 {
			t.its[next].Seek(t.segments[next].lo)
		} else {
			t.its[next].SeekEnd()
		}
	}
	return false
}

func (t *track) message() bagstore.Message { return t.its[t.cur].Message() }

func (t *track) time() bagstore.Time { return t.message().Time + t.segments[t.cur].shift }

func (f *File) each(want func(rslayout.Topic) bool, q bagstore.Query, do func(rslayout.Topic, bagstore.Message)) {
	q.Connections = f.connections(want)
	v := f.bag.View(q)
	bad := 0
	for m, err := range v.Messages() {
		if err == nil {
			do(f.topics[m.Conn.ID], m)
			continue
		}
		f.note("%v", err)
		if bad++; bad == maxErrors {
			return
		}
	}
}

// count returns the number of messages of some connections, according to the index.
func (f *File) count(conns []uint32) uint64 {
	n := uint64(0)
	for _, id := range conns {
		n += f.counts[id]
	}
	return n
}
