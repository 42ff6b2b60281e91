package buffers

import (
	"os"
	"unsafe"
)

// PageSize is the system's page size, up to 64 KiB, but at least 4096, as direct I/O requires.
var PageSize = max(4096, os.Getpagesize())

const (
	// hugePage is the size of a huge page.
	hugePage = 2 << 20
	// LeastHuge is the least size that is allocated from huge pages.
	LeastHuge = 256 << 10
)

// Round rounds n up to whole pages, at least one.
func Round(n int) int { return max((n+PageSize-1)&^(PageSize-1), PageSize) }

// MostCut is the most that Cut allocates for pieces that aren't larger than a few huge pages.
const MostCut = 5 * hugePage

// Cut allocates one or more pieces of size bytes from huge pages, if the system has them: as many as fill some huge
// pages with at most an eighth unused. They are garbage collected. Direct I/O pins every page, and the first access
// to a page causes a fault, so fewer pages are faster.
func Cut(size int) [][]byte {
	if size < LeastHuge {
		return [][]byte{aligned(size, PageSize)}
	}
	whole := (size + hugePage - 1) / hugePage
	for n := whole; n < whole+4; n++ {
		if rest := n * hugePage % size; rest <= n*hugePage/8 {
			whole = n
			break
		}
	}
	memory := aligned(whole*hugePage, hugePage)
	adviseHuge(memory)
	var out [][]byte
	for ; len(memory) >= size; memory = memory[size:] {
		out = append(out, memory[:size:size])
	}
	return out
}

// Aligned allocates size bytes that begin on a page, for what is used once.
func Aligned(size int) []byte { return aligned(size, PageSize) }

// Single allocates size bytes that begin on a page, of which whole huge pages may be part. Unlike with Cut,
// no memory is unused.
func Single(size int) []byte {
	memory := aligned(size, PageSize)
	adviseHuge(memory)
	return memory
}

func aligned(size, grain int) []byte {
	raw := make([]byte, size+grain)
	skip := int(-uintptr(unsafe.Pointer(&raw[0])) & uintptr(grain-1))
	return raw[skip : skip+size : skip+size]
}
