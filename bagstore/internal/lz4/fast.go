package lz4

//go:generate go run -C ../../../asm ./lz4

import (
	"runtime"
	"unsafe"

	pierrec "github.com/pierrec/lz4/v4"
	"golang.org/x/sys/cpu"
)

// hasAssembly: the processor has SSE4.1; hasWide: also AVX2, BMI1 and BMI2.
var (
	hasAssembly = assembly && cpu.X86.HasSSE41
	hasWide     = hasAssembly && cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2
)

// fast says whether the assembly is used. Tests turn it on and off to compare.
var fast = hasAssembly && !boundsChecked

// fastSequences decodes most of a block with decodeSSE, which leaves the last 64 bytes of dst to Go.
func fastSequences(dst, src []byte, low, n, at int) (int, int) {
	if !fast || len(dst) < slack {
		return n, at
	}
	return decodeSSE(dst, src, low, n, at)
}

// wholeBlock decodes a block to dst[n:], with matches back to dst[low], by the library, which has assembly for some
// processors for which we have none. ok is false for a damaged block and if fast may be used instead.
func wholeBlock(dst []byte, low, n int, block []byte) (got int, ok bool) {
	if runtime.GOARCH == "amd64" || boundsChecked {
		return 0, false
	}
	var err error
	if low == n {
		got, err = pierrec.UncompressBlock(block, dst[n:])
	} else {
		got, err = pierrec.UncompressBlockWithDict(block, dst[n:], dst[max(low, n-window):n])
	}
	return got, err == nil
}

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
