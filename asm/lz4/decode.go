package main

import (
	"rsros/asm/gen"

	"encoding/binary"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The assembly decodes sequences that start at least this many bytes before the end of src and dst. Without a check it
// reads up to 31 bytes and writes up to 30. With a check, for long literals and matches, it writes up to 32 after their
// end, which is at least 64 before the end of dst.
const (
	srcMargin = 32
	dstMargin = 64
)

// decode is most of a block decoder. A processor can't predict the lengths of sequences, so all usual ones take one
// path, which copies 16 bytes for up to 14 literals, and 16 for a match of up to 16 bytes at any distance.
func decode() {
	patterns, steps := shuffles()
	gen.Func("decodeSSE", "func(dst, src []byte, low, n, at int) (int, int)",
		"decodeSSE decodes sequences from src[at:] to dst[n:], with matches back to dst[low],",
		"and returns n and at before the first that is damaged or within 64 bytes of dst's end",
		"or 32 of src's. It may overwrite dst after n.")
	di, si := Load(Param("dst").Base(), GP64()), Load(Param("src").Base(), GP64())
	room, end := Load(Param("dst").Len(), GP64()), Load(Param("src").Len(), GP64())
	low := gen.Arg("low")
	ADDQ(di, room)
	SUBQ(Imm(dstMargin), room)
	ADDQ(si, end)
	SUBQ(Imm(srcMargin), end)
	ADDQ(di, low)
	n, at := gen.Arg("n"), gen.Arg("at")
	ADDQ(n, di)
	ADDQ(at, si)
	pattern := GP64()
	LEAQ(patterns, pattern)
	sixteen := GP32()
	MOVL(U32(16), sixteen)

	Label("sequence")
	CMPQ(si, end)
	JA(LabelRef("done"))
	CMPQ(di, room)
	JA(LabelRef("done"))
	match, literals := GP64(), GP64()
	s, d := GP64(), GP64() // after the literals
	x := XMM()
	MOVBLZX(Mem{Base: si}, match.As32())
	LEAQ(Mem{Base: si, Disp: 1}, s)
	MOVOU(Mem{Base: s}, x)
	MOVL(match.As32(), literals.As32())
	SHRL(Imm(4), literals.As32())
	ANDL(Imm(15), match.As32())
	CMPL(literals.As32(), Imm(15))
	JE(LabelRef("literals"))
	MOVOU(x, Mem{Base: di})
	ADDQ(literals, s)
	LEAQ(Mem{Base: di, Index: literals, Scale: 1}, d)

	Label("match")
	back, t := GP64(), GP64()
	MOVWLZX(Mem{Base: s}, back.As32())
	from := GP64()
	LEAQ(Mem{Base: back, Disp: -1}, t)
	MOVQ(d, from)
	SUBQ(low, from)
	CMPQ(t, from)
	JAE(LabelRef("done")) // 0, or before dst[low]
	// A match in its own literals reads them from src, because a processor stalls if it
	// reads part of what it has just written.
	MOVQ(d, from)
	CMPQ(back, literals)
	CMOVQLS(s, from)
	SUBQ(back, from)
	y, order := XMM(), XMM()
	MOVOU(Mem{Base: from}, y)
	MOVL(back.As32(), t.As32())
	CMPL(back.As32(), Imm(16))
	CMOVLHI(sixteen, t.As32())
	SHLL(Imm(4), t.As32())
	MOVOU(Mem{Base: pattern, Index: t, Scale: 1}, order)
	PSHUFB(order, y)
	MOVOU(y, Mem{Base: d})
	ADDQ(Imm(2), s)
	CMPL(match.As32(), Imm(12))
	JA(LabelRef("longer"))
	LEAQ(Mem{Base: d, Index: match, Scale: 1, Disp: 4}, di)
	MOVQ(s, si)
	JMP(LabelRef("sequence"))

	Label("literals")
	more("moreLiterals", literals, s, end)
	longLiterals(di, s, d, literals, room, end, x)
	JMP(LabelRef("match"))

	Label("longer")
	longMatch(d, s, di, si, match, back, room, end, y, steps)
	JMP(LabelRef("sequence"))

	Label("done")
	dst, src := Load(Param("dst").Base(), GP64()), Load(Param("src").Base(), GP64())
	SUBQ(dst, di)
	SUBQ(src, si)
	Store(di, ReturnIndex(0))
	Store(si, ReturnIndex(1))
	RET()
}

// more adds the remaining bytes of a length at s. It doesn't read beyond end.
func more(label string, n, s, end Register) {
	b := GP64()
	Label(label)
	CMPQ(s, end)
	JA(LabelRef("done"))
	MOVBLZX(Mem{Base: s}, b.As32())
	INCQ(s)
	ADDQ(b, n)
	CMPL(b.As32(), U32(255))
	JE(LabelRef(label))
}

// longLiterals copies literals from s to di, 16 bytes at a time, and sets s and d to their ends.
func longLiterals(di, s, d, literals, room, end Register, x VecVirtual) {
	t := GP64()
	MOVQ(room, t)
	SUBQ(di, t)
	CMPQ(literals, t)
	JA(LabelRef("done"))
	MOVQ(end, t)
	SUBQ(s, t)
	JB(LabelRef("done"))
	CMPQ(literals, t)
	JA(LabelRef("done"))
	MOVQ(di, d)
	LEAQ(Mem{Base: di, Index: literals, Scale: 1}, t)
	Label("copyLiterals")
	MOVOU(Mem{Base: s}, x)
	MOVOU(x, Mem{Base: d})
	ADDQ(Imm(16), s)
	ADDQ(Imm(16), d)
	CMPQ(d, t)
	JB(LabelRef("copyLiterals"))
	SUBQ(t, d) // the excess
	SUBQ(d, s)
	MOVQ(t, d)
}

// longMatch writes the rest of a match at d, whose first 16 bytes are in y and written, and sets di and si after it.
func longMatch(d, s, di, si, match, back, room, end Register, y VecVirtual, steps Mem) {
	CMPL(match.(GPVirtual).As32(), Imm(15))
	JNE(LabelRef("length"))
	more("moreMatch", match, s, end)
	Label("length")
	t := GP64()
	ADDQ(Imm(4), match)
	MOVQ(room, t)
	SUBQ(d, t)
	JB(LabelRef("done"))
	CMPQ(match, t)
	JA(LabelRef("done"))
	ADDQ(d, match) // its end
	MOVQ(s, si)
	CMPQ(back, Imm(16))
	JB(LabelRef("near"))
	MOVQ(d, t)
	SUBQ(back, t)
	Label("copyMatch")
	MOVOU(Mem{Base: t, Disp: 16}, y)
	MOVOU(y, Mem{Base: d, Disp: 16})
	ADDQ(Imm(16), t)
	ADDQ(Imm(16), d)
	CMPQ(d, match)
	JB(LabelRef("copyMatch"))
	MOVQ(match, di)
	JMP(LabelRef("sequence"))
	Label("near")
	step := GP64()
	LEAQ(steps, t)
	MOVBLZX(Mem{Base: t, Index: back, Scale: 1}, step.As32())
	Label("repeat")
	ADDQ(step, d)
	MOVOU(y, Mem{Base: d})
	CMPQ(d, match)
	JB(LabelRef("repeat"))
	MOVQ(match, di)
}

// shuffles returns two tables by the distance of a match: the shuffle of its source that
// makes its first 16 bytes, and the period in bytes with which these repeat.
func shuffles() (patterns, steps Mem) {
	patterns = GLOBL("patterns", RODATA|NOPTR)
	for back := range 17 {
		var order [16]byte
		for i := range order {
			order[i] = byte(i % max(back, 1))
		}
		DATA(16*back, U64(binary.LittleEndian.Uint64(order[:])))
		DATA(16*back+8, U64(binary.LittleEndian.Uint64(order[8:])))
	}
	steps = GLOBL("steps", RODATA|NOPTR)
	for back := range 16 {
		DATA(back, U8(16-16%max(back, 1)))
	}
	return patterns, steps
}
