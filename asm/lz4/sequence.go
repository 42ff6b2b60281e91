package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// fits jumps to full if a sequence doesn't fit dst. It returns 15 and two registers for putMatch.
func (e *encoder) fits(literals Register, n GPVirtual) (most, token, to GPVirtual) {
	most, token, to = GP64(), GP64(), GP64()
	MOVQ(n, to)
	SHRQ(Imm(7), to)
	ADDQ(e.d, to)
	if literals != nil {
		ADDQ(literals, to)
		MOVQ(literals, token)
		SHRQ(Imm(7), token)
		ADDQ(token, to)
	}
	CMPQ(to, e.room)
	JG(e.to("Full"))
	MOVQ(U32(15), most)
	return most, token, to
}

// put writes a sequence, and advances at and anchor to its end.
func (e *encoder) put(literals, n GPVirtual) {
	most, token, to := e.fits(literals, n)
	CMPQ(literals, Imm(32))
	JA(e.to("ManyLiterals"))
	e.fewLiterals(literals, most, token, to)
	Label(e.label("LiteralsPut"))
	e.putMatch(token, to, n, most, "first")
	JMP(e.to("After"))

	Label(e.label("ManyLiterals"))
	MOVL(U32(15<<4), token.As32())
	t, stop, y := GP64(), GP64(), YMM()
	LEAQ(Mem{Base: literals, Disp: -15}, t)
	LEAQ(Mem{Base: e.d, Disp: 1}, to)
	e.rest("literals", t, to)
	LEAQ(Mem{Base: to, Index: literals, Scale: 1}, stop)
	Label(e.label("Copy"))
	VMOVDQU(Mem{Base: e.anchor}, y)
	VMOVDQU(y, Mem{Base: to})
	ADDQ(Imm(32), e.anchor)
	ADDQ(Imm(32), to)
	CMPQ(to, stop)
	JB(e.to("Copy"))
	MOVQ(stop, to)
	JMP(e.to("LiteralsPut"))
}

// fewLiterals writes up to 32 literals and their number, sets the upper half of token, and sets to to the next byte. It
// always writes one more byte of the length, which the literals overwrite if the token has room for the length.
func (e *encoder) fewLiterals(literals, most, token, to GPVirtual) {
	t, y := GP64(), YMM()
	VMOVDQU(Mem{Base: e.anchor}, y)
	LEAQ(Mem{Base: literals, Disp: -15}, t)
	MOVB(t.As8(), Mem{Base: e.d, Disp: 1})
	MOVQ(literals, token)
	XORL(to.As32(), to.As32())
	CMPQ(literals, most)
	CMOVQGT(most, token)
	SETGE(to.As8())
	SHLL(Imm(4), token.As32())
	ADDQ(e.d, to)
	VMOVDQU(y, Mem{Base: to, Disp: 1})
	LEAQ(Mem{Base: to, Index: literals, Scale: 1, Disp: 1}, to)
}

// putMatch writes the token, whose upper half is set, and the match at to. It advances d, at and anchor.
func (e *encoder) putMatch(token, to, n, most GPVirtual, label string) {
	t := GP64()
	MOVW(e.back.(GPVirtual).As16(), Mem{Base: to})
	MOVQ(n, t)
	CMPQ(n, most)
	CMOVQGT(most, t)
	ORL(t.As32(), token.As32())
	MOVB(token.As8(), Mem{Base: e.d})
	ADDQ(Imm(4), e.at)
	ADDQ(n, e.at)
	CMPQ(n, U32(15+254))
	JA(e.to(label + "Long"))
	LEAQ(Mem{Base: n, Disp: -15}, t)
	MOVB(t.As8(), Mem{Base: to, Disp: 2})
	XORL(t.As32(), t.As32())
	CMPQ(n, most)
	SETGE(t.As8())
	LEAQ(Mem{Base: to, Index: t, Scale: 1, Disp: 2}, e.d)
	JMP(e.to(label + "Put"))
	Label(e.label(label + "Long"))
	ADDQ(Imm(2), to)
	SUBQ(Imm(15), n)
	e.rest(label+"Match", n, to)
	MOVQ(to, e.d)
	Label(e.label(label + "Put"))
}

// rest writes the rest n of a length at to, and advances to.
func (e *encoder) rest(label string, n, to GPVirtual) {
	Label(e.label(label + "Rest"))
	CMPQ(n, U32(255))
	JB(e.to(label + "Last"))
	MOVB(U8(255), Mem{Base: to})
	INCQ(to)
	SUBQ(U32(255), n)
	JMP(e.to(label + "Rest"))
	Label(e.label(label + "Last"))
	MOVB(n.As8(), Mem{Base: to})
	INCQ(to)
}
