// Package pages makes memory for large messages and images: it begins on a page, as
// direct writing asks for, and is cut from huge pages where the system has them. To
// write memory past the page cache the kernel has to pin every page of it, and the first
// use of a page costs a fault.
//
// The memory belongs to the caller and is the garbage collector's like any other.
package pages

import (
	"os"
	"unsafe"
)

// Size is that of the system's pages, which may have up to 64 KiB, and at least what
// direct writing asks for.
var Size = max(4096, os.Getpagesize())

const (
	// hugePage is the size of a huge page in bytes.
	hugePage = 2 << 20
	// LeastHuge is the size from which pieces are cut from huge pages.
	LeastHuge = 256 << 10
)

// Round returns n rounded up to whole pages, at least one.
func Round(n int) int { return max((n+Size-1)&^(Size-1), Size) }

// Cut makes memory for one piece of size bytes, or for as many as fill some huge pages
// with at most an eighth left over.
func Cut(size int) [][]byte {
	if size < LeastHuge {
		return [][]byte{aligned(size, Size)}
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

func aligned(size, grain int) []byte {
	raw := make([]byte, size+grain)
	skip := int(-uintptr(unsafe.Pointer(&raw[0])) & uintptr(grain-1))
	return raw[skip : skip+size : skip+size]
}
