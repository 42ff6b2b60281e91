package rsbag

import (
	"time"

	"rsros/bagstore"
	"rsros/camdriver"
)

// Find returns the file time of the first frame of a stream whose number is at least number; if the
// camera's counter restarted, of one whose predecessor's number is lower. It bisects the stream,
// because numbers are in the frames only.
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

// Last returns the last frame of a stream up to a file time, or ErrNotFound. The caller releases
// it.
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
