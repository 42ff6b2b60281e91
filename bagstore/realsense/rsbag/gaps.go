package rsbag

import (
	"rsros/bagstore"
	"rsros/camdriver"
)

// gaps reads frames and counts the missing frame numbers.
type gaps struct {
	f       *File
	cursor  *Cursor
	missing map[camdriver.StreamID]uint64
	last    map[camdriver.StreamID]uint64 // numbers
	next    frameNumber                   // read but not counted yet
	ended   bool
}

// frameNumber is the part of a frame that gaps needs.
type frameNumber struct {
	there  bool          // there is a frame
	time   bagstore.Time // in the file
	stream camdriver.StreamID
	number uint64
}

func (f *File) newGaps() *gaps {
	c := f.Cursor(CursorOptions{FramesOnly: true})
	return &gaps{f: f, cursor: c, missing: make(map[camdriver.StreamID]uint64), last: make(map[camdriver.StreamID]uint64)}
}

// read reads the frames before a file time.
func (g *gaps) read(until bagstore.Time) {
	for !g.ended {
		if !g.next.there {
			e, ok := g.cursor.Next()
			if !ok {
				g.ended = true
				return
			}
			g.next = frameNumber{true, bagstore.Time(e.Time), e.Frame.Stream(), e.Frame.Number}
		}
		n := g.next
		if n.time >= until {
			return
		}
		g.next.there = false
		if before, had := g.last[n.stream]; had && n.number > before+1 { // a smaller number: the counter began again
			g.missing[n.stream] += n.number - before - 1
		}
		g.last[n.stream] = n.number
	}
}

// Gaps reads every frame. It returns the number of frame numbers missing in each stream,
// the number of messages that couldn't be read, and the error of the last of these.
func (f *File) Gaps() (missing map[camdriver.StreamID]uint64, damaged uint64, why error) {
	g := f.newGaps()
	defer g.cursor.Close()
	g.read(bagstore.MaxTime + 1)
	damaged, why = g.cursor.Damaged()
	return g.missing, damaged, why
}
