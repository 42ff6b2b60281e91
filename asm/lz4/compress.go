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
	hashBits     = 13
	skipShift    = 5
	shortBack    = 16
)

// encoder compresses one of two blocks. It holds the registers and local variables for it. All
// positions are addresses; the table holds their lower 16 bits.
type encoder struct {
	name             string   // prefix of the labels, and suffix of parameters and results
	table            Register // the tables of both encoders
	tableAt          int      // where its own table begins
	at, d            Register // the position to find a match for, and where the next sequence is written
	anchor           Register // the start of the literals
	ref, back        Register // the position of the match, and its distance
	limit, end, room Mem      // the last start of a match, its last end, and the end of dst
	start, last      Mem      // the start of src, and back at the previous repeat
	state, until     Mem      // one of the states, and limit while it works
	factor           Mem      // hashFactor
}

// States of an encoder. Limit is -1 in all but works, so that the check in front of each match finds them.
const (
	waits = iota
	works
	ended
)

const localSize = 7 * 8

// compress is compressSequences of package lz4, step by step and with the same result, for two blocks at once. The Go
// code has branches for every 8 bytes of a match, every position of a repeat and every length, which a processor can't
// predict. compress compares 24 or 32 bytes at once, and always writes one more byte of each length.
//
// Where matches follow each other, as in depth images, each step waits for the one before: for the
// entry of the table, the bytes there, and the length of the match, which is the next position. So
// the blocks take turns, and the processor has two such chains to work on.
func compress() {
	gen.Func("compressAVX2", "func(dsta, srca, dstb, srcb []byte, tables *[2][1 << 13]uint16) (da, anchora, db, anchorb int)",
		"compressAVX2 compresses two blocks of more than 48 bytes, except for the last literals. It returns",
		"the length of the sequences and the start of the literals of each, or -1 if they don't fit dst.",
		"One of the blocks may be empty, not both.")
	table := gen.Arg("tables")
	local := AllocLocal(8 + 2*localSize)
	factor := GP64()
	MOVQ(U64(hashFactor), factor)
	MOVQ(factor, local)
	anchor, ref, back := GP64(), GP64(), GP64()
	var both [2]*encoder
	for i, name := range []string{"a", "b"} {
		v := local.Offset(8 + i*localSize)
		both[i] = &encoder{
			name: name, table: table, tableAt: i * (2 << hashBits), at: GP64(), d: GP64(), anchor: anchor, ref: ref, back: back,
			limit: v, end: v.Offset(8), room: v.Offset(16), start: v.Offset(24), last: v.Offset(32),
			state: v.Offset(40), until: v.Offset(48),
			factor: local,
		}
		both[i].prepare()
	}
	JMP(LabelRef("aEnd"))
	both[0].compress(both[1])
	both[1].compress(both[0])
	Label("return")
	gen.Done()
}

// prepare sets the local variables, and all entries of the table to the start of the block.
func (e *encoder) prepare() {
	t, n := GP64(), GP64()
	Load(Param("dst"+e.name).Base(), e.d)
	Load(Param("dst"+e.name).Len(), t)
	LEAQ(Mem{Base: e.d, Index: t, Scale: 1, Disp: -slack}, t)
	MOVQ(t, e.room)
	Load(Param("src"+e.name).Base(), e.at)
	MOVQ(e.at, e.start)
	Load(Param("src"+e.name).Len(), n)
	LEAQ(Mem{Base: e.at, Index: n, Scale: 1, Disp: -lastLiterals}, t)
	MOVQ(t, e.end)
	SUBQ(Imm(matchMargin-lastLiterals), t)
	MOVQ(t, e.until)
	MOVQ(I32(-1), t)
	MOVQ(t, e.limit)
	XORL(t.As32(), t.As32())
	MOVQ(t, e.last)
	TESTQ(n, n)
	SETEQ(t.As8())
	ADDQ(t, t) // waits, or ended
	MOVQ(t, e.state)

	x, y := XMM(), YMM()
	MOVQ(e.at, x)
	VPBROADCASTW(x, y)
	LEAQ(Mem{Base: e.table, Disp: e.tableAt}, t)
	MOVQ(U32(2<<hashBits/32), n)
	gen.Loop(e.label("Fill"), n, func() {
		VMOVDQU(y, Mem{Base: t})
		ADDQ(Imm(32), t)
	})
}

// compress is the code for one block. It turns to the other one after a match that follows another without literals.
func (e *encoder) compress(other *encoder) {
	literals, n := GP64(), GP64()
	Label(e.label("Once"))
	e.matchAtOnce("Next")
	Label(e.label("Match"))
	e.length(n, "next")
	most, token, to := e.fits(nil, n)
	XORL(token.As32(), token.As32())
	LEAQ(Mem{Base: e.d, Disp: 1}, to)
	e.putMatch(token, to, n, most, "next")
	JMP(LabelRef(other.label("Once")))
	e.longer(n, "next")

	Label(e.label("Next"))
	MOVQ(e.at, e.anchor)
	INCQ(e.at)
	e.search()
	e.extend(literals, n)
	e.put(literals, n)
	Label(e.label("After"))
	e.matchAtOnce("Repeat")
	JMP(e.to("Match"))

	Label(e.label("Repeat"))
	TESTQ(literals, literals)
	JZ(e.to("Next"))
	MOVQ(e.at, e.anchor)
	e.repeat(literals, n)
	most, token, to = e.fits(literals, n)
	e.fewLiterals(literals, most, token, to)
	e.putMatch(token, to, n, most, "repeat")
	JMP(e.to("After"))
	e.repeatToTheEnd(n)
	e.begin(other)
	e.finish(other)
}

// begin is what happens at a position beyond limit: the block begins, or it is the other one's turn, or the block ends.
func (e *encoder) begin(other *encoder) {
	t := GP64()
	Label(e.label("End"))
	MOVQ(e.state, t)
	CMPQ(t, Imm(works))
	JG(LabelRef(other.label("Once")))
	MOVQ(e.at, e.anchor)
	JE(e.to("Finish"))
	INCQ(t)
	MOVQ(t, e.state)
	MOVQ(e.until, t)
	MOVQ(t, e.limit)
	JMP(e.to("Next"))
}

// finish stores the result. The other block goes on if it hasn't ended.
func (e *encoder) finish(other *encoder) {
	t := GP64()
	Label(e.label("Full"))
	Load(Param("dst"+e.name).Base(), e.d)
	DECQ(e.d)
	Label(e.label("Finish"))
	Load(Param("dst"+e.name).Base(), t)
	SUBQ(t, e.d)
	Store(e.d, Return("d"+e.name))
	SUBQ(e.start, e.anchor)
	Store(e.anchor, Return("anchor"+e.name))
	MOVQ(I32(-1), t)
	MOVQ(t, e.limit)
	MOVQ(U32(ended), t)
	MOVQ(t, e.state)
	CMPQ(t, other.state)
	JNE(LabelRef(other.label("Once")))
	JMP(LabelRef("return"))
}

func (e *encoder) label(name string) string { return e.name + name }
func (e *encoder) to(name string) LabelRef  { return LabelRef(e.label(name)) }

// place returns the table entry of the bytes at at+disp, and the lowest 4 of them.
func (e *encoder) place(disp int) (Mem, GPVirtual) {
	v, h := GP64(), GP64()
	MOVQ(Mem{Base: e.at, Disp: disp}, v)
	MOVQ(e.factor, h)
	IMULQ(v, h)
	SHRQ(Imm(64-hashBits), h)
	return Mem{Base: e.table, Index: h, Scale: 2, Disp: e.tableAt}, v.As32().(GPVirtual)
}

// look stores at in its table entry. It sets ref to the previous position in the entry and t to its distance, or 0.
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
	Label(e.label("Try"))
	CMPQ(e.at, e.limit)
	JG(e.to("Finish"))
	place, v := e.place(0)
	e.look(place, t)
	CMPL(v, Mem{Base: e.ref})
	JE(e.to("Candidate"))
	Label(e.label("Missed"))
	MOVL(tries, t.As32())
	INCL(tries)
	SHRL(Imm(skipShift), t.As32())
	ADDQ(t, e.at)
	JMP(e.to("Try"))
	Label(e.label("Candidate"))
	TESTQ(t, t)
	JZ(e.to("Missed"))
	MOVQ(t, e.back)
}

// matchAtOnce sets ref and back to the match at at, or jumps to none.
func (e *encoder) matchAtOnce(none string) {
	CMPQ(e.at, e.limit)
	JG(e.to("End"))
	t := GP64()
	place, _ := e.place(-2)
	LEAQ(Mem{Base: e.at, Disp: -2}, t)
	MOVW(t.As16(), place)
	place, v := e.place(0)
	e.look(place, t)
	CMPL(v, Mem{Base: e.ref})
	JNE(e.to(none))
	TESTQ(t, t)
	JZ(e.to(none))
	MOVQ(t, e.back)
}

// repeat finds the first repeat of a pixel in the 29 positions after at. It sets at to its start, and literals and n.
func (e *encoder) repeat(literals, n GPVirtual) {
	i, t, to := GP64(), GP64(), GP64()
	MOVQ(e.last, t)
	MOVQ(e.back, e.last)
	CMPQ(e.back, t)
	JNE(e.to("Next"))
	CMPQ(e.back, Imm(shortBack))
	JAE(e.to("Next"))
	y := YMM()
	MOVQ(e.at, t)
	SUBQ(e.back, t)
	VMOVDQU(Mem{Base: e.at, Disp: 1}, y)
	VPCMPEQB(Mem{Base: t, Disp: 1}, y, y) // at+33 <= end
	VPMOVMSKB(y, n.As32())
	MOVL(n.As32(), i.As32())
	SHRL(Imm(1), i.As32())
	ANDL(n.As32(), i.As32())
	MOVL(i.As32(), t.As32())
	SHRL(Imm(2), t.As32())
	ANDL(t.As32(), i.As32())
	JZ(e.to("Next"))
	BSFL(i.As32(), i.As32())
	LEAQ(Mem{Base: e.at, Index: i, Scale: 1, Disp: 1}, to)
	CMPQ(to, e.limit)
	JG(e.to("Next"))
	MOVQ(to, e.at)
	LEAQ(Mem{Base: i, Disp: 1}, literals)
	SHRXL(i.As32(), n.As32(), n.As32())
	XORL(I32(-1), n.As32())
	JZ(e.to("ToTheEnd"))
	BSFL(n.As32(), n.As32())
	ADDL(n.As32(), i.As32())
	CMPL(i.As32(), Imm(32))
	JE(e.to("ToTheEnd"))
	SUBQ(Imm(4), n)
	Label(e.label("Repeated"))
}

// repeatToTheEnd computes the length of a repeat that is longer than the 32 compared bytes, and continues after repeat.
func (e *encoder) repeatToTheEnd(n GPVirtual) {
	Label(e.label("ToTheEnd"))
	MOVQ(e.at, e.ref)
	SUBQ(e.back, e.ref)
	e.length(n, "repeat")
	JMP(e.to("Repeated"))
	e.longer(n, "repeat")
}

// length sets n to the number of equal bytes after the first 4 of a match. The next position depends on it: general
// registers have it many cycles before vectors, and without branches, as a processor can't predict lengths.
func (e *encoder) length(n GPVirtual, label string) {
	second, third := GP64(), GP64()
	e.differ(20, third)
	ADDL(Imm(64), third.As32())
	e.differ(12, second)
	CMOVQCS(third, second)
	ADDL(Imm(64), second.As32())
	e.differ(4, n)
	CMOVQCS(second, n)
	SHRL(Imm(3), n.As32())
	CMPL(n.As32(), Imm(24)) // at+28 <= end: the match may be that long
	JE(e.to(label + "Longer"))
	Label(e.label(label + "Length"))
}

// differ sets n to the number of equal bits in 8 bytes of a match, 64 with the carry if all are.
func (e *encoder) differ(disp int, n GPVirtual) {
	x := GP64()
	MOVQ(Mem{Base: e.at, Disp: disp}, x)
	XORQ(Mem{Base: e.ref, Disp: disp}, x)
	TZCNTQ(x, n)
}

// longer computes a length whose first 24 bytes are equal, and continues after length.
func (e *encoder) longer(n GPVirtual, label string) {
	Label(e.label(label + "Longer"))
	a, r, t := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: e.at, Disp: 28}, a)
	LEAQ(Mem{Base: e.ref, Disp: 28}, r)
	Label(e.label(label + "Next"))
	LEAQ(Mem{Base: a, Disp: 32}, t)
	CMPQ(t, e.end)
	JG(e.to(label + "Bytes"))
	y := YMM()
	VMOVDQU(Mem{Base: a}, y)
	VPCMPEQB(Mem{Base: r}, y, y)
	VPMOVMSKB(y, t.As32())
	XORL(I32(-1), t.As32())
	JNZ(e.to(label + "Differ"))
	ADDQ(Imm(32), a)
	ADDQ(Imm(32), r)
	JMP(e.to(label + "Next"))
	Label(e.label(label + "Differ"))
	BSFL(t.As32(), t.As32())
	ADDQ(t, a)
	JMP(e.to(label + "Known"))
	Label(e.label(label + "Bytes"))
	CMPQ(a, e.end)
	JGE(e.to(label + "Known"))
	MOVBLZX(Mem{Base: a}, t.As32())
	CMPB(t.As8(), Mem{Base: r})
	JNE(e.to(label + "Known"))
	INCQ(a)
	INCQ(r)
	JMP(e.to(label + "Bytes"))
	Label(e.label(label + "Known"))
	MOVQ(a, n)
	SUBQ(e.at, n)
	SUBQ(Imm(4), n)
	JMP(e.to(label + "Length"))
}

// extend sets n to the length of the match less 4, extends the match backward over equal
// literals, and sets literals to the number of literals left.
func (e *encoder) extend(literals, n GPVirtual) {
	e.length(n, "first")
	k, t := GP64(), GP64()
	MOVQ(e.at, literals)
	SUBQ(e.anchor, literals)
	MOVQ(e.ref, t)
	SUBQ(e.start, t)
	CMPQ(t, Imm(8))
	JB(e.to("Back")) // at > ref, so both have 8 bytes before them
	MOVQ(Mem{Base: e.at, Disp: -8}, k)
	XORQ(Mem{Base: e.ref, Disp: -8}, k)
	ORQ(Imm(1), k)
	BSRQ(k, k)
	XORL(Imm(63), k.As32())
	SHRL(Imm(3), k.As32())
	CMPQ(k, literals)
	CMOVQGT(literals, k)
	CMPL(k.As32(), Imm(7))
	JAE(e.to("Back")) // possibly more
	SUBQ(k, e.at)
	SUBQ(k, e.ref)
	SUBQ(k, literals)
	ADDQ(k, n)
	JMP(e.to("Extended"))
	e.longer(n, "first")
	Label(e.label("Back"))
	CMPQ(e.at, e.anchor)
	JLE(e.to("BackEnd"))
	CMPQ(e.ref, e.start)
	JE(e.to("BackEnd"))
	MOVBLZX(Mem{Base: e.at, Disp: -1}, t.As32())
	CMPB(t.As8(), Mem{Base: e.ref, Disp: -1})
	JNE(e.to("BackEnd"))
	DECQ(e.at)
	DECQ(e.ref)
	INCQ(n)
	JMP(e.to("Back"))
	Label(e.label("BackEnd"))
	MOVQ(e.at, literals)
	SUBQ(e.anchor, literals)
	Label(e.label("Extended"))
}
