// Command ycbcr writes the assembly of package imagetransport for x86 processors with AVX2.
package main

import (
	"rsros/asm/gen"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Words of pixels are multiplied in pairs: red and green, blue and green. The factor of green in brightness has 16
// bits, so that each pair has half of it. 32768 isn't a signed word: the product with -32768 is subtracted.
const greenHalf = 38470 / 2

var (
	lumaRG = words("lumaRG", 19595, greenHalf)
	lumaBG = words("lumaBG", 7471, greenHalf)
	blueRG = words("blueRG", -11059, -21709)
	blueB  = words("blueB", -32768, 0)
	redBG  = words("redBG", -5329, -27439)
	redR   = words("redR", -32768, 0)
	half   = gen.Eight("half", U32(1<<15))
	middle = gen.Eight("middle", U32(128<<18+1<<17))
	order  = gen.Numbers[U32]("order", 0, 4, 1, 5, 2, 6, 3, 7)
)

// words returns a vector of eight pairs of words.
func words(name string, low, high int16) Mem {
	return gen.Eight(name, U32(uint16(low))|U32(uint16(high))<<16)
}

func main() {
	gen.Func("convertAVX2", "func(rows *[2]*byte, to *[4]*byte, pick *[2][32]byte, pixel, second, n int)",
		"convertAVX2 converts n pixels of two rows, a multiple of 16, to two rows of brightness and one of",
		"each colour. A pixel has pixel bytes. pick selects red and green, and blue and green, of 8 pixels:",
		"the first half from 16 bytes at the first pixel, the second half from 16 bytes second bytes further.")
	rows, to, pick := gen.Arg("rows"), gen.Arg("to"), gen.Arg("pick")
	pixel, second, n := gen.Arg("pixel"), gen.Arg("second"), gen.Arg("n")
	from, out := gen.Pointers(rows, 2), gen.Pointers(to, 4)
	SHLQ(Imm(3), pixel) // bytes of 8 pixels
	SHRQ(Imm(4), n)
	gen.Loop("convert", n, func() {
		light, rg, bg := sums(from, pick, pixel, second)
		at := YMM()
		VMOVDQU(order, at)
		VPACKUSWB(light[1], light[0], light[0])
		VPERMD(light[0], at, light[0])
		VMOVDQU(light[0].AsX(), Mem{Base: out[0]})
		VEXTRACTI128(Imm(1), light[0], Mem{Base: out[1]})
		both, high := colour(rg, blueRG, bg, blueB), XMM()
		VPACKUSDW(colour(bg, redBG, rg, redR), both, both)
		VPACKUSWB(both, both, both)
		VEXTRACTI128(Imm(1), both, high)
		VPUNPCKLWD(high, both.AsX(), high)
		VMOVQ(high, Mem{Base: out[2]})
		VPEXTRQ(Imm(1), high, Mem{Base: out[3]})
		for i, written := range [4]uint64{16, 16, 8, 8} {
			ADDQ(Imm(written), out[i])
		}
	})
	gen.Done()
	gen.Write("msgs/imagetransport", "avx2")
}

// sums reads 16 pixels of both rows. It returns the rows' brightness, as words in the order 0-3, 8-11, 4-7, 12-15, and
// the channels' sums of four pixels, as pairs of words of 0 1 4 5 2 3 6 7 in units of two pixels.
func sums(from []Register, pick, pixel, second Register) (rows [2]VecVirtual, rg, bg VecVirtual) {
	var light [2][2]VecVirtual
	var sumRG, sumBG [2]VecVirtual
	for i := range 2 {
		for row, at := range from {
			pixels := YMM()
			VMOVDQU(Mem{Base: at}, pixels.AsX())
			VINSERTI128(Imm(1), Mem{Base: at, Index: second, Scale: 1}, pixels, pixels)
			ADDQ(pixel, at)
			a, b := YMM(), YMM()
			VPSHUFB(Mem{Base: pick}, pixels, a)
			VPSHUFB(Mem{Base: pick, Disp: 32}, pixels, b)
			l, part := YMM(), YMM()
			VPMADDWD(lumaRG, a, l)
			sum(&sumRG[i], a, row)
			VPMADDWD(lumaBG, b, part)
			sum(&sumBG[i], b, row)
			VPADDD(part, l, l)
			VPADDD(half, l, l)
			VPSRLD(Imm(16), l, l)
			light[row][i] = l
		}
	}
	for row, l := range light {
		VPACKUSDW(l[1], l[0], l[0])
		rows[row] = l[0]
	}
	VPHADDD(sumRG[1], sumRG[0], sumRG[0]) // words don't overflow
	VPHADDD(sumBG[1], sumBG[0], sumBG[0])
	return rows, sumRG[0], sumBG[0]
}

// sum adds the words of a row, the first of which is the sum until then.
func sum(to *VecVirtual, v VecVirtual, row int) {
	if row == 0 {
		*to = v
		return
	}
	VPADDW(v, *to, *to)
}

// colour computes one of the colours. It has two channels' products of one pair, less that of the other pair.
func colour(two VecVirtual, factors Mem, one VecVirtual, factor Mem) VecVirtual {
	a, b := YMM(), YMM()
	VPMADDWD(factors, two, a)
	VPMADDWD(factor, one, b)
	VPSUBD(b, a, a)
	VPADDD(middle, a, a)
	VPSRLD(Imm(18), a, a)
	return a
}
