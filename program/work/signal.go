package work

// Signal wakes its receiver. Signals set while that is busy are kept as one.
type Signal chan struct{}

// NewSignal returns a signal that isn't set.
func NewSignal() Signal { return make(Signal, 1) }

// Set wakes the receiver. It never blocks.
func (s Signal) Set() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// Closed reports whether a channel is closed. Nobody must send to it.
func Closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
