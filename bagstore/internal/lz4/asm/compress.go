package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// As package lz4 has them.
const (
	matchMargin  = 48
	lastLiterals = 5
	slack        = 64
	hashFactor   = 889523592379 << 24 & (1<<64 - 1)
	hashShift    = 64 - 13
	skipShift    = 4
	together     = 4
	ahead        = 16
	shortBack    = 16
)

// encoder is what compress has in registers all the time. Positions are relative to in.
type encoder struct {
	in, table        Register // src and the table
	d                Register // where the next sequence is written
	at, anchor       Register // where a match is looked for, and where the literals begin
	ref, back        Register // where the match is that was found, and how far back the last short one was
	limit, end, room Mem      // the last position of a match, of its end, and the end of dst
	factor, tries    Mem      // hashFactor, and how often a match was looked for in vain, and more
	refs             Mem      // the positions that are tried together
}

// compress is the encoder of package lz4 that findMatch and compressSequences are in Go,
// step by step, with the same result. Four positions are tried at once, without a branch
// for each, and a match's length is that of 32 bytes compared at once: a processor can
// predict neither.
func compress() {
	slide := GLOBL("slide", RODATA|NOPTR)
	for i := range 16 {
		DATA(i, U8(i/4+i%4))
	}
	TEXT("compressAVX2", NOSPLIT, "func(dst, src []byte, table *[1 << 13]uint16) (d, anchor int)")
	Pragma("noescape")
	Doc("compressAVX2 compresses src, more than 48 bytes, but for the last literals. It returns how long",
		"the sequences are and where the literals begin, or -1 if they don't fit into dst.")
	e := &encoder{
		in: Load(Param("src").Base(), GP64()), table: Load(Param("table"), GP64()),
		d: Load(Param("dst").Base(), GP64()), at: GP64(), anchor: GP64(), ref: GP64(), back: GP64(),
	}
	local := AllocLocal(56)
	e.limit, e.end, e.room = local, local.Offset(8), local.Offset(16)
	e.factor, e.tries, e.refs = local.Offset(24), local.Offset(32), local.Offset(40)
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
	MOVQ(U32(1), e.at)
	XORL(e.anchor.(GPVirtual).As32(), e.anchor.(GPVirtual).As32())

	MOVQ(U32(1), e.back)
	order := XMM()
	VMOVDQU(slide, order)
	Label("search")
	MOVL(U32(1<<skipShift), e.tries)
	Label("try")
	found, repeats := e.try(order)
	TESTL(found, found)
	JNZ(LabelRef("candidate"))
	Label("repeats")
	TESTL(repeats, repeats)
	JNZ(LabelRef("repeat"))
	step := GP64()
	MOVL(e.tries, step.As32())
	INCL(e.tries)
	SHRL(Imm(skipShift), step.As32())
	LEAQ(Mem{Base: e.at, Index: step, Scale: together}, e.at)
	JMP(LabelRef("try"))
	Label("repeat")
	i := GP64()
	BSFL(repeats, i.As32())
	ADDQ(i, e.at)
	MOVQ(e.at, e.ref)
	SUBQ(e.back, e.ref)
	JMP(LabelRef("found"))
	Label("candidate")
	e.choose(found)
	Label("found")

	literals, n := GP64(), GP64()
	e.extend(literals, n)
	e.put(literals, n)
	Label("again")
	e.matchAtOnce(n)
	JMP(LabelRef("again"))

	Label("full")
	MOVQ(I32(-1), n)
	Store(n, Return("d"))
	XORL(n.As32(), n.As32())
	Store(n, Return("anchor"))
	VZEROUPPER()
	RET()
	Label("end")
	dst := Load(Param("dst").Base(), GP64())
	SUBQ(dst, e.d)
	Store(e.d, Return("d"))
	Store(e.anchor, Return("anchor"))
	VZEROUPPER()
	RET()
}

func (e *encoder) src(at Register, disp int) Mem {
	return Mem{Base: e.in, Index: at, Scale: 1, Disp: disp}
}

// enter enters a position into the table, and returns the one that was there.
func (e *encoder) enter(disp int) GPVirtual {
	h, ref, at, back := GP64(), GP64(), GP64(), GP64()
	MOVQ(e.src(e.at, disp), h)
	IMULQ(e.factor, h)
	SHRQ(Imm(hashShift), h)
	place := Mem{Base: e.table, Index: h, Scale: 2}
	MOVWLZX(place, ref.As32())
	LEAQ(Mem{Base: e.at, Disp: disp}, at)
	MOVW(at.As16(), place)
	MOVL(at.As32(), back.As32())
	SUBL(ref.As32(), back.As32())
	MOVWLZX(back.As16(), back.As32())
	SUBQ(back, at)
	return at
}

// try enters four positions, and returns a bit for each at which the same 4 bytes are as
// where the table says, but not for what follows the first repeat; and a bit for each of 13
// positions at which 4 bytes repeat those back before.
func (e *encoder) try(order VecVirtual) (found, repeats GPVirtual) {
	last := GP64()
	LEAQ(Mem{Base: e.at, Disp: ahead - 4}, last)
	CMPQ(last, e.limit)
	JG(LabelRef("end"))
	here, there, equal := XMM(), XMM(), XMM()
	VMOVDQU(e.src(e.at, 0), here)
	before, t := GP64(), GP32()
	MOVQ(e.at, before)
	SUBQ(e.back, before)
	VPCMPEQB(e.src(before, 0), here, equal)
	found, repeats = GP32(), GP32()
	VPMOVMSKB(equal, repeats)
	for _, n := range []uint64{1, 2} {
		MOVL(repeats, t)
		SHRL(Imm(n), t)
		ANDL(t, repeats)
	}
	VPSHUFB(order, here, here)
	for i := range together {
		ref := e.enter(i)
		MOVL(ref.As32(), e.refs.Offset(4*i))
		if i == 0 {
			VMOVD(e.src(ref, 0), there)
		} else {
			VPINSRD(Imm(uint64(i)), e.src(ref, 0), there, there)
		}
	}
	VPCMPEQD(there, here, here)
	VMOVMSKPS(here, found)
	LEAL(Mem{Base: repeats, Disp: -1}, t)
	XORL(repeats, t)
	SHRL(Imm(1), t) // the bits below the lowest of repeats
	ANDL(t, found)
	return found, repeats
}

// choose sets at and ref to the first match, unless the table has nothing but the position
// itself.
func (e *encoder) choose(found GPVirtual) {
	i, at, rest := GP64(), GP64(), GP32()
	BSFL(found, i.As32())
	MOVL(e.refs.Idx(i, 4), e.ref.(GPVirtual).As32())
	LEAQ(Mem{Base: e.at, Index: i, Scale: 1}, at)
	CMPQ(e.ref, at)
	JNE(LabelRef("chosen"))
	LEAL(Mem{Base: found, Disp: -1}, rest)
	ANDL(rest, found)
	JNZ(LabelRef("candidate"))
	JMP(LabelRef("repeats"))
	Label("chosen")
	MOVQ(at, e.at)
}

// length sets n to how many of the bytes after the first 4 of a match are equal.
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

// longer is the length of which the first 32 bytes are equal; it goes on after length.
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

// extend sets n to the length of the match less 4, moves its beginning backward as far as
// the bytes before are equal and literals, and sets literals to how many are left.
func (e *encoder) extend(literals, n GPVirtual) {
	e.length(n, "first")
	k, t := GP64(), GP64()
	MOVQ(e.at, literals)
	SUBQ(e.anchor, literals)
	CMPQ(e.ref, Imm(8))
	JB(LabelRef("back")) // at > ref, so 8 bytes are before both from here on
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

// put writes a sequence, and moves at and anchor to its end. One more byte of each length
// is always written: it is overwritten if the token has room for the length.
func (e *encoder) put(literals, n GPVirtual) {
	t, most, token, to := GP64(), GP64(), GP64(), GP64()
	MOVQ(literals, t)
	SHRQ(Imm(7), t)
	ADDQ(literals, t)
	ADDQ(e.d, t)
	MOVQ(n, to)
	SHRQ(Imm(7), to)
	ADDQ(to, t)
	CMPQ(t, e.room)
	JG(LabelRef("full"))
	MOVQ(U32(15), most)
	MOVQ(literals, token)
	CMPQ(literals, most)
	CMOVQGT(most, token)
	SHLL(Imm(4), token.As32())
	CMPQ(literals, Imm(32))
	JA(LabelRef("manyLiterals"))
	y := YMM()
	VMOVDQU(e.src(e.anchor, 0), y)
	LEAQ(Mem{Base: literals, Disp: -15}, t)
	MOVB(t.As8(), Mem{Base: e.d, Disp: 1})
	XORL(to.As32(), to.As32())
	CMPQ(literals, most)
	SETGE(to.As8())
	ADDQ(e.d, to)
	VMOVDQU(y, Mem{Base: to, Disp: 1})
	LEAQ(Mem{Base: to, Index: literals, Scale: 1, Disp: 1}, to)
	Label("match")
	e.putMatch(token, to, n, most, "first")
	JMP(LabelRef("put"))

	Label("manyLiterals")
	LEAQ(Mem{Base: literals, Disp: -15}, t)
	LEAQ(Mem{Base: e.d, Disp: 1}, to)
	rest("literals", t, to)
	stop := literals
	ADDQ(to, stop)
	Label("copy")
	VMOVDQU(e.src(e.anchor, 0), y)
	VMOVDQU(y, Mem{Base: to})
	ADDQ(Imm(32), e.anchor)
	ADDQ(Imm(32), to)
	CMPQ(to, stop)
	JB(LabelRef("copy"))
	MOVQ(stop, to)
	JMP(LabelRef("match"))
	Label("put")
}

// putMatch writes the token, whose upper half is there, and the match at to, and moves d,
// at and anchor to what follows.
func (e *encoder) putMatch(token, to, n, most GPVirtual, label string) {
	t := GP64()
	MOVQ(e.at, t)
	SUBQ(e.ref, t)
	MOVW(t.As16(), Mem{Base: to})
	CMPQ(t, Imm(shortBack))
	CMOVQLT(t, e.back)
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

// rest writes the rest n of a length at to, and moves to after it.
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

// matchAtOnce writes the match that begins at at, or goes on searching after it.
func (e *encoder) matchAtOnce(n GPVirtual) {
	CMPQ(e.at, e.limit)
	JG(LabelRef("end"))
	e.enter(-2)
	ref := e.enter(0)
	MOVQ(ref, e.ref)
	t := GP64()
	CMPQ(e.ref, e.at)
	JE(LabelRef("none"))
	MOVL(e.src(e.at, 0), t.As32())
	CMPL(t.As32(), e.src(e.ref, 0))
	JNE(LabelRef("none"))
	e.length(n, "next")
	most, token, to := GP64(), GP64(), GP64()
	MOVQ(n, t)
	SHRQ(Imm(7), t)
	ADDQ(e.d, t)
	CMPQ(t, e.room)
	JG(LabelRef("full"))
	MOVQ(U32(15), most)
	XORL(token.As32(), token.As32())
	LEAQ(Mem{Base: e.d, Disp: 1}, to)
	e.putMatch(token, to, n, most, "next")
	JMP(LabelRef("again"))
	e.longer(n, "next")
	Label("none")
	INCQ(e.at)
	JMP(LabelRef("search"))
}
