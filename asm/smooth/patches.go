package main

import (
	"rsros/asm/gen"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// sliceSize is the size of a slice's header.
const sliceSize = 24

// means writes the mean of the pixels other than 0 of eight patches at a time. In each column of 16 pixels it counts
// words that are 0 and sums pairs of words, then combines the columns of a patch.
//
// Words are unsigned, but VPMADDWD multiplies signed ones: bias makes them signed. The
// quotients are exact in float32, as sums have at most 22 bits and counts at most 7.
func means(name string, by int, order ...U32) {
	places := gen.Numbers(name+"Order", order...)
	all, excess := ConstData(name+"All", U32(by*by)), ConstData(name+"Bias", U32(by*by<<15))
	gen.Func(name, "func(out *uint16, rows *[]uint16, n int)",
		name+" implements Mean for n patches, a multiple of 8, of as many rows as columns.")
	out, rows, n := gen.Arg("out"), gen.Arg("rows"), gen.Arg("n")
	none, ones, bias := gen.Zeros(), YMM(), YMM()
	VPCMPEQW(ones, ones, ones)
	VPSLLW(Imm(15), ones, bias)
	VPSRLW(Imm(15), ones, ones)
	at := gen.Zero()
	Label(name)
	sums, holes := make([]VecVirtual, by/2), make([]VecVirtual, by/2)
	for k := range by {
		row := GP64()
		MOVQ(Mem{Base: rows, Disp: k * sliceSize}, row)
		for i := range sums {
			d, hole := YMM(), YMM()
			VMOVDQU(Mem{Base: row, Index: at, Scale: 1, Disp: 32 * i}, d)
			VPCMPEQW(none, d, hole)
			VPXOR(bias, d, d)
			VPMADDWD(ones, d, d)
			if k == 0 {
				sums[i], holes[i] = d, hole
				continue
			}
			VPADDD(d, sums[i], sums[i])
			VPADDW(hole, holes[i], holes[i])
		}
	}
	for i := range holes {
		VPMADDWD(ones, holes[i], holes[i])
	}
	sum, valid, t := combined(sums), combined(holes), YMM()
	VPBROADCASTD(excess, t)
	VPADDD(t, sum, sum)
	VPBROADCASTD(all, t)
	VPADDD(t, valid, valid)
	VPSRLD(Imm(16), ones, t)
	VPMAXSD(t, valid, valid)
	VCVTDQ2PS(sum, sum)
	VCVTDQ2PS(valid, valid)
	VDIVPS(valid, sum, sum)
	VCVTTPS2DQ(sum, sum)
	VMOVDQU(places, t)
	VPERMD(sum, t, sum)
	VMOVDQU(gen.Packed(sum), Mem{Base: out})
	ADDQ(Imm(16), out)
	ADDQ(Imm(uint64(16*by)), at)
	SUBQ(Imm(8), n)
	JNZ(LabelRef(name))
	gen.Done()
}

// combined adds neighbours until there is one register.
func combined(list []VecVirtual) VecVirtual {
	for len(list) > 1 {
		half := make([]VecVirtual, len(list)/2)
		for i := range half {
			half[i] = YMM()
			VPHADDD(list[2*i+1], list[2*i], half[i])
		}
		list = half
	}
	return list[0]
}
