package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// pair makes the two registers of an instruction for the low and one for the high
// halves of a and b.
func pair(low, high func(ops ...Op), a, b VecVirtual) (VecVirtual, VecVirtual) {
	l, h := YMM(), YMM()
	low(b, a, l)
	high(b, a, h)
	return l, h
}

// turnWords transposes 8×8 words in each half of eight registers.
func turnWords(a [8]VecVirtual) (c [8]VecVirtual) {
	var t, u [8]VecVirtual
	for i := 0; i < 8; i += 2 {
		t[i], t[i+1] = pair(VPUNPCKLWD, VPUNPCKHWD, a[i], a[i+1])
	}
	for i := 0; i < 8; i += 4 {
		u[i], u[i+1] = pair(VPUNPCKLDQ, VPUNPCKHDQ, t[i], t[i+2])
		u[i+2], u[i+3] = pair(VPUNPCKLDQ, VPUNPCKHDQ, t[i+1], t[i+3])
	}
	for i := range 4 {
		c[2*i], c[2*i+1] = pair(VPUNPCKLQDQ, VPUNPCKHQDQ, u[i], u[i+4])
	}
	return c
}

// transposeWords puts 16 rows side by side.
func transposeWords() {
	TEXT("transposeWordsAVX2", NOSPLIT, "func(lanes, rows *uint16, stride, n int)")
	Pragma("noescape")
	Doc("transposeWordsAVX2 puts n times 8 pixels of 16 rows, stride bytes apart, side by side.")
	lanes, rows := Load(Param("lanes"), GP64()), Load(Param("rows"), GP64())
	stride, n := Load(Param("stride"), GP64()), Load(Param("n"), GP64())
	far := eight(rows, stride)
	counted("transposeWords", n, func() {
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
	VZEROUPPER()
	RET()
}

// eight is where the ninth row begins.
func eight(rows, stride Register) GPVirtual {
	far := GP64()
	MOVQ(stride, far)
	SHLQ(Imm(3), far)
	ADDQ(rows, far)
	return far
}

// rowsOfWords is the way back.
func rowsOfWords() {
	TEXT("rowsOfWordsAVX2", NOSPLIT, "func(rows, lanes *uint16, stride, n int)")
	Pragma("noescape")
	Doc("rowsOfWordsAVX2 undoes transposeWordsAVX2.")
	rows, lanes := Load(Param("rows"), GP64()), Load(Param("lanes"), GP64())
	stride, n := Load(Param("stride"), GP64()), Load(Param("n"), GP64())
	far := eight(rows, stride)
	counted("rowsOfWords", n, func() {
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
	VZEROUPPER()
	RET()
}

// transposeFloats does both ways: eight pieces of eight numbers become eight others.
func transposeFloats() {
	TEXT("transposeFloatsAVX2", NOSPLIT, "func(to *float32, toStride, toStep int, from *float32, fromStride, fromStep, n int)")
	Pragma("noescape")
	Doc("transposeFloatsAVX2 transposes n squares of 8 by 8 numbers: their rows are a stride", "apart, the squares a step, in bytes.")
	to, toStride, toStep := Load(Param("to"), GP64()), Load(Param("toStride"), GP64()), Load(Param("toStep"), GP64())
	from, fromStride, fromStep := Load(Param("from"), GP64()), Load(Param("fromStride"), GP64()), Load(Param("fromStep"), GP64())
	n := Load(Param("n"), GP64())
	counted("transposeFloats", n, func() {
		var a, t, u [8]VecVirtual
		at := GP64()
		MOVQ(from, at)
		for i := range a {
			a[i] = YMM()
			VMOVUPS(Mem{Base: at}, a[i])
			ADDQ(fromStride, at)
		}
		for i := 0; i < 8; i += 2 {
			t[i], t[i+1] = pair(VUNPCKLPS, VUNPCKHPS, a[i], a[i+1])
		}
		for i := 0; i < 8; i += 4 {
			u[i], u[i+1] = pair(VUNPCKLPD, VUNPCKHPD, t[i], t[i+2])
			u[i+2], u[i+3] = pair(VUNPCKLPD, VUNPCKHPD, t[i+1], t[i+3])
		}
		MOVQ(to, at)
		for half, which := range []U8{0x20, 0x31} {
			for i := range 4 {
				c := YMM()
				VPERM2F128(which, u[i+4], u[i], c)
				VMOVUPS(c, Mem{Base: at})
				if half+i < 4 {
					ADDQ(toStride, at)
				}
			}
		}
		ADDQ(fromStep, from)
		ADDQ(toStep, to)
	})
	VZEROUPPER()
	RET()
}
