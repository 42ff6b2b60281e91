package stamp

// Numbering converts the camera's 32-bit frame counters to increasing frame numbers,
// even if the camera restarts its counter.
type Numbering struct {
	number  uint64
	counter uint32
	started bool
	stamp   float64
}

// Next returns the number of the frame with the given counter; fresh is false for a
// duplicate. If counted is false, frames are numbered by arrival.
func (n *Numbering) Next(counter uint32, counted bool) (number uint64, fresh bool) {
	step := uint64(1)
	switch {
	case !counted:
		counter = n.counter + 1
	case !n.started:
		n.started = true
		if n.number == 0 {
			step = uint64(counter)
		}
	case counter == n.counter:
		return n.number, false
	default:
		if ahead := counter - n.counter; ahead < 1<<31 {
			step = uint64(ahead)
		}
	}
	n.counter = counter
	n.number += step
	return n.number, true
}

// Again prepares for a reconnected camera, whose counter and clock restart.
func (n *Numbering) Again() { n.started, n.stamp = false, 0 }

// Monotonic makes a stream's timestamps increase, even if the fit between the two clocks
// changed. If the host's clock was set back, they go back once.
func (n *Numbering) Monotonic(ms float64) float64 {
	const least = 0.001
	if ms <= n.stamp && n.stamp-ms < maxSlew/2 {
		ms = n.stamp + least
	}
	n.stamp = ms
	return ms
}

// Last returns the number of the last frame, or 0.
func (n *Numbering) Last() uint64 { return n.number }

// Rate returns the rate since the last frame, in frames per 1000 s as in the SDK. It must be called before Next and
// Monotonic.
func (n *Numbering) Rate(counter uint32, counted bool, stamp float64) (rate int64, ok bool) {
	frames := 1.
	if counted {
		frames = float64(int32(counter - n.counter))
	}
	if dt := stamp - n.stamp; n.number > 0 && n.stamp > 0 && frames > 0 && dt > 0 {
		return int64(1e6 * frames / dt), true
	}
	return 0, false
}
