package rsbag

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/recording"
	"rsros/camdriver"
)

// CheckReport is the result of checking the RealSense layout.
type CheckReport struct {
	Version uint32   `json:"version"`       // of the layout; 0: the file doesn't say
	Notes   []string `json:"notes"`         // what is odd or missing
	Missing uint64   `json:"missing"`       // numbers that the frames of all streams leave out
	Damaged uint64   `json:"damaged"`       // messages that don't match their type
	Why     string   `json:"why,omitempty"` // the error of the last of these
}

// Checker checks the layout by reading every frame, with Before in steps. It is for one goroutine.
type Checker struct {
	f       *File
	cursor  *Cursor
	missing map[camdriver.StreamID]uint64 // frame numbers
	last    map[camdriver.StreamID]uint64 // frame numbers
	next    Event                         // read but not counted yet, if it has a frame
	ended   bool
	others  []*Checker // of further devices
}

// NewChecker reads the descriptions of a recording's devices. The caller still owns the bag.
func NewChecker(bag *bagstore.Recording) (*Checker, error) {
	files, err := OpenAll("", Options{Bag: bag})
	if err != nil {
		return nil, err
	}
	c := files[0].checker()
	for _, f := range files[1:] {
		c.others = append(c.others, f.checker())
	}
	return c, nil
}

func (f *File) checker() *Checker {
	return &Checker{f: f, cursor: f.Cursor(CursorOptions{FramesOnly: true}),
		missing: make(map[camdriver.StreamID]uint64), last: make(map[camdriver.StreamID]uint64)}
}

// Before reads the frames before a time in the bag, none if the recording's times need repair.
func (c *Checker) Before(t bagstore.Time) {
	if s := c.f.segments; len(s) == 1 {
		c.read(t + s[0].shift)
	}
	for _, other := range c.others {
		other.Before(t)
	}
}

// read reads the frames before a file time, and counts the missing frame numbers.
func (c *Checker) read(until bagstore.Time) {
	for !c.ended {
		if c.next.Frame == nil {
			e, ok := c.cursor.Next()
			if c.ended = !ok; c.ended {
				return
			}
			c.next = e
		}
		if bagstore.Time(c.next.Time) >= until {
			return
		}
		id, number := c.next.Frame.Stream(), c.next.Frame.Number
		if before, had := c.last[id]; had && number > before+1 { // a smaller number: the counter began again
			c.missing[id] += number - before - 1
		}
		c.last[id], c.next = number, Event{}
	}
}

// Report reads the remaining frames and returns the report.
func (c *Checker) Report() *CheckReport {
	c.read(bagstore.MaxTime + 1)
	damaged, why := c.cursor.Damaged()
	// An unreadable chunk is noted for each message in it.
	rep := &CheckReport{Version: c.f.version, Notes: slices.Compact(slices.Clone(c.f.Notes())), Damaged: damaged}
	if why != nil {
		rep.Why = why.Error()
	}
	for _, id := range slices.SortedFunc(maps.Keys(c.missing), camdriver.StreamID.Compare) {
		rep.Missing += c.missing[id]
		rep.Notes = append(rep.Notes, fmt.Sprintf("%v: the camera's numbers leave out %d frames", id, c.missing[id]))
	}
	for _, other := range c.others {
		r := other.Report()
		rep.Missing, rep.Damaged, rep.Why = rep.Missing+r.Missing, rep.Damaged+r.Damaged, cmp.Or(rep.Why, r.Why)
		for _, note := range without(r.Notes, c.f.notes) {
			rep.Notes = append(rep.Notes, fmt.Sprintf("%s: %s", other.f.camera.Name, note))
		}
	}
	return rep
}

// without returns the notes that aren't those of the file, which all of its devices have.
func without(notes, known []string) []string {
	return slices.DeleteFunc(slices.Clone(notes), func(n string) bool { return slices.Contains(known, n) })
}

// Close ends the reading.
func (c *Checker) Close() {
	c.cursor.Close()
	for _, other := range c.others {
		other.Close()
	}
}

// Gaps reads every frame. It returns how many numbers each stream's frames leave out, how many
// messages couldn't be read, and the last one's error.
func (f *File) Gaps() (missing map[camdriver.StreamID]uint64, damaged uint64, why error) {
	c := f.checker()
	defer c.Close()
	c.read(bagstore.MaxTime + 1)
	damaged, why = c.cursor.Damaged()
	return c.missing, damaged, why
}

// HasLayout reports whether a file is a readable bag with the RealSense layout.
func HasLayout(ctx context.Context, path string) bool {
	bag, err := recording.Open(path, bagstore.OpenOptions{Context: ctx})
	if err != nil {
		return false
	}
	defer bag.Close() //nolint:errcheck // only read
	return IsRecording(bag)
}

// Summarize returns the summary of a recording, nil for other files. With gaps it reads every
// frame, and those of camera nodes, too.
func Summarize(bag *bagstore.Recording, gaps bool) (*Summary, error) {
	files, err := OpenAll("", Options{Bag: bag, CameraNodes: gaps})
	if errors.Is(err, ErrNoRecording) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := files[0].summary(gaps)
	for _, f := range files[1:] {
		other := f.summary(gaps)
		other.Notes = without(other.Notes, files[0].notes)
		s.Others = append(s.Others, other)
	}
	return s, nil
}
