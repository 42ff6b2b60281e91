package record

import "sync"

// lossCount counts what was lost before it arrived while it would have been recorded: its source counts without end, also
// during a pause. The zero value counts everything.
type lossCount struct {
	mu      sync.Mutex
	stopped bool
	at      uint64 // the source's number when counting stopped
	left    uint64 // what the source counted while counting was stopped
}

// run stops or continues counting, when the source has a number. It may be called twice.
func (l *lossCount) run(on bool, source uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if on == !l.stopped {
		return
	}
	l.stopped = !on
	if on {
		l.left += source - min(l.at, source)
	} else {
		l.at = source
	}
}

// read returns the number when the source has one.
func (l *lossCount) read(source uint64) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped {
		source = l.at
	}
	return source - min(l.left, source)
}
