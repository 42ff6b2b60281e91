// Package rssets reads the frames of a RealSense recording in sets, as the SDK's syncer matches them. Entries
// hold references to their frames, whose pixels are in the memory of the bag reader.
package rssets

import (
	"slices"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/camdriver/process"
)

// Options say what a Reader reads.
type Options struct {
	Streams func(camdriver.StreamID) bool // nil: all
	Rig     *process.Rig                  // of the recording
	Match   bool                          // frames are matched; otherwise each is a set of its own
}

// Reader reads the frames of a recording in sets, as the SDK's syncer matches them, in the order of time. A set has
// the time of its last frame. Sets do not depend on where reading begins. It is for one goroutine.
type Reader struct {
	cursor  *rsbag.Cursor
	rig     *process.Rig
	sync    *process.Syncer // nil: nothing is matched
	streams []camdriver.StreamID
	before  time.Duration // how far frames of a set may be apart
	from    time.Duration // where Seek went
	entries []*Entry      // in the order of the recording
	images  int           // of the entries
}

// Entry is a set, or a sample that is no image.
type Entry struct {
	At    time.Duration    // of the file
	Frame *camdriver.Frame // the set's last one, or the sample
	Set   process.Set      // empty for a sample
	state setState
}

type setState int

const (
	waits    setState = iota // for the frames of its set
	joined                   // belongs to the set of a later entry
	complete                 // is the last one of its set, or a sample
)

// mostImages bounds the images that wait for others of their sets.
const mostImages = 40

// NewReader returns a Reader at the start of a recording, which must stay open until Close.
func NewReader(file *rsbag.File, o Options) *Reader {
	cursor := file.Cursor(rsbag.CursorOptions{Streams: o.Streams})
	r := &Reader{cursor: cursor, rig: o.Rig}
	if !o.Match {
		return r
	}
	r.sync = process.NewSyncer()
	slowest := 0
	for _, s := range file.Streams() {
		id, fps := s.Profile.Stream, s.Profile.FPS
		if !id.Kind.Video() || s.Frames == 0 || o.Streams != nil && !o.Streams(id) {
			continue
		}
		r.streams = append(r.streams, id)
		if slowest == 0 || fps > 0 && fps < slowest {
			slowest = fps
		}
	}
	r.before = min(3*time.Second/2/time.Duration(max(slowest, 1)), time.Second)
	r.Seek(0)
	return r
}

// Seek goes to just before the first set or sample at or after a file time.
func (r *Reader) Seek(t time.Duration) {
	r.drop()
	r.from = t
	r.cursor.Seek(max(t-r.before, 0))
	if r.sync != nil {
		for _, id := range r.streams {
			r.sync.Expect(id)
		}
	}
}

// Close releases what was read.
func (r *Reader) Close() {
	r.drop()
	r.cursor.Close()
}

// Damaged returns the number of messages that can't be read, and the last one's error.
func (r *Reader) Damaged() (uint64, error) { return r.cursor.Damaged() }

func (r *Reader) drop() {
	if r.sync != nil {
		r.sync.Reset()
	}
	for _, e := range r.entries {
		e.Release()
	}
	r.entries, r.images = nil, 0
}

// Release releases an entry's frames.
func (e *Entry) Release() {
	e.Set.Release()
	e.Frame.Release()
}

// Next returns the next set or sample, which the caller releases. It returns false at the
// end and at damage; it may be called again after that.
func (r *Reader) Next() (*Entry, bool) {
	for {
		for len(r.entries) > 0 && r.entries[0].state != waits {
			e := r.entries[0]
			r.entries = slices.Delete(r.entries, 0, 1)
			if len(e.Set.Images) > 0 || e.state == joined {
				r.images--
			}
			if e.state == complete && e.At >= r.from {
				return e, true
			}
			e.Release()
		}
		e, ok := r.cursor.Next()
		switch {
		case ok && e.Frame != nil:
			r.add(e)
		case !ok:
			if len(r.entries) == 0 {
				return nil, false
			}
			r.flush()
		}
	}
}

func (r *Reader) add(e rsbag.Event) {
	one := &Entry{At: e.Time, Frame: e.Frame.Retain()}
	r.entries = append(r.entries, one)
	switch {
	case !e.Frame.Stream().Kind.Video():
		one.state = complete
	case r.sync == nil:
		r.makeSet(one)
		r.images++
	default:
		r.images++
		r.sync.Push(r.rig.Image(e.Frame.Retain()), r.emit)
		if r.images > mostImages {
			r.flush()
		}
	}
}

// makeSet makes a frame a set of its own.
func (r *Reader) makeSet(e *Entry) {
	e.Set.Add(r.rig.Image(e.Frame.Retain()))
	e.state = complete
}

// emit puts a set at its last frame's entry. The syncer has given up earlier frames of these streams that still wait.
func (r *Reader) emit(set *process.Set) {
	var last *Entry
	var met [mostImages]bool // the set's frame
	for _, e := range r.entries {
		if e.state != waits {
			continue
		}
		i := slices.IndexFunc(set.Images, func(img process.Image) bool { return img.Frame.Stream() == e.Frame.Stream() })
		switch {
		case i < 0 || i >= len(met) || met[i]:
		case set.Images[i].Frame == e.Frame:
			e.state, last, met[i] = joined, e, true
		default:
			r.makeSet(e)
		}
	}
	if last != nil {
		last.state = complete
		last.Set.Copy(set)
	}
}

// flush completes the sets of all waiting frames.
func (r *Reader) flush() {
	if r.sync != nil {
		r.sync.Flush(r.emit)
	}
	for _, e := range r.entries {
		if e.state == waits {
			r.makeSet(e)
		}
	}
}
