package record

import (
	"path/filepath"
	"sync/atomic"
	"time"
)

// spaceEvery is how often the free space of the disk is asked for.
const spaceEvery = time.Second

// spaceGuard keeps free what a recording must leave on its disk, as rosbag record
// does: below the minimum messages are dropped, and taken again when there is room.
// It belongs to the writing goroutine, but for low.
type spaceGuard struct {
	minimum int64                           // bytes; 0 disables the check
	free    func(dir string) (int64, error) // Free; tests have a disk of their own
	next    time.Time
	low     atomic.Bool
}

// check asks the disk of path if it is time to, and returns whether the free space
// has fallen below the minimum, or risen above it, since the check before.
func (g *spaceGuard) check(path string, now time.Time) (changed bool) {
	if g.minimum <= 0 || now.Before(g.next) {
		return false
	}
	g.next = now.Add(spaceEvery)
	free, err := g.free(filepath.Dir(path))
	if err != nil {
		return false // a file system that doesn't tell is written until it is full
	}
	low := free < g.minimum
	return g.low.Swap(low) != low
}
