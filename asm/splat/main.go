// Command splat writes the assembly of package splat for x86 processors with AVX2.
package main

import (
	"rsros/asm/gen"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Byte offsets of the parameters, which fill a vector register each.
const (
	right  = 0 * 32 // the last column
	bottom = 1 * 32 // the last row
	stride = 2 * 32 // bytes
	top    = 3 * 32 // of all rectangles: a result, like end
	end    = 4 * 32
)

func main() {
	place()
	scatter()
	gen.Write("camdriver/process/internal/splat", "avx2")
}

// number returns a vector of equal integers.
func number(n int) VecVirtual {
	r, x := YMM(), GP32()
	MOVL(I32(n), x)
	low := XMM()
	VMOVD(x, low)
	VPBROADCASTD(low, r)
	return r
}

func place() {
	gen.Func("placeAVX2", "func(at *[3]*int32, kind *int32, others *uint8, values *uint16, corners *[4]*int32, n int, p *int32)",
		"placeAVX2 clips n rectangles, a multiple of 8. It writes the byte offsets of up to three rows",
		"of each in the image, and the offset of the mask for its width. others has a bit for each",
		"larger rectangle.")
	ats, kind, others := gen.Arg("at"), gen.Arg("kind"), gen.Arg("others")
	values, corners := gen.Arg("values"), gen.Arg("corners")
	n, p := gen.Arg("n"), gen.Arg("p")
	at, corner := gen.Pointers(ats, 3), gen.Pointers(corners, 4)
	i := gen.Zero()
	Label("place")
	in := func(base Register) Mem { return Mem{Base: base, Index: i, Scale: 4} }
	none, left, high, wide, tall := gen.Zeros(), YMM(), YMM(), YMM(), YMM()
	VPMAXSD(in(corner[0]), none, left)
	VPMAXSD(in(corner[1]), none, high)
	last, low := YMM(), YMM()
	VMOVDQU(Mem{Base: p, Disp: right}, last)
	VPMINSD(in(corner[2]), last, last)
	VMOVDQU(Mem{Base: p, Disp: bottom}, low)
	VPMINSD(in(corner[3]), low, low)
	empty, t := YMM(), YMM()
	VPMOVZXWD(Mem{Base: values, Index: i, Scale: 2}, empty)
	VPCMPEQD(none, empty, empty)
	VPCMPGTD(last, left, t)
	VPOR(t, empty, empty)
	VPCMPGTD(low, high, t)
	VPOR(t, empty, empty)
	VPSUBD(left, last, wide)
	VPSUBD(high, low, tall)
	large := YMM()
	VPCMPGTD(number(3), wide, large)
	VPCMPGTD(number(2), tall, t)
	VPOR(t, large, large)
	VPANDN(large, empty, large)
	bits := GP32()
	VMOVMSKPS(large, bits)
	MOVB(bits.As8(), Mem{Base: others})
	INCQ(others)
	VPOR(large, empty, empty) // neither is written by scatter
	// The range of written rows.
	VPBLENDVB(empty, Mem{Base: p, Disp: bottom}, high, t)
	VPMINSD(Mem{Base: p, Disp: top}, t, t)
	VMOVDQU(t, Mem{Base: p, Disp: top})
	VPANDN(low, empty, t)
	VPMAXSD(Mem{Base: p, Disp: end}, t, t)
	VMOVDQU(t, Mem{Base: p, Disp: end})
	// Their offsets.
	VPMULLD(Mem{Base: p, Disp: stride}, high, high)
	VPADDD(left, left, left)
	VPADDD(left, high, high)
	VPANDN(high, empty, high)
	VMOVDQU(high, in(at[0]))
	VPANDN(tall, empty, tall)
	VPMINSD(number(1), tall, t)
	VPMULLD(Mem{Base: p, Disp: stride}, t, t)
	VPADDD(high, t, t)
	VMOVDQU(t, in(at[1]))
	VPMULLD(Mem{Base: p, Disp: stride}, tall, tall)
	VPADDD(high, tall, tall)
	VMOVDQU(tall, in(at[2]))
	VPBLENDVB(empty, number(4), wide, wide)
	VPSLLD(Imm(4), wide, wide)
	VMOVDQU(wide, in(kind))
	gen.Next("place", i, n, 8)
	gen.Done()
}

// scatter takes values in steps, because rectangles of neighbours overlap, and a processor
// stalls if it reads part of what it has just written.
func scatter() {
	masks := GLOBL("masks", RODATA|NOPTR)
	for n := range 5 {
		for word := range 8 {
			mask := U16(0xFFFF)
			if word <= n && n < 4 {
				mask = 0
			}
			DATA(16*n+2*word, mask)
		}
	}
	gen.Func("scatterAVX2", "func(least *uint16, at *[3]*int32, kind *int32, values *uint16, n, step int)",
		"scatterAVX2 writes the values less 1 of n rectangles, which placeAVX2 prepared. n is a multiple",
		"of step. It writes up to three words after a row's end without changing them.")
	least, ats, kind := gen.Arg("least"), gen.Arg("at"), gen.Arg("kind")
	values, n, step := gen.Arg("values"), gen.Arg("n"), gen.Arg("step")
	at := gen.Pointers(ats, 3)
	table, first, i := GP64(), GP64(), GP64()
	LEAQ(masks, table)
	XORQ(first, first)
	less := XMM()
	VPCMPEQW(less, less, less)
	Label("scatter")
	MOVQ(first, i)
	Label("apart")
	v, offset := XMM(), GP64()
	VPBROADCASTW(Mem{Base: values, Index: i, Scale: 2}, v)
	VPADDW(less, v, v)
	MOVLQSX(Mem{Base: kind, Index: i, Scale: 4}, offset)
	VPOR(Mem{Base: table, Index: offset, Scale: 1}, v, v)
	for _, base := range at {
		row := XMM()
		MOVLQSX(Mem{Base: base, Index: i, Scale: 4}, offset)
		to := Mem{Base: least, Index: offset, Scale: 1}
		VMOVQ(to, row)
		VPMINUW(v, row, row)
		VMOVQ(row, to)
	}
	ADDQ(step, i)
	CMPQ(i, n)
	JL(LabelRef("apart"))
	INCQ(first)
	CMPQ(first, step)
	JL(LabelRef("scatter"))
	gen.Done()
}
