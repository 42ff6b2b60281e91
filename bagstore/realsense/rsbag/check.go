package rsbag

import (
	"fmt"
	"maps"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/formats/recording"
	"rsros/camdriver"
)

// CheckReport is the result of checking the RealSense layout.
type CheckReport struct {
	Version uint32   `json:"version"`       // of the layout; 0: the file doesn't say
	Notes   []string `json:"notes"`         // what is odd or missing
	Damaged uint64   `json:"damaged"`       // messages that don't match their type
	Why     string   `json:"why,omitempty"` // the error of the last of these
}

// Checker checks the layout by reading every frame. Callers that read the bag themselves
// can check it in steps by calling Before. A Checker is for one goroutine.
type Checker struct{ gaps *gaps }

// NewChecker reads the description of a recording. The caller still owns the bag.
func NewChecker(bag *bagstore.Bag) (*Checker, error) {
	f, err := Open(bag.Path(), Options{Bag: bag})
	if err != nil {
		return nil, err
	}
	return &Checker{f.newGaps()}, nil
}

// Before reads the frames before a time in the bag. If the recording's times need repair,
// it reads none.
func (c *Checker) Before(t bagstore.Time) {
	if s := c.gaps.f.segments; len(s) == 1 {
		c.gaps.read(t + s[0].shift)
	}
}

// Report reads the remaining frames and returns the report.
func (c *Checker) Report() *CheckReport {
	g := c.gaps
	g.read(bagstore.MaxTime + 1)
	damaged, why := g.cursor.Damaged()
	// An unreadable chunk is noted for each message in it.
	rep := &CheckReport{Version: g.f.version, Notes: slices.Compact(slices.Clone(g.f.Notes())), Damaged: damaged}
	if why != nil {
		rep.Why = why.Error()
	}
	for _, id := range slices.SortedFunc(maps.Keys(g.missing), camdriver.StreamID.Compare) {
		if n := g.missing[id]; n > 0 {
			rep.Notes = append(rep.Notes, fmt.Sprintf("%v: the camera's numbers leave out %d frames", id, n))
		}
	}
	return rep
}

// Close ends the reading.
func (c *Checker) Close() { c.gaps.cursor.Close() }

// HasLayout reports whether a file is a readable bag with the RealSense layout.
func HasLayout(path string) bool {
	bag, err := recording.Open(path, bagstore.OpenOptions{})
	if err != nil {
		return false
	}
	defer bag.Close() //nolint:errcheck // only read
	return IsRecording(bag)
}

// Summarize returns the summary of a recording; nil if the bag doesn't have the RealSense
// layout. With gaps set it reads every frame.
func Summarize(path string, gaps bool) (*Summary, error) {
	bag, err := recording.Open(path, bagstore.OpenOptions{Whole: gaps})
	if err != nil {
		return nil, err
	}
	defer bag.Close() //nolint:errcheck // only read
	if !IsRecording(bag) {
		return nil, nil
	}
	f, err := Open(bag.Path(), Options{Bag: bag})
	if err != nil {
		return nil, err
	}
	return f.summary(gaps), nil
}
