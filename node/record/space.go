package record

import (
	"path/filepath"
	"sync/atomic"
	"time"
)

// spaceEvery is the interval of checks of the disk's free space.
const spaceEvery = time.Second

// spaceGuard keeps a minimum of free disk space, as rosbag record does: below it messages
// are dropped until there is room again. It belongs to the writing goroutine, except low.
type spaceGuard struct {
	minimum int64                           // bytes; 0 disables the check
	free    func(dir string) (int64, error) // Free; tests have a disk of their own
	next    time.Time
	low     atomic.Bool
}

// check checks the disk of path if a check is due. It reports whether the free space has
// crossed the minimum since the last check.
func (g *spaceGuard) check(path string, now time.Time) (changed bool) {
	if g.minimum <= 0 || now.Before(g.next) {
		return false
	}
	g.next = now.Add(spaceEvery)
	free, err := g.free(filepath.Dir(path))
	if err != nil {
		return false // unknown free space: record until the disk is full
	}
	low := free < g.minimum
	return g.low.Swap(low) != low
}
