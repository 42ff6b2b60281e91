// Package wake wakes a goroutine that waits for work.
package wake

// Signal wakes its receiver. Signals set while that is busy are kept as one.
type Signal chan struct{}

// New returns a signal that isn't set.
func New() Signal { return make(Signal, 1) }

// Set wakes the receiver. It never blocks.
func (s Signal) Set() {
	select {
	case s <- struct{}{}:
	default:
	}
}
