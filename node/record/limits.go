package record

import "time"

// limits say when a file of a recording is full. A limit of 0 is none.
type limits struct {
	size     int64 // bytes
	duration time.Duration
}

func (l limits) any() bool { return l.size > 0 || l.duration > 0 }

func (l limits) reached(size int64, d time.Duration) bool {
	return l.size > 0 && size >= l.size || l.duration > 0 && d >= l.duration
}
