package model

import (
	"encoding/binary"
	"math"

	"rsros/camdriver"
)

// src and dst of the conversions must not overlap. Callers check their lengths.

// SplitY8I separates interleaved left and right bytes.
func SplitY8I(left, right, src []byte) {
	n := min(len(src)/2, len(left), len(right))
	src, left, right = src[:2*n], left[:n], right[:n]
	i := 0
	for ; i+4 <= n; i += 4 {
		v := binary.LittleEndian.Uint64(src[2*i:])
		binary.LittleEndian.PutUint32(left[i:], evenBytes(v))
		binary.LittleEndian.PutUint32(right[i:], evenBytes(v>>8))
	}
	for ; i < n; i++ {
		left[i], right[i] = src[2*i], src[2*i+1]
	}
}

// evenBytes returns bytes 0, 2, 4 and 6 of v.
func evenBytes(v uint64) uint32 {
	v &= 0x00ff00ff00ff00ff
	v = (v | v>>8) & 0x0000ffff0000ffff
	return uint32(v | v>>16)
}

// SplitY12I converts Y12I to 16-bit grey. Each pair of pixels has three bytes: right's low 8 bits; right's high 4 and
// left's low 4; left's high 8. The camera uses 10 bits, which are widened to 16 as in the SDK.
func SplitY12I(left, right, src []byte) {
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

// ConvertYUV converts two bytes a pixel to one of the SDK's formats. If swapped, chroma precedes luma.
func ConvertYUV(format camdriver.Format, dst, src []byte, swapped bool) {
	pixels := min(len(src)/2, len(dst)*8/max(format.BitsPerPixel(), 8))
	if format == camdriver.Y8 {
		luma := 0
		if swapped {
			luma = 1
		}
		for i := range pixels {
			dst[i] = src[2*i+luma]
		}
		return
	}
	yuvToRGB(dst[:3*pixels], src, swapped)
	if format == camdriver.BGR8 || format == camdriver.BGRA8 {
		for i := 0; i+3 <= 3*pixels; i += 3 {
			dst[i], dst[i+2] = dst[i+2], dst[i]
		}
	}
	if format == camdriver.RGBA8 || format == camdriver.BGRA8 {
		for i := pixels - 1; i >= 0; i-- { // from the end, because the pixels move apart
			p := dst[3*i : 3*i+3]
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(p[0])|uint32(p[1])<<8|uint32(p[2])<<16|0xff<<24)
		}
	}
}

// yuvToRGB converts Y0 U Y1 V, in BT.601 studio range, in the SDK's 8-bit fixed point. If
// swapped, chroma precedes luma.
func yuvToRGB(dst, src []byte, swapped bool) {
	level := levels()
	for ; len(src) >= 4 && len(dst) >= 6; src, dst = src[4:], dst[6:] {
		p := binary.LittleEndian.Uint32(src)
		if swapped {
			p = p>>8&0x00ff00ff | p<<8&0xff00ff00
		}
		y0, y1 := 298*(int32(p&0xff)-16), 298*(int32(p>>16&0xff)-16)
		u, v := int32(p>>8&0xff)-128, int32(p>>24)-128
		r, g, b := 409*v+128, 128-100*u-208*v, 516*u+128
		d := dst[:6:6]
		d[0], d[1], d[2] = level[uint32(y0+r)>>8&1023], level[uint32(y0+g)>>8&1023], level[uint32(y0+b)>>8&1023]
		d[3], d[4], d[5] = level[uint32(y1+r)>>8&1023], level[uint32(y1+g)>>8&1023], level[uint32(y1+b)>>8&1023]
	}
}

// levels returns a table that clamps -384 … 639 to 0 … 255, indexed by the value's low
// ten bits. A lookup is faster than two comparisons.
func levels() (level [1024]byte) {
	for v := range 640 {
		level[v] = byte(min(v, 255))
	}
	return level
}

// JoinY8I writes Y8I: pairs of left and right pixels.
func JoinY8I(dst, left, right []byte) {
	for i := range min(len(left), len(right), len(dst)/2) {
		dst[2*i], dst[2*i+1] = left[i], right[i]
	}
}

// ToYUY2 converts RGB to BT.601 studio range. Two pixels share their chroma.
func ToYUY2(dst, rgb []byte) {
	for i := 0; i+6 <= len(rgb) && i/3*2+4 <= len(dst); i += 6 {
		a, b := rgb[i:i+3], rgb[i+3:i+6]
		out := dst[i/3*2:]
		out[0], out[2] = lumaOf(a), lumaOf(b)
		red, green, blue := mean(a[0], b[0]), mean(a[1], b[1]), mean(a[2], b[2])
		out[1] = clampByte(128 - 0.148223*red - 0.290993*green + 0.439216*blue)
		out[3] = clampByte(128 + 0.439216*red - 0.367788*green - 0.071427*blue)
	}
}

func mean(a, b byte) float64 { return (float64(a) + float64(b)) / 2 }

func lumaOf(p []byte) byte {
	return clampByte(16 + 0.256788*float64(p[0]) + 0.504129*float64(p[1]) + 0.097906*float64(p[2]))
}

func clampByte(v float64) byte { return byte(math.Round(min(max(v, 0), 255))) }
