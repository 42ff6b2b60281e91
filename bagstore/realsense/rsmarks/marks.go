// Package rsmarks finds what users look for on the time line of a RealSense recording: lost frames,
// notifications and changes of options. It reads few frames: it bisects each stream by the numbers of frames.
package rsmarks

import (
	"cmp"
	"context"
	"slices"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
)

// MarkKind is the kind of a mark.
type MarkKind string

// The kinds of marks.
const (
	Loss         MarkKind = "loss"
	Notification MarkKind = "notification"
	Option       MarkKind = "option"
)

// Mark is something on the time line.
type Mark struct {
	Time   time.Duration // in the file; of a loss, the first frame after it, or the last known one before it
	Kind   MarkKind
	Stream camdriver.StreamID // of a loss
	Text   string             // one line for people, at most maxText characters
}

const (
	// maxText bounds what a file can put into a mark, in characters.
	maxText = 200
	// maxEvents bounds the marks that aren't losses, and maxRead the messages read for them.
	maxEvents = 500
	maxRead   = 10_000
)

// Find returns the marks of a recording in time order; if ctx ends, those found so far. A stream
// has at most some hundred marks: losses in many places and very many events are merged.
func Find(ctx context.Context, f *rsbag.File) []Mark {
	all := events(ctx, f)
	for _, s := range f.Snapshot().Streams {
		all = append(all, losses(ctx, f, s.Profile.Stream)...)
	}
	slices.SortStableFunc(all, func(a, b Mark) int { return cmp.Compare(a.Time, b.Time) })
	return all
}
