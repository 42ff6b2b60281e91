package record

import "time"

// limits determine when a file of a recording is full. 0 means no limit.
type limits struct {
	size     int64 // bytes
	duration time.Duration
}

func (l limits) any() bool { return l.size > 0 || l.duration > 0 }

func (l limits) reached(size int64, d time.Duration) bool {
	return l.size > 0 && size >= l.size || l.duration > 0 && d >= l.duration
}
