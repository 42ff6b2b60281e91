package node

import (
	"fmt"
	"maps"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/rsbag"
	"rsros/camdriver"
)

// RecordingReport is what a check of the RealSense layout found.
type RecordingReport struct {
	Version uint32   `json:"version"`       // of the layout; 0: the file doesn't say
	Notes   []string `json:"notes"`         // what is odd or missing
	Damaged uint64   `json:"damaged"`       // messages that don't fit their type
	Why     string   `json:"why,omitempty"` // what is wrong with the last of these
}

// CheckRecording looks at the RealSense layout of a bag and reads every frame;
// nil if it has none.
func CheckRecording(path string) (*RecordingReport, error) {
	bag, err := bagstore.Open(path, bagstore.OpenOptions{})
	if err != nil {
		return nil, err
	}
	if !rsbag.IsRecording(bag) {
		return nil, bag.Close()
	}
	f, err := rsbag.OpenBag(bag)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	missing, damaged, why, err := f.Gaps()
	// A chunk that can't be read is noted with each message that stood in it.
	rep := &RecordingReport{Version: f.Version(), Notes: slices.Compact(slices.Clone(f.Notes())), Damaged: damaged}
	if why != nil {
		rep.Why = why.Error()
	}
	byName := func(a, b camdriver.StreamID) int { return a.Index - b.Index + 8*(int(a.Kind)-int(b.Kind)) }
	for _, id := range slices.SortedFunc(maps.Keys(missing), byName) {
		if n := missing[id]; n > 0 {
			rep.Notes = append(rep.Notes, fmt.Sprintf("%v: the camera's numbers leave out %d frames", id, n))
		}
	}
	return rep, err
}

// IsRecording says whether a bag that can be read has the RealSense layout.
func IsRecording(path string) bool {
	bag, err := bagstore.Open(path, bagstore.OpenOptions{})
	if err != nil {
		return false
	}
	defer bag.Close() //nolint:errcheck // only read
	return rsbag.IsRecording(bag)
}

// RecordingSummary is the RealSense layout's part of what info says.
type RecordingSummary = rsbag.Summary

// SummarizeRecording sums up the RealSense layout of a bag; nil if it has none.
// With gaps every frame is read.
func SummarizeRecording(path string, gaps bool) (*RecordingSummary, error) {
	bag, err := bagstore.Open(path, bagstore.OpenOptions{})
	if err != nil {
		return nil, err
	}
	defer bag.Close() //nolint:errcheck // only read
	if !rsbag.IsRecording(bag) {
		return nil, nil
	}
	f, err := rsbag.OpenBag(bag)
	if err != nil {
		return nil, err
	}
	return f.Summary(gaps)
}
