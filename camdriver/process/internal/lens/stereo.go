package lens

// ToDisparity divides factor by each depth, except 0.
func ToDisparity(out []float32, in []uint16, factor float32) {
	out = out[:len(in)]
	n := whole(len(in))
	if n > 0 {
		toDisparityAVX2(&out[0], &in[0], n, &factor)
	}
	for x := n; x < len(in); x++ {
		if d := in[x]; d == 0 {
			out[x] = 0
		} else {
			out[x] = factor / float32(d)
		}
	}
}

// The range of positive normal float32 values.
const (
	smallestNormal = 0x1p-126
	maxFloat       = 0x1.fffffep127
)

// ToDepth divides factor by each disparity, rounded.
func ToDepth(out []uint16, in []float32, factor float32) {
	out = out[:len(in)]
	for len(in) > 0 {
		if n := whole(len(in)); n > 0 {
			n = toDepthAVX2(&out[0], &in[0], n, &factor)
			out, in = out[n:], in[n:]
		}
		n := min(lanes, len(in)) // some are not normal or out of range
		for x, p := range in[:n] {
			out[x] = depthOf(p, factor)
		}
		out, in = out[n:], in[n:]
	}
}

func depthOf(p, factor float32) uint16 {
	f := factor/p + 0.5
	if p >= smallestNormal && f < 1<<16 { // the usual case
		return uint16(int32(f))
	}
	if abs := max(p, -p); abs >= smallestNormal && abs <= maxFloat {
		return uint16(Truncated(f)) // as on x86
	}
	return 0
}
