package rsbag

import (
	"rsros/bagstore"
	"rsros/camdriver"
)

// gaps reads frames and counts those that are missing between their numbers.
type gaps struct {
	f       *File
	cursor  *Cursor
	missing map[camdriver.StreamID]uint64
	last    map[camdriver.StreamID]uint64 // numbers
	next    frameNumber                   // read and not counted yet, if there is one
	ended   bool
}

// frameNumber is what counts of a frame.
type frameNumber struct {
	there  bool
	time   bagstore.Time // in the file
	stream camdriver.StreamID
	number uint64
}

func (f *File) newGaps() *gaps {
	c := f.Cursor(CursorOptions{FramesOnly: true})
	return &gaps{f: f, cursor: c, missing: make(map[camdriver.StreamID]uint64), last: make(map[camdriver.StreamID]uint64)}
}

// read reads the frames from before a file time.
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

// Gaps reads every frame and counts, for each stream, the frames that are
// missing between their numbers, and the messages that could not be read; why
// says what is wrong with the last of these.
func (f *File) Gaps() (missing map[camdriver.StreamID]uint64, damaged uint64, why error) {
	g := f.newGaps()
	defer g.cursor.Close()
	g.read(bagstore.MaxTime + 1)
	damaged, why = g.cursor.Damaged()
	return g.missing, damaged, why
}
