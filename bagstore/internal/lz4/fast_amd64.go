package lz4

//go:generate go run -C ../../../asm ./lz4

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// hasAssembly: the processor has SSE4.1; hasWide: also AVX2, BMI1 and BMI2.
var (
	hasAssembly = cpu.X86.HasSSE41
	hasWide     = hasAssembly && cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2
)

// fast says whether the assembly is used. Tests turn it on and off to compare.
var fast = hasAssembly && !boundsChecked

// fastSequences decodes most of a block with decodeSSE, which leaves the last 64 bytes of dst to
// Go.
func fastSequences(dst, src []byte, low, n, at int) (int, int) {
	if !fast || len(dst) < slack {
		return n, at
	}
	return decodeSSE(dst, src, low, n, at)
}

// wholeBlock is for processors for which the library has assembly and we have none.
func wholeBlock(_ []byte, _, _ int, _ []byte) (int, bool) { return 0, false }

// compressFast is compressSequences for two blocks, not both empty, unless ok is false. Its tables, of
// lower halves, use the memory of one.
func compressFast(jobs *[2]job, table *hashTable) (ok bool) {
	if !fast || !hasWide {
		return false
	}
	a, b := &jobs[0], &jobs[1]
	tables := (*[2][1 << hashBits]uint16)(unsafe.Pointer(table))
	a.d, a.anchor, b.d, b.anchor = compressAVX2(a.dst, a.src, b.dst, b.src, tables)
	return true
}

// checksumFast brings the sums of xxHash32 forward over b, a multiple of 64 bytes long.
func checksumFast(sums *[4]uint32, b []byte) { checksumSSE(sums, b) }
