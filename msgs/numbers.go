package msgs

// Numbers follows the numbers that a publisher gives its messages in header.seq, and counts
// those that are missing. The zero value has seen nothing.
type Numbers struct {
	known bool // last is a number
	last  uint32
	steps uint64 // pairs of successive messages
	back  uint64 // of them, those whose second number isn't the larger one
	ones  uint64 // those whose second number is the next one
	gaps  uint64 // numbers that were left out
}

// mostMissing is the largest gap that is taken for a loss. A larger one is another
// count: of a bag that is played from another place, say.
const mostMissing = 1 << 20

// Next takes the number of the next message.
func (n *Numbers) Next(seq uint32) {
	step := seq - n.last // modulo 2³², as the numbers are
	if n.known {
		n.steps++
		switch {
		case step == 1:
			n.ones++
		case step == 0 || step > 1<<31: // starts again, or doesn't count
			n.back++
		case step <= mostMissing:
			n.gaps += uint64(step - 1)
		}
	}
	n.known, n.last = true, seq
}

// Skip is Next for a message that is there and isn't read.
func (n *Numbers) Skip() { n.known = false }

// Missing is how many numbers were left out: 0 if they go back more often than in every
// fourth message, as those of a publisher that doesn't count, or that sends
// several series; and 0 if hardly any follows the one before, as where a node passes on
// every tenth message of another.
func (n *Numbers) Missing() uint64 {
	if 4*n.back > n.steps || 16*n.ones < n.steps {
		return 0
	}
	return n.gaps
}

// Settle is Missing, and forgets those that it returns.
func (n *Numbers) Settle() uint64 {
	missing := n.Missing()
	n.gaps = 0
	return missing
}
