package record

import (
	"fmt"
	"math"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/program"
	"rsros/record/upload"
)

// Checks of the disk's free space: at least each spaceEvery, and when half of the bytes were written that were free
// above the minimum, but not more often than each spaceStep.
const (
	spaceEvery = time.Second
	spaceStep  = 1 << 20 // bytes
)

// spaceGuard keeps a minimum of free disk space, as rosbag record does, and a maximum of bytes that wait for upload:
// beyond them messages are dropped until there is room again. It belongs to the writing goroutine, except low.
type spaceGuard struct {
	minimum int64                           // bytes; 0 disables the check
	free    func(dir string) (int64, error) // Free; tests have a disk of their own
	uploads *upload.Queue
	what    string  // what the recording consists of
	ring    *series // shortened before anything is dropped; may be nil
	next    time.Time
	room    int64 // bytes until the next check
	awaits  bool  // the last check relied on space of removed files
	low     atomic.Bool
}

// check checks the disk of path if a check is due before size more bytes are written. It reports whether the free
// space has crossed the minimum since the last check.
func (g *spaceGuard) check(path string, size int, now time.Time) (changed bool) {
	g.room -= int64(size)
	full := g.room < 0 && !g.low.Load() // while it is low, nothing is written
	if g.minimum <= 0 && g.uploads == nil || now.Before(g.next) && !full {
		return false
	}
	g.next, g.room = now.Add(spaceEvery), math.MaxInt64
	low := g.uploads.Full()
	if !low && g.minimum > 0 {
		free, err := g.free(filepath.Dir(path))
		if err != nil {
			return false // unknown free space: record until the disk is full
		}
		// XFS frees removed files in the background: their space counts until the next check.
		missing := g.minimum - free
		for free < g.minimum && missing > 0 && g.ring != nil {
			size, ok := g.ring.shorten()
			if !ok {
				break
			}
			if free, err = g.free(filepath.Dir(path)); err != nil {
				return false
			}
			missing -= size
		}
		low = free < g.minimum && (missing > 0 || g.awaits)
		if g.awaits = free < g.minimum; !g.awaits {
			g.room = max((free-g.minimum)/2, spaceStep)
		}
		if !low && g.ring != nil {
			g.ring.lengthen()
		}
	}
	return g.low.Swap(low) != low
}

// left returns the free space of the disk of path in bytes, -1 if it is unknown. It may be called from any goroutine.
func (g *spaceGuard) left(path string) int64 {
	free, err := g.free(filepath.Dir(path))
	if err != nil {
		return -1
	}
	return free
}

// log says what has changed.
func (g *spaceGuard) log(l zerolog.Logger) {
	why := g.reason()
	switch {
	case why == "":
		l.Warn().Msg("the disk has room again: recording continues")
	case g.uploads.Full():
		l.Error().Int64("waiting_bytes", g.uploads.Status().Bytes).Msg(why)
	default:
		l.Error().Msg(why)
	}
}

// reason returns why messages are dropped; "" if none are. It may be called from any goroutine.
func (g *spaceGuard) reason() string {
	switch {
	case !g.low.Load():
		return ""
	case g.uploads.Full():
		return "upload backlog limit reached: " + g.what + " are dropped until some is uploaded"
	}
	text := "the disk is nearly full: " + g.what + " are dropped until there is room, as --min-space keeps " +
		program.SizeText(g.minimum) + " free"
	if g.ring != nil {
		if n := g.ring.keptFiles(); n > 0 {
			text += fmt.Sprintf("; the ring has nothing more to remove, and %d files that triggers keep stay", n)
		}
	}
	return text
}
