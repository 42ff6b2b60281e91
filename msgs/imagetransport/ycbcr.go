package imagetransport

import "rsros/msgs/jpeg"

// JFIF's conversion from RGB in 16-bit fixed point.
const (
	lumaR, lumaG, lumaB = 19595, 38470, 7471
	blueR, blueG, blueB = -11059, -21709, 32768
	redR, redG, redB    = 32768, -27439, -5329
	half                = 1 << 15
)

// convert converts a colour image to planes with 4:2:0 subsampling, libjpeg's default.
func convert(m *jpeg.Planes, p *Image, l layout) {
	for y := 0; y < p.Height; y += 2 {
		below := min(y+1, p.Height-1)
		c := y / 2 * m.ColourStride
		convertRows(p.row(y, l), p.row(below, l), l,
			m.Y[y*m.Stride:][:p.Width], m.Y[below*m.Stride:][:p.Width],
			m.Cb[c:][:(p.Width+1)/2], m.Cr[c:][:(p.Width+1)/2])
	}
}

// convertRows converts two rows, which are the same for the last of an odd number.
func convertRows(top, bottom []byte, l layout, lumaTop, lumaBottom, cb, cr []byte) {
	r, g, b, n := l.rgb[0], l.rgb[1], l.rgb[2], l.pixel
	lumaBottom, cr = lumaBottom[:len(lumaTop)], cr[:len(cb)]
	for i := convertFast(top, bottom, l, lumaTop, lumaBottom, cb, cr); i < len(cb); i++ {
		left, right := 2*i, min(2*i+1, len(lumaTop)-1)
		p, q := top[left*n:][:n], top[right*n:][:n]
		s, t := bottom[left*n:][:n], bottom[right*n:][:n]
		pr, pg, pb := int32(p[r]), int32(p[g]), int32(p[b])
		qr, qg, qb := int32(q[r]), int32(q[g]), int32(q[b])
		sr, sg, sb := int32(s[r]), int32(s[g]), int32(s[b])
		tr, tg, tb := int32(t[r]), int32(t[g]), int32(t[b])
		lumaTop[left], lumaTop[right] = luma(pr, pg, pb), luma(qr, qg, qb)
		lumaBottom[left], lumaBottom[right] = luma(sr, sg, sb), luma(tr, tg, tb)
		red, green, blue := pr+qr+sr+tr, pg+qg+sg+tg, pb+qb+sb+tb
		cb[i] = chroma(blueR*red + blueG*green + blueB*blue)
		cr[i] = chroma(redR*red + redG*green + redB*blue)
	}
}

func luma(r, g, b int32) byte { return byte((lumaR*r + lumaG*g + lumaB*b + half) >> 16) }

// chroma returns the mean of four pixels from their sum.
func chroma(sum int32) byte { return byte(min((sum+128<<18+1<<17)>>18, 255)) }

// split converts a YUV image with BT.601's limited range to planes with full range.
func split(m *jpeg.Planes, p *Image, l layout) {
	place := l.rgb[0]
	for y := 0; y < p.Height; y += 2 {
		below := min(y+1, p.Height-1)
		top, bottom := p.row(y, l), p.row(below, l)
		lumaTop, lumaBottom := m.Y[y*m.Stride:][:p.Width], m.Y[below*m.Stride:][:p.Width]
		c := y / 2 * m.ColourStride
		cb, cr := m.Cb[c:][:p.Width/2], m.Cr[c:][:p.Width/2]
		for i := range cb {
			a, b := top[4*i:][:4], bottom[4*i:][:4]
			lumaTop[2*i], lumaTop[2*i+1] = fullLuma[a[place]], fullLuma[a[place+2]]
			lumaBottom[2*i], lumaBottom[2*i+1] = fullLuma[b[place]], fullLuma[b[place+2]]
			cb[i] = mean(fullChroma[a[1-place]], fullChroma[b[1-place]])
			cr[i] = mean(fullChroma[a[3-place]], fullChroma[b[3-place]])
		}
	}
}

func mean(a, b byte) byte { return byte((int(a) + int(b) + 1) / 2) }

// Tables from limited to full range: luma 16…235, chroma 16…240.
var fullLuma, fullChroma = ranges()

func ranges() (luma, colour [256]byte) {
	for i := range 256 {
		luma[i] = clip(((i-16)*510 + 219) / 438)
		colour[i] = clip((i-128)*255/224 + 128)
	}
	return luma, colour
}

func clip(v int) byte { return byte(min(max(v, 0), 255)) }

// rowYUV converts a row of 4:2:2 pixels to RGB. luma is the offset of the brightness in a pixel, 0 or 1.
func rowYUV(to, from []byte, luma int) {
	for ; len(from) >= 4 && len(to) >= 6; from, to = from[4:], to[6:] {
		u, v := from[1-luma], from[3-luma]
		to[0], to[1], to[2] = rgbOf(from[luma], u, v)
		to[3], to[4], to[5] = rgbOf(from[luma+2], u, v)
	}
}

// rgbOf converts BT.601 with limited range.
func rgbOf(y, u, v byte) (r, g, b byte) {
	c, d, e := 298*(int(y)-16)+128, int(u)-128, int(v)-128
	return clip((c + 409*e) >> 8), clip((c - 100*d - 208*e) >> 8), clip((c + 516*d) >> 8)
}
