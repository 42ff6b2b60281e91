// Command jpeg writes the assembly of package jpeg for x86 processors with AVX2.
//
// Operations have the order of the Go code and aren't fused, so that the results are identical to the last bit.
package main

import (
	"rsros/asm/gen"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	root, c6 := gen.Eight("root", F32(0.70710678)), gen.Eight("c6", F32(0.38268343))
	low, high := gen.Eight("low", F32(0.54119610)), gen.Eight("high", F32(1.30656296))
	middle := gen.Eight("middle", U32(128))
	order := gen.Numbers[U32]("order", 0, 4, 1, 5, 2, 6, 3, 7)
	transform(middle, order, [4]Mem{root, c6, low, high})
	gen.Write("msgs/jpeg", "avx2")
}

func transform(middle, order Mem, factors [4]Mem) {
	gen.Func("transformAVX2", "func(c *int32, samples *byte, stride int, scale *float32) (places uint64)",
		"transformAVX2 implements transform.")
	c, samples := gen.Arg("c"), gen.Arg("samples")
	stride, scale := gen.Arg("stride"), gen.Arg("scale")
	var rows [8]VecVirtual
	for y := range rows {
		rows[y] = YMM()
		VPMOVZXBD(Mem{Base: samples}, rows[y])
		VPSUBD(middle, rows[y], rows[y])
		VCVTDQ2PS(rows[y], rows[y])
		if y < 7 {
			ADDQ(stride, samples)
		}
	}
	rows = cosines(gen.Transposed(rows), factors)
	rows = cosines(gen.Transposed(rows), factors)
	for y, r := range rows {
		VMULPS(Mem{Base: scale, Disp: 32 * y}, r, r)
		VCVTPS2DQ(r, r) // nearest even
		VMOVDQU(r, Mem{Base: c, Disp: 32 * y})
	}
	Store(others(rows, order), ReturnIndex(0))
	gen.Done()
}

// others returns a mask of the numbers that aren't 0. It changes them.
func others(rows [8]VecVirtual, order Mem) GPVirtual {
	none, at := gen.Zeros(), YMM()
	VMOVDQU(order, at)
	mask := GP64()
	for i, half := range [2][]VecVirtual{rows[4:], rows[:4]} {
		for _, r := range half {
			VPCMPEQD(none, r, r)
		}
		VPACKSSDW(half[1], half[0], half[0])
		VPACKSSDW(half[3], half[2], half[2])
		VPACKSSWB(half[2], half[0], half[0])
		VPERMD(half[0], at, half[0]) // packing has separate halves
		if i == 0 {
			VPMOVMSKB(half[0], mask.As32())
			SHLQ(Imm(32), mask)
		} else {
			low := GP64()
			VPMOVMSKB(half[0], low.As32())
			ORQ(low, mask)
		}
	}
	NOTQ(mask)
	return mask
}

func result(of func(...Op), b Op, a VecVirtual) VecVirtual {
	r := YMM()
	of(b, a, r)
	return r
}

func add(a, b VecVirtual) VecVirtual            { return result(VADDPS, b, a) }
func sub(a, b VecVirtual) VecVirtual            { return result(VSUBPS, b, a) }
func times(a VecVirtual, factor Mem) VecVirtual { return result(VMULPS, factor, a) }

// cosines is the function of that name in package jpeg.
func cosines(a [8]VecVirtual, factors [4]Mem) [8]VecVirtual {
	root, c6, low, high := factors[0], factors[1], factors[2], factors[3]
	t0, t7 := add(a[0], a[7]), sub(a[0], a[7])
	t1, t6 := add(a[1], a[6]), sub(a[1], a[6])
	t2, t5 := add(a[2], a[5]), sub(a[2], a[5])
	t3, t4 := add(a[3], a[4]), sub(a[3], a[4])

	p, q, r, s := add(t0, t3), sub(t0, t3), add(t1, t2), sub(t1, t2)
	z := times(add(s, q), root)
	o0, o4, o2, o6 := add(p, r), sub(p, r), add(q, z), sub(q, z)

	p, q, r = add(t4, t5), add(t5, t6), add(t6, t7)
	z5 := times(sub(p, r), c6)
	z2, z4, z3 := add(times(p, low), z5), add(times(r, high), z5), times(q, root)
	u, v := add(t7, z3), sub(t7, z3)
	return [8]VecVirtual{o0, add(u, z4), o2, sub(v, z2), o4, add(v, z2), o6, sub(u, z4)}
}
