package d400

import "encoding/binary"

// The conversions below read src and write dst, which must not overlap; both are
// of the length that the number of pixels asks for (the caller has checked).

// splitY8I separates byte pairs left, right.
func splitY8I(left, right, src []byte) {
	n := min(len(src)/2, len(left), len(right))
	src, left, right = src[:2*n], left[:n], right[:n]
	i := 0
	// Four pixels at a time: one read, two writes.
	for ; i+4 <= n; i += 4 {
		v := binary.LittleEndian.Uint64(src[2*i:])
		binary.LittleEndian.PutUint32(left[i:], evenBytes(v))
		binary.LittleEndian.PutUint32(right[i:], evenBytes(v>>8))
	}
	for ; i < n; i++ {
		left[i], right[i] = src[2*i], src[2*i+1]
	}
}

// evenBytes packs bytes 0, 2, 4 and 6.
func evenBytes(v uint64) uint32 {
	v &= 0x00ff00ff00ff00ff
	v = (v | v>>8) & 0x0000ffff0000ffff
	return uint32(v | v>>16)
}

// splitY12I separates three bytes a pixel pair (right's low 8 bits; right's high
// 4 and left's low 4; left's high 8) into 16-bit grey. The camera fills 10 bits;
// the SDK widens them to 16 by repeating the upper ones, and so does this.
func splitY12I(left, right, src []byte) {
	n := min(len(src)/3, len(left)/2, len(right)/2)
	for i := range n {
		p := src[3*i : 3*i+3]
		r := uint16(p[0]) | uint16(p[1]&0x0f)<<8
		l := uint16(p[1])>>4 | uint16(p[2])<<4
		binary.LittleEndian.PutUint16(left[2*i:], widen10(l))
		binary.LittleEndian.PutUint16(right[2*i:], widen10(r))
	}
}

func widen10(v uint16) uint16 { return v<<6 | v>>4 }

// yuyvToRGB converts Y0 U Y1 V to RGB, uyvyToRGB U Y0 V Y1.
func yuyvToRGB(dst, src []byte) {
	n := min(len(src)/4, len(dst)/6)
	for i := range n {
		s, d := src[4*i:4*i+4:4*i+4], dst[6*i:6*i+6:6*i+6]
		twoPixels(d, int32(s[0]), int32(s[2]), int32(s[1]), int32(s[3]))
	}
}

func uyvyToRGB(dst, src []byte) {
	n := min(len(src)/4, len(dst)/6)
	for i := range n {
		s, d := src[4*i:4*i+4:4*i+4], dst[6*i:6*i+6:6*i+6]
		twoPixels(d, int32(s[1]), int32(s[3]), int32(s[0]), int32(s[2]))
	}
}

// twoPixels converts two luma values that share their chroma: BT.601, studio
// range, in 8-bit fixed point.
func twoPixels(d []byte, y0, y1, u, v int32) {
	u, v = u-128, v-128
	r := 409*v + 128
	g := -100*u - 208*v + 128
	b := 516*u + 128
	y0, y1 = 298*(y0-16), 298*(y1-16)
	d[0], d[1], d[2] = clamp8((y0+r)>>8), clamp8((y0+g)>>8), clamp8((y0+b)>>8)
	d[3], d[4], d[5] = clamp8((y1+r)>>8), clamp8((y1+g)>>8), clamp8((y1+b)>>8)
}

func clamp8(v int32) byte { return byte(min(max(v, 0), 255)) }
