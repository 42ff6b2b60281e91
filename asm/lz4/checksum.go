package main

import (
	"rsros/asm/gen"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// Primes of xxHash32.
const (
	prime1 = 2654435761
	prime2 = 2246822519
)

// checksum is the main loop of xxHash32, in which each of four sums waits for a
// multiplication. The other multiplication of a step doesn't depend on the sums, so vector
// instructions do four at once, which leaves the scalar multiplier to the sums.
func checksum() {
	factors := gen.Numbers[U32]("factors", prime2, prime2, prime2, prime2)
	gen.Func("checksumSSE", "func(sums *[4]uint32, b []byte)",
		"checksumSSE updates the four sums of xxHash32 with b, whose length is a multiple of 64.")
	sums, b, n := gen.Arg("sums"), Load(Param("b").Base(), GP64()), Load(Param("b").Len(), GP64())
	products := AllocLocal(64)
	factor := XMM()
	MOVOU(factors, factor)
	v := []Op{GP32(), GP32(), GP32(), GP32()}
	for i := range v {
		MOVL(Mem{Base: sums, Disp: 4 * i}, v[i])
	}
	SUBQ(Imm(64), n)
	JL(LabelRef("end"))
	Label("next")
	for part := range 4 {
		x := XMM()
		MOVOU(Mem{Base: b, Disp: 16 * part}, x)
		PMULLD(factor, x)
		MOVOU(x, products.Offset(16*part))
	}
	for part := range 4 {
		for i := range v {
			ADDL(products.Offset(16*part+4*i), v[i])
			ROLL(Imm(13), v[i])
			IMUL3L(U32(prime1), v[i], v[i])
		}
	}
	ADDQ(Imm(64), b)
	SUBQ(Imm(64), n)
	JGE(LabelRef("next"))
	Label("end")
	for i := range v {
		MOVL(v[i], Mem{Base: sums, Disp: 4 * i})
	}
	RET()
}
