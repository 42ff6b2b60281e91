package record

import (
	"sync"
	"time"
)

// limiter allows one event in each period. It is for log lines that could
// otherwise be written for every frame.
type limiter struct {
	every time.Duration

	mu   sync.Mutex
	next time.Time
}

func (l *limiter) allow(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Before(l.next) {
		return false
	}
	l.next = now.Add(l.every)
	return true
}
