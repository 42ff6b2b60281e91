package main

import (
	"rsros/asm/gen"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Constants of package lz4.
const (
	matchMargin  = 48
	lastLiterals = 5
	slack        = 64
	window       = 64 << 10
	hashFactor   = 889523592379 << 24 & (1<<64 - 1)
	hashShift    = 64 - 13
	skipShift    = 5
	shortBack    = 16
)

// encoder holds the registers of compress. Positions are relative to in.
type encoder struct {
	in, table        Register // src and the hash table
	d                Register // where the next sequence is written
	at, anchor       Register // the position to find a match for, and the start of the literals
	ref, back        Register // the position of the match, and its distance
	limit, end, room Mem      // the last start of a match, its last end, and the end of dst
	factor, last     Mem      // hashFactor, and back at the previous repeat
}

// compress is compressSequences of package lz4, step by step and with the same result. The
// Go code has branches for every 8 bytes of a match, every position of a repeat and every
// length, which a processor can't predict. compress compares 32 bytes at once, and always
// writes one more byte of each length.
func compress() {
	gen.Func("compressAVX2", "func(dst, src []byte, table *[1 << 13]uint16) (d, anchor int)",
		"compressAVX2 compresses src, more than 48 bytes, except for the last literals. It returns the",
		"length of the sequences and the start of the literals, or -1 if they don't fit dst.")
	e := &encoder{
		in: Load(Param("src").Base(), GP64()), table: gen.Arg("table"),
		d: Load(Param("dst").Base(), GP64()), at: GP64(), anchor: GP64(), ref: GP64(), back: GP64(),
	}
	local := AllocLocal(40)
	e.limit, e.end, e.room = local, local.Offset(8), local.Offset(16)
	e.factor, e.last = local.Offset(24), local.Offset(32)
	size := Load(Param("src").Len(), GP64())
	SUBQ(Imm(lastLiterals), size)
	MOVQ(size, e.end)
	SUBQ(Imm(matchMargin-lastLiterals), size)
	MOVQ(size, e.limit)
	size = Load(Param("dst").Len(), GP64())
	ADDQ(e.d, size)
	SUBQ(Imm(slack), size)
	MOVQ(size, e.room)
	MOVQ(U64(hashFactor), size)
	MOVQ(size, e.factor)
	XORL(e.at.(GPVirtual).As32(), e.at.(GPVirtual).As32())
	XORL(e.anchor.(GPVirtual).As32(), e.anchor.(GPVirtual).As32())
	MOVQ(e.anchor, e.last)

	literals, n := GP64(), GP64()
	Label("next")
	INCQ(e.at)
	e.search()
	e.extend(literals, n)
	e.put(literals, n)
	Label("after")
	e.matchAtOnce("repeat")
	Label("match")
	e.length(n, "next")
	most, token, to := e.fits(nil, n)
	XORL(token.As32(), token.As32())
	LEAQ(Mem{Base: e.d, Disp: 1}, to)
	e.putMatch(token, to, n, most, "next")
	e.matchAtOnce("next")
	JMP(LabelRef("match"))
	e.longer(n, "next")

	Label("repeat")
	TESTQ(literals, literals)
	JZ(LabelRef("next"))
	e.repeat(literals, n)
	most, token, to = e.fits(literals, n)
	e.fewLiterals(literals, most, token, to)
	e.putMatch(token, to, n, most, "repeat")
	JMP(LabelRef("after"))
	e.repeatToTheEnd(n)

	Label("full")
	MOVQ(I32(-1), n)
	Store(n, Return("d"))
	XORL(n.As32(), n.As32())
	Store(n, Return("anchor"))
	gen.Done()
	Label("end")
	dst := Load(Param("dst").Base(), GP64())
	SUBQ(dst, e.d)
	Store(e.d, Return("d"))
	Store(e.anchor, Return("anchor"))
	gen.Done()
}

func (e *encoder) src(at Register, disp int) Mem {
	return Mem{Base: e.in, Index: at, Scale: 1, Disp: disp}
}

// place returns the table entry of the bytes at at+disp, and the lowest 4 of them.
func (e *encoder) place(disp int) (Mem, GPVirtual) {
	v, h := GP64(), GP64()
	MOVQ(e.src(e.at, disp), v)
	MOVQ(e.factor, h)
	IMULQ(v, h)
	SHRQ(Imm(hashShift), h)
	return Mem{Base: e.table, Index: h, Scale: 2}, v.As32().(GPVirtual)
}

// look stores at in its table entry. It sets ref to the previous position in the entry and
// t to its distance, or 0.
func (e *encoder) look(place Mem, t GPVirtual) {
	was := GP64()
	MOVWLZX(place, was.As32())
	MOVW(e.at.(GPVirtual).As16(), place)
	MOVL(e.at.(GPVirtual).As32(), t.As32())
	SUBL(was.As32(), t.As32())
	MOVWLZX(t.As16(), t.As32())
	MOVQ(e.at, e.ref)
	SUBQ(t, e.ref)
}

// search sets at and ref to the next match at or after at.
func (e *encoder) search() {
	tries, t := GP32(), GP64()
	MOVL(U32(1<<skipShift), tries)
	Label("try")
	CMPQ(e.at, e.limit)
	JG(LabelRef("end"))
	place, v := e.place(0)
	e.look(place, t)
	CMPL(v, e.src(e.ref, 0))
	JE(LabelRef("candidate"))
	Label("missed")
	MOVL(tries, t.As32())
	INCL(tries)
	SHRL(Imm(skipShift), t.As32())
	ADDQ(t, e.at)
	JMP(LabelRef("try"))
	Label("candidate")
	TESTQ(t, t)
	JZ(LabelRef("missed"))
	MOVQ(t, e.back)
}

// matchAtOnce sets ref and back to the match at at, or jumps to none.
func (e *encoder) matchAtOnce(none string) {
	CMPQ(e.at, e.limit)
	JG(LabelRef("end"))
	t := GP64()
	place, _ := e.place(-2)
	LEAQ(Mem{Base: e.at, Disp: -2}, t)
	MOVW(t.As16(), place)
	place, v := e.place(0)
	e.look(place, t)
	CMPL(v, e.src(e.ref, 0))
	JNE(LabelRef(none))
	TESTQ(t, t)
	JZ(LabelRef(none))
	MOVQ(t, e.back)
}

// repeat finds the first repeat of a pixel in the 29 positions after at. It sets at to its
// start, and literals and n.
func (e *encoder) repeat(literals, n GPVirtual) {
	i, t, to := GP64(), GP64(), GP64()
	MOVQ(e.last, t)
	MOVQ(e.back, e.last)
	CMPQ(e.back, t)
	JNE(LabelRef("next"))
	CMPQ(e.back, Imm(shortBack))
	JAE(LabelRef("next"))
	y := YMM()
	MOVQ(e.at, t)
	SUBQ(e.back, t)
	VMOVDQU(e.src(e.at, 1), y)
	VPCMPEQB(e.src(t, 1), y, y) // at+33 <= end
	VPMOVMSKB(y, n.As32())
	MOVL(n.As32(), i.As32())
	SHRL(Imm(1), i.As32())
	ANDL(n.As32(), i.As32())
	MOVL(i.As32(), t.As32())
	SHRL(Imm(2), t.As32())
	ANDL(t.As32(), i.As32())
	JZ(LabelRef("next"))
	BSFL(i.As32(), i.As32())
	LEAQ(Mem{Base: e.at, Index: i, Scale: 1, Disp: 1}, to)
	CMPQ(to, e.limit)
	JG(LabelRef("next"))
	MOVQ(to, e.at)
	LEAQ(Mem{Base: i, Disp: 1}, literals)
	SHRXL(i.As32(), n.As32(), n.As32())
	XORL(I32(-1), n.As32())
	JZ(LabelRef("toTheEnd"))
	BSFL(n.As32(), n.As32())
	ADDL(n.As32(), i.As32())
	CMPL(i.As32(), Imm(32))
	JE(LabelRef("toTheEnd"))
	SUBQ(Imm(4), n)
	Label("repeated")
}

// repeatToTheEnd computes the length of a repeat that is longer than the 32 compared bytes,
// and continues after repeat.
func (e *encoder) repeatToTheEnd(n GPVirtual) {
	Label("toTheEnd")
	MOVQ(e.at, e.ref)
	SUBQ(e.back, e.ref)
	e.length(n, "repeat")
	JMP(LabelRef("repeated"))
	e.longer(n, "repeat")
}

// length sets n to the number of equal bytes after the first 4 of a match.
func (e *encoder) length(n GPVirtual, label string) {
	y := YMM()
	VMOVDQU(e.src(e.at, 4), y)
	VPCMPEQB(e.src(e.ref, 4), y, y)
	VPMOVMSKB(y, n.As32())
	XORL(I32(-1), n.As32()) // at+36 <= end: the match may be that long
	JZ(LabelRef(label + "Longer"))
	BSFL(n.As32(), n.As32())
	Label(label + "Length")
}

// longer computes a length whose first 32 bytes are equal, and continues after length.
func (e *encoder) longer(n GPVirtual, label string) {
	Label(label + "Longer")
	a, r, t := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: e.at, Disp: 36}, a)
	LEAQ(Mem{Base: e.ref, Disp: 36}, r)
	Label(label + "Next")
	LEAQ(Mem{Base: a, Disp: 32}, t)
	CMPQ(t, e.end)
	JG(LabelRef(label + "Bytes"))
	y := YMM()
	VMOVDQU(e.src(a, 0), y)
	VPCMPEQB(e.src(r, 0), y, y)
	VPMOVMSKB(y, t.As32())
	XORL(I32(-1), t.As32())
	JNZ(LabelRef(label + "Differ"))
	ADDQ(Imm(32), a)
	ADDQ(Imm(32), r)
	JMP(LabelRef(label + "Next"))
	Label(label + "Differ")
	BSFL(t.As32(), t.As32())
	ADDQ(t, a)
	JMP(LabelRef(label + "Known"))
	Label(label + "Bytes")
	CMPQ(a, e.end)
	JGE(LabelRef(label + "Known"))
	MOVBLZX(e.src(a, 0), t.As32())
	CMPB(t.As8(), e.src(r, 0))
	JNE(LabelRef(label + "Known"))
	INCQ(a)
	INCQ(r)
	JMP(LabelRef(label + "Bytes"))
	Label(label + "Known")
	MOVQ(a, n)
	SUBQ(e.at, n)
	SUBQ(Imm(4), n)
	JMP(LabelRef(label + "Length"))
}

// extend sets n to the length of the match less 4, extends the match backward over equal
// literals, and sets literals to the number of literals left.
func (e *encoder) extend(literals, n GPVirtual) {
	e.length(n, "first")
	k, t := GP64(), GP64()
	MOVQ(e.at, literals)
	SUBQ(e.anchor, literals)
	CMPQ(e.ref, Imm(8))
	JB(LabelRef("back")) // at > ref, so both have 8 bytes before them
	MOVQ(e.src(e.at, -8), k)
	XORQ(e.src(e.ref, -8), k)
	ORQ(Imm(1), k)
	BSRQ(k, k)
	XORL(Imm(63), k.As32())
	SHRL(Imm(3), k.As32())
	CMPQ(k, literals)
	CMOVQGT(literals, k)
	CMPL(k.As32(), Imm(7))
	JAE(LabelRef("back")) // possibly more
	SUBQ(k, e.at)
	SUBQ(k, e.ref)
	SUBQ(k, literals)
	ADDQ(k, n)
	JMP(LabelRef("extended"))
	e.longer(n, "first")
	Label("back")
	CMPQ(e.at, e.anchor)
	JLE(LabelRef("backEnd"))
	TESTQ(e.ref, e.ref)
	JZ(LabelRef("backEnd"))
	MOVBLZX(e.src(e.at, -1), t.As32())
	CMPB(t.As8(), e.src(e.ref, -1))
	JNE(LabelRef("backEnd"))
	DECQ(e.at)
	DECQ(e.ref)
	INCQ(n)
	JMP(LabelRef("back"))
	Label("backEnd")
	MOVQ(e.at, literals)
	SUBQ(e.anchor, literals)
	Label("extended")
}

// fits jumps to full if a sequence doesn't fit dst. It returns 15 and two registers for
// putMatch.
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
	JG(LabelRef("full"))
	MOVQ(U32(15), most)
	return most, token, to
}

// put writes a sequence, and advances at and anchor to its end.
func (e *encoder) put(literals, n GPVirtual) {
	most, token, to := e.fits(literals, n)
	CMPQ(literals, Imm(32))
	JA(LabelRef("manyLiterals"))
	e.fewLiterals(literals, most, token, to)
	Label("literalsPut")
	e.putMatch(token, to, n, most, "first")
	JMP(LabelRef("after"))

	Label("manyLiterals")
	MOVL(U32(15<<4), token.As32())
	t, stop, y := GP64(), GP64(), YMM()
	LEAQ(Mem{Base: literals, Disp: -15}, t)
	LEAQ(Mem{Base: e.d, Disp: 1}, to)
	rest("literals", t, to)
	LEAQ(Mem{Base: to, Index: literals, Scale: 1}, stop)
	Label("copy")
	VMOVDQU(e.src(e.anchor, 0), y)
	VMOVDQU(y, Mem{Base: to})
	ADDQ(Imm(32), e.anchor)
	ADDQ(Imm(32), to)
	CMPQ(to, stop)
	JB(LabelRef("copy"))
	MOVQ(stop, to)
	JMP(LabelRef("literalsPut"))
}

// fewLiterals writes up to 32 literals and their number, sets the upper half of token, and
// sets to to the next byte. It always writes one more byte of the length, which the
// literals overwrite if the token has room for the length.
func (e *encoder) fewLiterals(literals, most, token, to GPVirtual) {
	t, y := GP64(), YMM()
	VMOVDQU(e.src(e.anchor, 0), y)
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

// putMatch writes the token, whose upper half is set, and the match at to. It advances d,
// at and anchor.
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
	JA(LabelRef(label + "Long"))
	LEAQ(Mem{Base: n, Disp: -15}, t)
	MOVB(t.As8(), Mem{Base: to, Disp: 2})
	XORL(t.As32(), t.As32())
	CMPQ(n, most)
	SETGE(t.As8())
	LEAQ(Mem{Base: to, Index: t, Scale: 1, Disp: 2}, e.d)
	JMP(LabelRef(label + "Put"))
	Label(label + "Long")
	ADDQ(Imm(2), to)
	SUBQ(Imm(15), n)
	rest(label+"Match", n, to)
	MOVQ(to, e.d)
	Label(label + "Put")
	MOVQ(e.at, e.anchor)
}

// rest writes the rest n of a length at to, and advances to.
func rest(label string, n, to GPVirtual) {
	Label(label + "Rest")
	CMPQ(n, U32(255))
	JB(LabelRef(label + "Last"))
	MOVB(U8(255), Mem{Base: to})
	INCQ(to)
	SUBQ(U32(255), n)
	JMP(LabelRef(label + "Rest"))
	Label(label + "Last")
	MOVB(n.As8(), Mem{Base: to})
	INCQ(to)
}
