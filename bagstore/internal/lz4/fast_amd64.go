package lz4

//go:generate go run -C ../../../asm ./lz4

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// hasAssembly: the processor has SSE4.1; hasWide: also AVX2 and BMI2.
var (
	hasAssembly = cpu.X86.HasSSE41
	hasWide     = hasAssembly && cpu.X86.HasAVX2 && cpu.X86.HasBMI2
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

// compressFast is compressSequences unless ok is false. Its table, of lower halves, uses the same
// memory.
func compressFast(dst, src []byte, table *hashTable) (d, anchor int, ok bool) {
	if !fast || !hasWide {
		return 0, 0, false
	}
	halves := (*[1 << hashBits]uint16)(unsafe.Pointer(table))
	clear(halves[:])
	d, anchor = compressAVX2(dst, src, halves)
	return d, anchor, true
}

// checksumFast brings the sums of xxHash32 forward over b, a multiple of 64 bytes long.
func checksumFast(sums *[4]uint32, b []byte) { checksumSSE(sums, b) }
