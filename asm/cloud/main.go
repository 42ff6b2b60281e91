// Command cloud writes the assembly of package cloud for x86 processors with AVX2.
package main

import (
	"rsros/asm/gen"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// step is the size of a point in bytes.
const step = 20

func main() {
	xyz0 := GLOBL("xyz0", RODATA|NOPTR) // mask that clears the fourth number
	DATA(0, U64(^uint64(0)))
	DATA(8, U64(0xFFFFFFFF))
	places()
	own(xyz0)
	placed(xyz0)
	gen.Write("msgs/cloud", "avx2")
}

// colour reads three bytes into 0x00RRGGBB.
func colour(rgb []Register, at Register) GPVirtual {
	c := GP32()
	MOVBLZX(Mem{Base: rgb[0], Index: at, Scale: 1}, c)
	for _, channel := range rgb[1:] {
		next := GP32()
		MOVBLZX(Mem{Base: channel, Index: at, Scale: 1}, next)
		SHLL(Imm(8), c)
		ORL(next, c)
	}
	return c
}

// point writes a point, and returns a mask with all bits set if z > 0.
func point(to, xyz Register, mask Mem, zero VecVirtual, c GPVirtual) GPVirtual {
	p, z, there := XMM(), XMM(), GP64()
	VMOVUPS(Mem{Base: xyz}, p)
	VMOVSS(Mem{Base: xyz, Disp: 8}, z)
	VANDPS(mask, p, p)
	VMOVUPS(p, Mem{Base: to})
	MOVL(c, Mem{Base: to, Disp: 16})
	XORQ(there, there)
	VUCOMISS(zero, z)
	SETHI(there.As8())
	NEGQ(there)
	return there
}

// own packs points whose colours are the pixels in the same order.
func own(mask Mem) {
	gen.Func("ownAVX2", "func(to *byte, xyz *float32, rgb *[3]*byte, size, n int) (written int)",
		"ownAVX2 packs the points with z > 0 of n at to, and returns the number of bytes. The bytes of the",
		"pixels are at rgb, size bytes apart. It reads one number after the points, and writes one point",
		"after the last.")
	to, xyz := gen.Arg("to"), gen.Arg("xyz")
	rgb, size, n, at := gen.Pointers(gen.Arg("rgb"), 3), gen.Arg("size"), gen.Arg("n"), gen.Zero()
	pack("own", to, xyz, n, func(zero VecVirtual) GPVirtual {
		c := colour(rgb, at)
		ADDQ(size, at)
		return point(to, xyz, mask, zero, c)
	})
}

// pack makes n points. one makes a point and returns the mask that point does.
func pack(name string, to, xyz, n Register, one func(zero VecVirtual) GPVirtual) {
	zero, begin := XMM(), GP64()
	VXORPS(zero, zero, zero)
	MOVQ(to, begin)
	gen.Loop(name, n, func() {
		there := one(zero)
		ANDQ(Imm(step), there)
		ADDQ(there, to)
		ADDQ(Imm(12), xyz)
	})
	SUBQ(begin, to)
	Store(to, ReturnIndex(0))
	RET()
}

// placed packs points whose colours are at places.
func placed(mask Mem) {
	gen.Func("placedAVX2", "func(to *byte, xyz *float32, rgb *[3]*byte, places *int32, outside, n int) (written int)",
		"placedAVX2 is like ownAVX2, with colours at places after rgb. Points with a negative place are",
		"black if outside is -1, and omitted if it is 0.")
	to, xyz := gen.Arg("to"), gen.Arg("xyz")
	rgb, places := gen.Pointers(gen.Arg("rgb"), 3), gen.Arg("places")
	outside, n := gen.Arg("outside"), gen.Arg("n")
	pack("placed", to, xyz, n, func(zero VecVirtual) GPVirtual {
		at, seen := GP64(), GP64()
		MOVLQSX(Mem{Base: places}, at)
		ADDQ(Imm(4), places)
		MOVQ(at, seen)
		NOTQ(seen)
		SARQ(Imm(63), seen) // all bits set if the place is valid
		ANDQ(seen, at)
		c := colour(rgb, at)
		ANDL(seen.As32(), c)
		ORQ(outside, seen)
		there := point(to, xyz, mask, zero, c)
		ANDQ(seen, there)
		return there
	})
}

// places computes the offsets of points' colours in the texture.
func places() {
	gen.Func("placesAVX2", "func(places *int32, uv *float32, n int, size *[2]float32, bytes *[2]int32)",
		"placesAVX2 computes the byte offsets of n points, a multiple of 8, in a texture of this size,",
		"with bytes from pixel to pixel and row to row; -1 outside.")
	out, uv, n := gen.Arg("places"), gen.Arg("uv"), gen.Arg("n")
	size, bytes := gen.Arg("size"), gen.Arg("bytes")
	zero := YMM()
	VXORPS(zero, zero, zero)
	var sizes, steps [2]VecVirtual
	for axis := range 2 {
		sizes[axis], steps[axis] = YMM(), YMM()
		VBROADCASTSS(Mem{Base: size, Disp: 4 * axis}, sizes[axis])
		VPBROADCASTD(Mem{Base: bytes, Disp: 4 * axis}, steps[axis])
	}
	i := gen.Zero()
	Label("places")
	low, high, a, b := YMM(), YMM(), YMM(), YMM()
	VMOVUPS(Mem{Base: uv}, low)
	VMOVUPS(Mem{Base: uv, Disp: 32}, high)
	VPERM2F128(Imm(0x20), high, low, a)
	VPERM2F128(Imm(0x31), high, low, b)
	VSHUFPS(Imm(0x88), b, a, low)
	VSHUFPS(Imm(0xDD), b, a, high)
	inside, t, sum := YMM(), YMM(), YMM()
	for axis, at := range []VecVirtual{low, high} {
		if axis == 0 {
			VCMPPS(Imm(29), zero, at, inside) // not less, and a number
		} else {
			VCMPPS(Imm(29), zero, at, t)
			VANDPS(t, inside, inside)
		}
		VMULPS(sizes[axis], at, at)
		VCMPPS(Imm(17), sizes[axis], at, t) // less
		VANDPS(t, inside, inside)
		VCVTTPS2DQ(at, at)
		VPMULLD(steps[axis], at, at)
	}
	VPADDD(high, low, sum)
	VPCMPEQD(t, t, t)
	VPBLENDVB(inside, sum, t, sum)
	VMOVDQU(sum, Mem{Base: out, Index: i, Scale: 4})
	ADDQ(Imm(64), uv)
	gen.Next("places", i, n, 8)
	gen.Done()
}
