package convert

import (
	"context"
	"iter"
	"slices"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
)

// lane is one camera of a recording on its way to the output. All cameras have one time line.
type lane struct {
	file  *rsbag.File
	out   target
	later time.Duration // of its file time 0 than the output's
	cur   *rsbag.Cursor
	next  func() (rsbag.Event, bool)
	stop  func()
	event rsbag.Event
	more  bool // event is one
}

// lanes returns a lane for each camera, without their outputs.
func lanes(files []*rsbag.File) (list []*lane) {
	earliest := slices.MinFunc(files, func(a, b *rsbag.File) int { return int(min(max(a.Shift()-b.Shift(), -1), 1)) })
	for _, f := range files {
		list = append(list, &lane{file: f, later: time.Duration(f.Shift() - earliest.Shift())})
	}
	return list
}

// merged yields the events of all lanes in the order of their times in the output. They are valid until the next one.
func merged(ctx context.Context, list []*lane, part bagstore.Filter) iter.Seq2[*lane, rsbag.Event] {
	return func(yield func(*lane, rsbag.Event) bool) {
		for _, l := range list {
			l.next, l.stop = iter.Pull(l.cur.Part(part))
			defer l.stop()
			l.advance()
		}
		for ctx.Err() == nil {
			var first *lane
			for _, l := range list {
				if l.more && (first == nil || l.event.Time < first.event.Time) {
					first = l
				}
			}
			if first == nil || !yield(first, first.event) {
				return
			}
			first.advance()
		}
	}
}

func (l *lane) advance() {
	if l.event, l.more = l.next(); l.more {
		l.event.Time += l.later
	}
}
