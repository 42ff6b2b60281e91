package rsbag

import (
	"fmt"
	"maps"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/recording"
	"rsros/camdriver"
)

// CheckReport is what a check of the RealSense layout found.
type CheckReport struct {
	Version uint32   `json:"version"`       // of the layout; 0: the file doesn't say
	Notes   []string `json:"notes"`         // what is odd or missing
	Damaged uint64   `json:"damaged"`       // messages that don't fit their type
	Why     string   `json:"why,omitempty"` // what is wrong with the last of these
}

// Check looks at the RealSense layout of a bag and reads every frame;
// nil if it has none.
func Check(path string) (*CheckReport, error) {
	bag, err := recording.Open(path, bagstore.OpenOptions{Whole: true})
	if err != nil {
		return nil, err
	}
	defer bag.Close() //nolint:errcheck // only read
	if !IsRecording(bag) {
		return nil, nil
	}
	f, err := OpenBag(bag)
	if err != nil {
		return nil, err
	}
	missing, damaged, why, err := f.Gaps()
	// A chunk that can't be read is noted with each message in it.
	rep := &CheckReport{Version: f.Version(), Notes: slices.Compact(slices.Clone(f.Notes())), Damaged: damaged}
	if why != nil {
		rep.Why = why.Error()
	}
	for _, id := range slices.SortedFunc(maps.Keys(missing), camdriver.StreamID.Compare) {
		if n := missing[id]; n > 0 {
			rep.Notes = append(rep.Notes, fmt.Sprintf("%v: the camera's numbers leave out %d frames", id, n))
		}
	}
	return rep, err
}

// HasLayout reports whether a file is a bag that can be read and has the RealSense layout.
func HasLayout(path string) bool {
	bag, err := recording.Open(path, bagstore.OpenOptions{})
	if err != nil {
		return false
	}
	defer bag.Close() //nolint:errcheck // only read
	return IsRecording(bag)
}

// Summarize sums up the RealSense layout of a bag; nil if it has none.
// With gaps every frame is read.
func Summarize(path string, gaps bool) (*Summary, error) {
	bag, err := recording.Open(path, bagstore.OpenOptions{Whole: gaps})
	if err != nil {
		return nil, err
	}
	defer bag.Close() //nolint:errcheck // only read
	if !IsRecording(bag) {
		return nil, nil
	}
	f, err := OpenBag(bag)
	if err != nil {
		return nil, err
	}
	return f.Summary(gaps)
}
