package smooth

// Fading are the parameters of the temporal filter.
type Fading struct {
	Alpha float32   // weight of the new value
	Delta float32   // least difference at an edge
	Phase uint8     // bit of this frame in a history, 0 … 7
	Rule  Histories // those with which holes are filled
	beta  float32   // 1 - Alpha
}

// fadeParameters are in the order of the assembly.
type fadeParameters struct {
	alpha, beta, high, low float32
	bit                    uint32
	rule                   Histories
}

// Histories is a set of histories.
type Histories [8]uint32

// Add adds a history.
func (s *Histories) Add(h uint8) { s[h/32] |= 1 << (h % 32) }

// Has reports whether a history is in the set.
func (s *Histories) Has(h uint8) bool { return s[h/32]>>(h%32)&1 != 0 }

// SetAlpha sets Alpha and 1 - Alpha.
func (t *Fading) SetAlpha(alpha float32) { t.Alpha, t.beta = alpha, 1-alpha }

// Depth filters a row of depth.
func (t *Fading) Depth(out, in, last []uint16, history []uint8) {
	bit, delta := uint8(1)<<t.Phase, uint16(t.Delta)
	out, last, history = out[:len(in)], last[:len(in)], history[:len(in)]
	for x, d := range in {
		before := last[x]
		switch {
		case d == 0:
			if before != 0 && t.Rule.Has(history[x]) {
				d = before
			}
			history[x] &^= bit
		case before != 0 && distance(d, before) < delta:
			d = uint16(int32(float32(t.Alpha*float32(d)) + float32(t.beta*float32(before))))
			last[x] = d
			history[x] |= bit
		default:
			last[x] = d
			history[x] = bit
		}
		out[x] = d
	}
}

// Disparity filters a row of disparity.
func (t *Fading) Disparity(out, in, last []float32, history []uint8) {
	bit, delta := uint8(1)<<t.Phase, t.Delta
	out, last, history = out[:len(in)], last[:len(in)], history[:len(in)]
	n := len(in) &^ (floatLanes - 1)
	if fast && n > 0 {
		p := fadeParameters{t.Alpha, t.beta, t.Delta, -t.Delta, uint32(bit), t.Rule}
		fadeAVX2(&out[0], &in[0], &last[0], &history[0], n, &p.alpha)
	} else {
		n = 0
	}
	for x := n; x < len(in); x++ {
		p, before := in[x], last[x]
		switch away := p - before; {
		case p == 0:
			if before != 0 && t.Rule.Has(history[x]) {
				p = before
			}
			history[x] &^= bit
		case before != 0 && away < delta && away > -delta:
			p = float32(t.Alpha*p) + float32(t.beta*before)
			last[x] = p
			history[x] |= bit
		default:
			last[x] = p
			history[x] = bit
		}
		out[x] = p
	}
}
