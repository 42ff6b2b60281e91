package sim

import "math"

// shade sets the brightness and tint of each pixel of a cast row.
func (r *raster) shade(y int, out *row) {
	v := float64(y)
	for lo := 0; lo < len(out.id); {
		id, hi := out.id[lo], lo+1
		for hi < len(out.id) && out.id[hi] == id {
			hi++
		}
		switch {
		case id == 0:
			clear(out.lum[lo:hi])
			clear(out.tint[lo:hi])
		case int(id) <= len(r.faces):
			r.shadeFace(v, &r.faces[id-1], out, lo, hi)
		default:
			r.shadeDisc(v, &r.discs[int(id)-len(r.faces)-1], out, lo, hi)
		}
		lo = hi
	}
	for i := range r.umbrae {
		r.umbrae[i].cast(y, out, 1)
	}
}

// shadeFace applies perspective texturing: surface coordinate = linear · depth. The lamp
// is brightest in the middle of a surface.
func (r *raster) shadeFace(v float64, f *face, out *row, lo, hi int) {
	s0, su := f.s.row(v)
	t0, tu := f.t.row(v)
	for x := lo; x < hi; x++ {
		z := 1 / out.inv[x]
		s := (float32(s0) + float32(su)*float32(x)) * z
		t := (float32(t0) + float32(tu)*float32(x)) * z
		grain := r.pattern(f.material, s, t, &out.tint[x])
		fade := max(1-0.075*(s*s+t*t), 0.45)
		out.lum[x] = grain * f.light * fade
	}
}

// shadeDisc lights a ball by its normal and maps the pattern onto it.
func (r *raster) shadeDisc(v float64, d *disc, out *row, lo, hi int) {
	var d0, du [3]float32
	for i := range 3 {
		a, b := r.d[i].row(v)
		d0[i], du[i] = float32(a), float32(b)
	}
	scale := float32(1 / d.radius)
	for x := lo; x < hi; x++ {
		z := 1 / out.inv[x]
		var n [3]float32
		for i := range 3 {
			n[i] = (float32(d.toCamera[i]) + z*(d0[i]+du[i]*float32(x))) * scale
		}
		lit := max(n[0]*float32(toLamp[0])+n[1]*float32(toLamp[1])+n[2]*float32(toLamp[2]), 0)
		grain := r.pattern(d.material, n[0]/4, n[1]/4, &out.tint[x])
		out.lum[x] = grain * (ambientLight + directLight*lit)
	}
}

// pattern sets the tint of a surface point (m from the surface's middle) and returns its grain, a factor near 1.
func (r *raster) pattern(m material, s, t float32, tint *uint8) float32 {
	const middle = 1 << 14 // keeps texel coordinates positive within ±32 m
	si, ti := uint32(s*texels+middle), uint32(t*texels+middle)
	*tint = m.tint + uint8((si>>m.shiftS^ti>>m.shiftT)&1)
	return float32(r.scene.grain[ti%grainSize*grainSize+si%grainSize]) * (1.0 / 128)
}

// look is the effect of options on images.
type look struct {
	gain       float32 // exposure times gain; 1 is the default
	offset     float32 // added to every value
	saturation float32 // 0 is grey, 1 is the default
	laser      float32 // projector; 0 is off, 1 is the default
}

// depthRow writes a row of Z16 as stereo imagers see it: noise grows with the square of depth, and a point has no depth
// if it is hidden from the right imager, too near or too far.
func (r *raster) depthRow(in *row, out []byte, noise []float32, deviation float32) {
	disparity := float32(r.in.Fx * baseline)
	seen := float32(len(in.inv)) // leftmost pixel of the right image so far
	for x := len(in.inv) - 1; x >= 0; x-- {
		inv := in.inv[x]
		at := float32(x) - disparity*inv
		mm := uint16(0)
		if at >= 0 && at < seen && inv > 1/maxDepth && inv < 1/minDepth {
			z := 1 / inv
			mm = uint16((z+noise[x]*deviation*z*z/disparity)*(1/depthUnits) + 0.5)
		}
		seen = min(seen, at)
		out[2*x], out[2*x+1] = byte(mm), byte(mm>>8)
	}
}

// projectorX is the x coordinate of the infrared projector in depth coordinates, m.
const projectorX = 0.029

// greyRow writes a row of an infrared image. offsetX is the x coordinate of the imager.
// Daylight is dim; the projector's dots fade with distance.
func (r *raster) greyRow(y int, in *row, out []byte, noise []float32, deviation float32, offsetX float64, k look) {
	dy := (float64(y) - r.in.Ppy) / r.in.Fy
	line := min(max(int(dy*dotsScale)+dotsHeight/2, 0), dotsHeight-1) * dotsWidth
	dots := r.scene.dots[line : line+dotsWidth]
	start := float32((dotsSpan - r.in.Ppx/r.in.Fx) * dotsScale)
	step, shift := float32(dotsScale/r.in.Fx), float32((offsetX-projectorX)*dotsScale)
	laser := k.laser * (170.0 / 255)
	for x := range out {
		inv := in.inv[x]
		light := float32(170)
		if at := int(start + step*float32(x) + shift*inv); uint(at) < dotsWidth {
			light += laser * float32(dots[at]) * min(2.5*inv*inv+0.15, 1.6)
		}
		out[x] = clamp(r.paint[in.tint[x]].ir*in.lum[x]*light + k.offset + noise[x]*deviation)
	}
}

// colorRow writes a row of RGB8.
func (r *raster) colorRow(in *row, out []byte, noise []float32, deviation float32, k look) {
	for x, lum := range in.lum {
		p, n := &r.paint[in.tint[x]], noise[x]*deviation+k.offset
		out[3*x] = clamp(p.r*lum + n)
		out[3*x+1] = clamp(p.g*lum + n)
		out[3*x+2] = clamp(p.b*lum + n)
	}
}

// clamp rounds towards 0. Integers are clamped faster than floats.
func clamp(v float32) byte { return byte(min(max(int32(v), 0), math.MaxUint8)) }

// paints returns the pixel values of tints in images with look k at full light.
func paints(tints []tint, k look) []tint {
	out := make([]tint, len(tints))
	for i, p := range tints {
		grey := (p.r + p.g + p.b) / 3
		vivid := func(c float32) float32 { return (grey + (c-grey)*k.saturation) * k.gain * 235 }
		out[i] = tint{vivid(p.r), vivid(p.g), vivid(p.b), p.ir * k.gain}
	}
	return out
}
