package main

import (
	"rsros/asm/gen"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// turnWords transposes 8×8 words in both halves of eight registers.
func turnWords(a [8]VecVirtual) (c [8]VecVirtual) {
	u := gen.Interleave(a, VPUNPCKLWD, VPUNPCKHWD, VPUNPCKLDQ, VPUNPCKHDQ)
	for i := range 4 {
		c[2*i], c[2*i+1] = gen.Pair(VPUNPCKLQDQ, VPUNPCKHQDQ, u[i], u[i+4])
	}
	return c
}

// transposeWords interleaves 16 rows.
func transposeWords() {
	gen.Func("transposeWordsAVX2", "func(lanes, rows *uint16, stride, n int)",
		"transposeWordsAVX2 interleaves 8 n pixels of 16 rows that are stride bytes apart.")
	lanes, rows := gen.Arg("lanes"), gen.Arg("rows")
	stride, n := gen.Arg("stride"), gen.Arg("n")
	far := eight(rows, stride)
	gen.Loop("transposeWords", n, func() {
		var a [8]VecVirtual
		at, below := GP64(), GP64()
		MOVQ(rows, at)
		MOVQ(far, below)
		for i := range a {
			a[i] = YMM()
			VBROADCASTI128(Mem{Base: at}, a[i])
			VINSERTI128(Imm(1), Mem{Base: below}, a[i], a[i])
			ADDQ(stride, at)
			ADDQ(stride, below)
		}
		for i, c := range turnWords(a) {
			VMOVDQU(c, Mem{Base: lanes, Disp: 32 * i})
		}
		ADDQ(Imm(16), rows)
		ADDQ(Imm(16), far)
		ADDQ(U32(256), lanes)
	})
	gen.Done()
}

// eight returns the address of the ninth row.
func eight(rows, stride Register) GPVirtual {
	far := GP64()
	MOVQ(stride, far)
	SHLQ(Imm(3), far)
	ADDQ(rows, far)
	return far
}

// rowsOfWords is the inverse of transposeWords.
func rowsOfWords() {
	gen.Func("rowsOfWordsAVX2", "func(rows, lanes *uint16, stride, n int)",
		"rowsOfWordsAVX2 is the inverse of transposeWordsAVX2.")
	rows, lanes := gen.Arg("rows"), gen.Arg("lanes")
	stride, n := gen.Arg("stride"), gen.Arg("n")
	far := eight(rows, stride)
	gen.Loop("rowsOfWords", n, func() {
		var a [8]VecVirtual
		for i := range a {
			a[i] = YMM()
			VMOVDQU(Mem{Base: lanes, Disp: 32 * i}, a[i])
		}
		at, below := GP64(), GP64()
		MOVQ(rows, at)
		MOVQ(far, below)
		for _, c := range turnWords(a) {
			VMOVDQU(c.AsX(), Mem{Base: at})
			VEXTRACTI128(Imm(1), c, Mem{Base: below})
			ADDQ(stride, at)
			ADDQ(stride, below)
		}
		ADDQ(Imm(16), rows)
		ADDQ(Imm(16), far)
		ADDQ(U32(256), lanes)
	})
	gen.Done()
}

// transposeFloats transposes in both directions.
func transposeFloats() {
	gen.Func("transposeFloatsAVX2", "func(to *float32, toStride, toStep int, from *float32, fromStride, fromStep, n int)",
		"transposeFloatsAVX2 transposes n squares of 8 by 8 numbers. Strides are the bytes from",
		"row to row, steps those from square to square.")
	to, toStride, toStep := gen.Arg("to"), gen.Arg("toStride"), gen.Arg("toStep")
	from, fromStride, fromStep := gen.Arg("from"), gen.Arg("fromStride"), gen.Arg("fromStep")
	n := gen.Arg("n")
	gen.Loop("transposeFloats", n, func() {
		var a [8]VecVirtual
		at := GP64()
		MOVQ(from, at)
		for i := range a {
			a[i] = YMM()
			VMOVUPS(Mem{Base: at}, a[i])
			ADDQ(fromStride, at)
		}
		MOVQ(to, at)
		for i, c := range gen.Transposed(a) {
			VMOVUPS(c, Mem{Base: at})
			if i < 7 {
				ADDQ(toStride, at)
			}
		}
		ADDQ(fromStep, from)
		ADDQ(toStep, to)
	})
	gen.Done()
}
