package rsbag

import (
	"iter"
	"time"

	"rsros/bagstore"
)

// Delays returns how much later than the earliest one each camera's file time 0 is. The Files are of one recording.
func Delays(files []*File) (list []time.Duration) {
	earliest := files[0].Shift()
	for _, f := range files {
		earliest = min(earliest, f.Shift())
	}
	for _, f := range files {
		list = append(list, time.Duration(f.Shift()-earliest))
	}
	return list
}

// Merge yields the events of a filter's time of several cameras of one recording, with the cursor's number, in the
// order of time. Times are those of the earliest camera's file. An event is valid until the next one.
func Merge(cursors []*Cursor, filter bagstore.Filter) iter.Seq2[int, Event] {
	return func(yield func(int, Event) bool) {
		var files []*File
		for _, c := range cursors {
			files = append(files, c.f)
		}
		delays, heads := Delays(files), make([]*Event, len(cursors)) // nil: the cursor is at its end
		advances := make([]func(), len(cursors))
		for i, c := range cursors {
			next, stop := iter.Pull(c.Part(filter))
			defer stop()
			advances[i] = func() {
				heads[i] = nil
				if e, ok := next(); ok {
					e.Time += delays[i]
					heads[i] = &e
				}
			}
			advances[i]()
		}
		for {
			first := -1
			for i, e := range heads {
				if e != nil && (first < 0 || e.Time < heads[first].Time) {
					first = i
				}
			}
			if first < 0 || !yield(first, *heads[first]) {
				return
			}
			advances[first]()
		}
	}
}
