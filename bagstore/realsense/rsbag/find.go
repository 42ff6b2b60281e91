package rsbag

import (
	"time"

	"rsros/bagstore"
	"rsros/camdriver"
)

// Find returns the file time of the first frame of a stream whose number is at
// least number. Where a camera's counter started again in mid-file, it is the first frame of
// the file, or one with such a number whose predecessor's is lower.
//
// Numbers are in the frames, not in the index: one frame is read for the first half of the
// stream, one for the half of what is left, and so on.
func (f *File) Find(id camdriver.StreamID, number uint64) (time.Duration, error) {
	s := f.stream(id)
	if s == nil || s.frames == 0 {
		return 0, camdriver.ErrNotFound
	}
	c := f.Cursor(CursorOptions{FramesOnly: true, Streams: func(x camdriver.StreamID) bool { return x == id }})
	defer c.Close()
	times := f.newTrack(s.isData)
	defer times.close()
	// lo: times below have lower numbers. hi: a frame at or after it has the number.
	lo, hi := time.Duration(0), time.Duration(f.end)+1
	found := time.Duration(-1)
	if e, ok := c.Next(); ok && e.Frame.Number >= number {
		return e.Time, nil // nothing else needs to be looked at
	}
	for lo < hi {
		mid := lo + (hi-lo)/2
		if times.seek(bagstore.Time(mid)); !times.skip() || time.Duration(times.time()) >= hi {
			hi = mid // no frame is between the two
			continue
		}
		c.Seek(time.Duration(times.time()))
		e, ok := c.Next()
		if ok && e.Frame.Number < number {
			lo = e.Time + 1
			continue
		}
		hi = mid
		if ok {
			found = e.Time
		}
	}
	if found < 0 {
		return 0, camdriver.ErrNotFound
	}
	return found, nil
}

// Last returns the last frame of a stream at or before a file time. The caller
// releases it. ErrNotFound if there is none.
func (f *File) Last(id camdriver.StreamID, at time.Duration, base time.Time) (Event, error) {
	c := f.Cursor(CursorOptions{FramesOnly: true, Base: base, Streams: func(x camdriver.StreamID) bool { return x == id }})
	defer c.Close()
	c.Seek(min(at, time.Duration(bagstore.MaxTime)-1) + 1)
	e, ok := c.Prev()
	if !ok {
		return Event{}, camdriver.ErrNotFound
	}
	e.Frame.Retain()
	return e, nil
}
