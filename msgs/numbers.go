package msgs

// Numbers counts missing numbers in the header.seq of a publisher's messages. The zero value is ready to use.
type Numbers struct {
	known bool // last is valid
	last  uint32
	steps uint64 // pairs of successive messages
	back  uint64 // pairs whose number doesn't increase
	ones  uint64 // pairs of consecutive numbers
	gaps  uint64 // missing numbers
}

// mostMissing is the largest gap that counts as a loss. A larger one is a jump, such as a seek in a bag.
const mostMissing = 1 << 20

// Next adds the number of the next message.
func (n *Numbers) Next(seq uint32) {
	step := seq - n.last // modulo 2³²
	if n.known {
		n.steps++
		switch {
		case step == 1:
			n.ones++
		case step == 0 || step > 1<<31: // restarts or doesn't count
			n.back++
		case step <= mostMissing:
			n.gaps += uint64(step - 1)
		}
	}
	n.known, n.last = true, seq
}

// Skip is Next for a message with an unknown number.
func (n *Numbers) Skip() { n.known = false }

// Missing returns the number of missing numbers, 0 if they show none (see Counts).
func (n *Numbers) Missing() uint64 {
	if !n.Counts() {
		return 0
	}
	return n.gaps
}

// Counts reports whether a gap in the numbers means a missing message. It doesn't if more than a quarter
// of the numbers don't increase, because the publisher doesn't count or interleaves series, and if fewer
// than 1 in 16 are consecutive, as with a node that relays every tenth message.
func (n *Numbers) Counts() bool { return 4*n.back <= n.steps && 16*n.ones >= n.steps }
