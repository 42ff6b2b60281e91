package main

import (
	"rsros/asm/gen"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Byte offsets of the parameters of fade.
const (
	fadeAlpha = 0 * 4
	fadeBeta  = 1 * 4
	fadeHigh  = 2 * 4
	fadeLow   = 3 * 4
	fadeBit   = 4 * 4
	fadeRule  = 5 * 4
)

func fade() {
	gen.Func("fadeAVX2", "func(out, in, last *float32, history *uint8, n int, p *float32)",
		"fadeAVX2 implements Fading.Disparity for n pixels, a multiple of 8.")
	out, in, last := gen.Arg("out"), gen.Arg("in"), gen.Arg("last")
	histories, n, p := gen.Arg("history"), gen.Arg("n"), gen.Arg("p")
	parameter := func(offset int) VecVirtual { return gen.Broadcast(Mem{Base: p, Disp: offset}) }
	alpha, beta, high, low, bit := parameter(fadeAlpha), parameter(fadeBeta), parameter(fadeHigh),
		parameter(fadeLow), parameter(fadeBit)
	none, rule, bits := gen.Zeros(), YMM(), YMM()
	VMOVDQU(Mem{Base: p, Disp: fadeRule}, rule)
	VPCMPEQD(bits, bits, bits)
	VPSRLD(Imm(27), bits, bits) // 31
	i := gen.Zero()
	Label("fade")
	at := func(base Register) Mem { return Mem{Base: base, Index: i, Scale: 4} }
	d, before, hole, known, is, t, u := YMM(), YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
	VMOVUPS(at(in), d)
	VMOVUPS(at(last), before)
	VCMPPS(Imm(0), none, d, hole)       // equal
	VCMPPS(Imm(4), none, before, known) // not equal
	VSUBPS(before, d, t)                // the difference
	VCMPPS(Imm(17), high, t, is)        // less
	VCMPPS(Imm(30), low, t, t)          // greater
	VPAND(t, is, is)
	VPAND(known, is, is)
	VPANDN(is, hole, is)
	VMULPS(alpha, d, t)
	VMULPS(beta, before, u)
	VADDPS(u, t, t)
	VBLENDVPS(is, t, d, d)
	VBLENDVPS(hole, before, d, t)
	VMOVUPS(t, at(last))
	// Holes are filled if the rule has the history's bit.
	history := YMM()
	VPMOVZXBD(Mem{Base: histories, Index: i, Scale: 1}, history)
	VPSRLD(Imm(5), history, t)
	VPERMD(rule, t, t)
	VPAND(bits, history, u)
	VPSRLVD(u, t, t)
	VPSLLD(Imm(31), t, t)
	VPAND(known, t, t)
	VPAND(hole, t, t)
	VBLENDVPS(t, before, d, d)
	VMOVUPS(d, at(out))
	// The history continues in holes and where disparity is similar.
	VPOR(hole, is, t)
	VPAND(t, history, t)
	VPANDN(t, bit, t)
	VPANDN(bit, hole, u)
	VPOR(u, t, t)
	words := gen.Packed(t)
	VPACKUSWB(words, words, words)
	VMOVQ(words, Mem{Base: histories, Index: i, Scale: 1})
	gen.Next("fade", i, n, 8)
	gen.Done()
}
