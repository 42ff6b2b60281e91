package main

import (
	"rsros/asm/gen"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Byte offsets of the parameters, which fill a vector register each.
const (
	alpha  = 0 * 32
	beta   = 1 * 32
	half   = 2 * 32
	delta  = 3 * 32 // words: the largest difference to smooth along rows
	below  = 4 * 32 // the same along columns
	radius = 5 * 32
)

// mix blends 16 depths with the previous ones.
func mix(d, before, none VecVirtual, p Register) VecVirtual {
	var halves [2]VecVirtual
	for i, unpack := range []func(...Op){VPUNPCKLWD, VPUNPCKHWD} {
		a, b := YMM(), YMM()
		unpack(none, d, a)
		VCVTDQ2PS(a, a)
		VMULPS(Mem{Base: p, Disp: alpha}, a, a)
		unpack(none, before, b)
		VCVTDQ2PS(b, b)
		VMULPS(Mem{Base: p, Disp: beta}, b, b)
		VADDPS(b, a, a)
		VADDPS(Mem{Base: p, Disp: half}, a, a)
		VCVTTPS2DQ(a, a)
		halves[i] = a
	}
	VPACKUSDW(halves[1], halves[0], halves[0])
	return halves[0]
}

// near returns a mask of depths that differ by at most limit, and the differences.
func near(d, before, none VecVirtual, limit Mem) (is, away VecVirtual) {
	is, away = YMM(), YMM()
	VPSUBUSW(before, d, is)
	VPSUBUSW(d, before, away)
	VPOR(is, away, away)
	VPSUBUSW(limit, away, is)
	VPCMPEQW(none, is, is)
	return is, away
}

// step smooths the pixels at at and stores them in before, too.
type step func(at Mem, before, gap, none VecVirtual, p Register)

// line smooths n pixels after the first of 16 interleaved rows.
func line(name, doc string, do func() step) {
	gen.Func(name, "func(lanes *uint16, n int, p *float32)",
		name+" "+doc)
	at, n, p := gen.Arg("lanes"), gen.Arg("n"), gen.Arg("p")
	none, gap, before := gen.Zeros(), gen.Zeros(), YMM()
	one := do()
	move := func() { ADDQ(Imm(32), at) }
	if name == "backWordsAVX2" {
		move = func() { SUBQ(Imm(32), at) }
	}
	VMOVDQU(Mem{Base: at}, before)
	gen.Loop(name, n, func() {
		move()
		one(Mem{Base: at}, before, gap, none, p)
	})
	gen.Done()
}

func forth() step {
	return func(at Mem, before, gap, none VecVirtual, p Register) {
		d, hole := YMM(), YMM()
		VMOVDQU(at, d)
		VPCMPEQW(none, d, hole)
		is, away := near(d, before, none, Mem{Base: p, Disp: delta})
		VPCMPEQW(none, away, away) // equal
		VPANDN(is, away, is)
		smoothed(at, d, hole, is, before, gap, none, p)
	}
}

func back() step {
	one := YMM()
	VPCMPEQW(one, one, one)
	VPSRLW(Imm(15), one, one)
	return func(at Mem, before, gap, none VecVirtual, p Register) {
		d, hole := YMM(), YMM()
		VMOVDQU(at, d)
		VPSUBUSW(one, d, hole)
		VPCMPEQW(none, hole, hole)
		is, _ := near(d, before, none, Mem{Base: p, Disp: delta})
		smoothed(at, d, hole, is, before, gap, none, p)
	}
}

// smoothed blends depths with the previous ones if they are near, and fills holes.
func smoothed(at Mem, d, hole, is, before, gap, none VecVirtual, p Register) {
	unknown, either := YMM(), YMM()
	VPCMPEQW(none, before, unknown)
	VPOR(unknown, hole, either)
	VPANDN(is, either, is)
	VPAND(either, gap, gap)        // 0 where both are known
	VPANDN(hole, unknown, unknown) // holes after a known depth
	wide := YMM()
	VPSRLW(Imm(15), unknown, wide)
	VPADDUSW(wide, gap, gap)
	VMOVDQU(Mem{Base: p, Disp: radius}, wide)
	VPSUBUSW(gap, wide, wide)
	VPCMPEQW(none, wide, wide)
	VPANDN(unknown, wide, unknown) // those that aren't too wide
	VPBLENDVB(is, mix(d, before, none, p), d, d)
	VPBLENDVB(unknown, before, d, before)
	VMOVDQU(before, at)
}

// columns smooths n rows by the previous ones.
func columns(name, doc string, known bool) {
	gen.Func(name, "func(row *uint16, stride, n, columns int, p *float32)",
		name+" "+doc, "It doesn't change the first row.")
	row, stride, n := gen.Arg("row"), gen.Arg("stride"), gen.Arg("n")
	width, p := gen.Arg("columns"), gen.Arg("p")
	none := gen.Zeros()
	gen.Loop(name, n, func() {
		last, i := GP64(), GP64()
		MOVQ(row, last)
		ADDQ(stride, row)
		XORQ(i, i)
		Label(name + "Columns")
		d, before := YMM(), YMM()
		at := Mem{Base: row, Index: i, Scale: 2}
		VMOVDQU(at, d)
		VMOVDQU(Mem{Base: last, Index: i, Scale: 2}, before)
		is, away := near(d, before, none, Mem{Base: p, Disp: below})
		if known {
			VPMINUW(d, before, away)
			VPCMPEQW(none, away, away)
			VPANDN(is, away, is)
		}
		VPBLENDVB(is, mix(d, before, none, p), d, d)
		VMOVDQU(d, at)
		gen.Next(name+"Columns", i, width, 16)
	})
	gen.Done()
}
