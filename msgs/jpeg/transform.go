package jpeg

//go:generate go run -C ../../asm ./jpeg

import (
	"math"

	"golang.org/x/sys/cpu"
)

// fast enables the assembly. Tests disable it for comparison.
var fast = assembly && cpu.X86.HasAVX2

// coefficients are the quantized coefficients of a block in row order.
type coefficients [64]int32

// gain is the scale of the coefficients of a row or column that transform computes, without
// a factor of 8.
var gain = gains()

func gains() (g [8]float32) {
	g[0] = 1
	for k := 1; k < 8; k++ {
		g[k] = float32(math.Cos(float64(k)*math.Pi/16) * math.Sqrt2)
	}
	return g
}

// Adding magic rounds a float32 to the nearest integer, ties to even.
const (
	magic     = 3 << 22
	magicBits = 0x4B400000
)

// transform computes the discrete cosine transform of 8×8 samples by the algorithm of Arai,
// Agui and Nakajima, and quantizes it. Bit i of places is set if c[i] isn't 0.
func transform(c *coefficients, samples []byte, stride int, scale *[64]float32) (places uint64) {
	if fast {
		_ = samples[7*stride+7]
		return transformAVX2(&c[0], &samples[0], stride, &scale[0])
	}
	var f [64]float32
	for y := range 8 {
		s := (*[8]byte)(samples[y*stride:])
		r := (*[8]float32)(f[8*y:])
		for x := range r {
			r[x] = float32(int32(s[x]) - 128)
		}
		r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7] = cosines(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7])
	}
	for x := range 8 {
		d := f[x:]
		_ = d[56]
		d[0], d[8], d[16], d[24], d[32], d[40], d[48], d[56] = cosines(d[0], d[8], d[16], d[24], d[32], d[40], d[48], d[56])
	}
	for i, v := range &f {
		c[i] = int32(math.Float32bits(float32(v*scale[i])+magic)) - magicBits
		places |= uint64(uint32(c[i]|-c[i])>>31) << i
	}
	return places
}

// cosines transforms eight numbers.
func cosines(a, b, c, d, e, f, g, h float32) (o0, o1, o2, o3, o4, o5, o6, o7 float32) {
	const root, c6, low, high = 0.70710678, 0.38268343, 0.54119610, 1.30656296
	t0, t7, t1, t6 := a+h, a-h, b+g, b-g
	t2, t5, t3, t4 := c+f, c-f, d+e, d-e

	p, q, r, s := t0+t3, t0-t3, t1+t2, t1-t2
	z := float32((s + q) * root)
	o0, o4, o2, o6 = p+r, p-r, q+z, q-z

	p, q, r = t4+t5, t5+t6, t6+t7
	z5 := float32((p - r) * c6)
	z2, z4, z3 := float32(p*low)+z5, float32(r*high)+z5, float32(q*root)
	u, v := t7+z3, t7-z3
	return o0, u + z4, o2, v - z2, o4, v + z2, o6, u - z4
}
