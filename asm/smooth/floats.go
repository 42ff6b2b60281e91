package main

import (
	"rsros/asm/gen"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Byte offsets of the parameters that follow those of words.
const (
	edge    = 6 * 32
	lowEdge = 7 * 32
)

// eased smooths eight disparities by the state, unless they are edges. It updates state
// and before, and returns the smoothed disparities.
func eased(p, state, before, none VecVirtual, at Register) VecVirtual {
	valid, is, s, t := YMM(), YMM(), YMM(), YMM()
	VPCMPGTD(none, p, valid)
	VPCMPGTD(none, before, is)
	VPAND(valid, is, is)
	VSUBPS(p, before, t) // the difference
	VCMPPS(Imm(17), Mem{Base: at, Disp: edge}, t, s)
	VPAND(s, is, is)
	VCMPPS(Imm(30), Mem{Base: at, Disp: lowEdge}, t, s)
	VPAND(s, is, is)
	VMULPS(Mem{Base: at, Disp: alpha}, p, s)
	VMULPS(Mem{Base: at, Disp: beta}, state, t)
	VADDPS(t, s, s)
	VMOVAPS(p, before)
	VBLENDVPS(is, s, p, s)
	VBLENDVPS(valid, s, state, state)
	return s
}

func lineOfFloats() {
	gen.Func("lineAVX2", "func(lanes *float32, move, n int, p *float32)",
		"lineAVX2 smooths eight interleaved lines of disparity: n numbers after the first",
		"of each, move bytes apart.")
	at, move := gen.Arg("lanes"), gen.Arg("move")
	n, p := gen.Arg("n"), gen.Arg("p")
	none, state, before := gen.Zeros(), YMM(), YMM()
	VMOVUPS(Mem{Base: at}, state)
	VMOVAPS(state, before)
	gen.Loop("line", n, func() {
		d := YMM()
		ADDQ(move, at)
		VMOVUPS(Mem{Base: at}, d)
		VMOVUPS(eased(d, state, before, none, p), Mem{Base: at})
	})
	gen.Done()
}

func nextOfFloats() {
	gen.Func("nextAVX2", "func(row, state, before *float32, n int, p *float32)",
		"nextAVX2 implements Edges.Next for n columns, a multiple of 8.")
	row, states, befores := gen.Arg("row"), gen.Arg("state"), gen.Arg("before")
	n, p := gen.Arg("n"), gen.Arg("p")
	none := gen.Zeros()
	gen.Each("next", n, func(i Register) {
		at := func(base Register) Mem { return Mem{Base: base, Index: i, Scale: 4} }
		d, state, before := YMM(), YMM(), YMM()
		VMOVUPS(at(row), d)
		VMOVUPS(at(states), state)
		VMOVUPS(at(befores), before)
		VMOVUPS(eased(d, state, before, none, p), at(row))
		VMOVUPS(state, at(states))
		VMOVUPS(before, at(befores))
	})
	gen.Done()
}
