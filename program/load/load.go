// Package load measures how busy the processors are. Its functions may be called from any goroutine.
package load

import (
	"runtime"
	"time"
)

// Usage is what the processors have done until a time.
type Usage struct {
	At         time.Time
	own        time.Duration // by this process, on all of them
	busy, idle uint64        // of all of the machine, in the system's unit; 0 if unknown
}

// Since returns the share, from 0 to 1, of the processors' time that was used since an earlier Usage: by the machine or, if that
// is more, by this process of those that it may use. It is 0 if it is unknown.
func (u Usage) Since(earlier Usage) (share float64) {
	if d := u.At.Sub(earlier.At); d > 0 {
		share = (u.own - earlier.own).Seconds() / d.Seconds() / float64(runtime.GOMAXPROCS(0))
	}
	if busy, idle := u.busy-earlier.busy, u.idle-earlier.idle; busy+idle > 0 {
		share = max(share, float64(busy)/float64(busy+idle))
	}
	return min(share, 1)
}
