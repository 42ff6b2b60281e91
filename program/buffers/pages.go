package buffers

import (
	"os"
	"unsafe"
)

// PageSize is the system's page size, up to 64 KiB, but at least 4096, as direct I/O requires.
var PageSize = max(4096, os.Getpagesize())

const (
	// HugePage is the size of a huge page in bytes.
	HugePage = 2 << 20
	// LeastHuge is the least size that is allocated from huge pages.
	LeastHuge = 256 << 10
)

// Round rounds n up to whole pages, at least one.
func Round(n int) int { return max((n+PageSize-1)&^(PageSize-1), PageSize) }

// MostCut is the most that Cut allocates for pieces that aren't larger than a few huge pages.
const MostCut = 5 * HugePage

// Cut allocates one or more pieces of size bytes from huge pages, if the system has them: as many as fill some huge
// pages with at most an eighth unused. They are garbage collected. Direct I/O pins every page, and the first access
// to a page causes a fault, so fewer pages are faster.
func Cut(size int) [][]byte {
	if size < LeastHuge {
		return [][]byte{Aligned(size, PageSize)}
	}
	whole := (size + HugePage - 1) / HugePage
	for n := whole; n < whole+4; n++ {
		if rest := n * HugePage % size; rest <= n*HugePage/8 {
			whole = n
			break
		}
	}
	memory := Huge(whole * HugePage)
	var out [][]byte
	for ; len(memory) >= size; memory = memory[size:] {
		out = append(out, memory[:size:size])
	}
	return out
}

// Single allocates size bytes that begin on a page, of which whole huge pages may be part. Unlike with Cut,
// no memory is unused.
func Single(size int) []byte {
	memory := Aligned(size, PageSize)
	AdviseHuge(memory)
	return memory
}

// Huge allocates size bytes that begin on a huge page.
func Huge(size int) []byte {
	memory := Aligned(size, HugePage)
	AdviseHuge(memory)
	return memory
}

// Aligned allocates size bytes whose address is a multiple of grain, a power of 2.
func Aligned(size, grain int) []byte { return Align(make([]byte, size+grain), size, grain) }

// Align returns size bytes of b whose address is a multiple of grain, a power of 2. b has at least size + grain bytes.
func Align(b []byte, size, grain int) []byte {
	skip := int(-uintptr(unsafe.Pointer(&b[0])) & uintptr(grain-1))
	return b[skip : skip+size : skip+size]
}
