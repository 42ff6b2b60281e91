package disk

import (
	"bytes"
	"math/bits"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// aheadReach is how many blocks that follow each other have places one after the other where
// memory can be moved. Only addresses are used up by it.
const aheadReach = 256

// newPages returns memory outside the heap for blocks of a size, aligned to it.
func newPages(block int) pages {
	if moves() && !moveFailed.Load() && block%os.Getpagesize() == 0 {
		if mapping := reserve((aheadReach + 1) * block); mapping != nil {
			return pages{bytes: align(mapping, aheadReach*block, block), mapping: mapping, ring: aheadReach, held: firstHeld(aheadReach)}
		}
	}
	n := aheadSlots * block
	if mapping := reserve(n + block); mapping != nil {
		p := fixedPages(align(mapping, n, block))
		p.mapping = mapping
		return p
	}
	return fixedPages(AlignedBytes(n, block))
}

// reserve returns addresses, which become memory where they are used first; nil if there are too few.
func reserve(n int) []byte {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	return b
}

// move moves the memory of a place to one that has none, and tells whether that was possible. If it
// wasn't, the addresses may no longer be reserved: nothing is moved any more, and none are freed.
func (p *pages) move(to, from int) bool {
	block := len(p.bytes) / len(p.held)
	if p.broken || !moveMemory(p.bytes[to*block:][:block], p.bytes[from*block:][:block]) {
		p.broken = true
		moveFailed.Store(true)
		return false
	}
	p.held[to], p.held[from] = true, false
	return true
}

// moveMemory gives to the memory of from, whose addresses stay reserved, so that nobody else's
// memory comes there.
func moveMemory(to, from []byte) bool {
	_, err := unix.MremapPtr(unsafe.Pointer(&from[0]), uintptr(len(from)), unsafe.Pointer(&to[0]), uintptr(len(to)),
		unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED|unix.MREMAP_DONTUNMAP)
	return err == nil
}

// moveFailed is set when a move failed: others would, too.
var moveFailed atomic.Bool

// moves tells whether memory is moved: Linux does it since 5.7, and the addresses have to cost nothing.
var moves = sync.OnceValue(func() bool {
	page := os.Getpagesize()
	if !addressesAreFree(page) {
		return false
	}
	b := reserve(2 * page)
	if b == nil {
		return false
	}
	defer Unmap(b)
	b[0] = 1
	return moveMemory(b[page:], b[:page]) && b[page] == 1
})

// addressesAreFree reports whether half a gigabyte of addresses may be taken for little memory: there are
// enough of them, no limit counts them, and no huge page is larger than a block, as it is with pages of more
// than 4 KiB: touching a byte of it would make memory of all.
func addressesAreFree(page int) bool {
	const counted = "2" // whatever a program may touch, NORESERVE or not
	mode, err := os.ReadFile("/proc/sys/vm/overcommit_memory")
	if err == nil && string(bytes.TrimSpace(mode)) == counted {
		return false
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur != unix.RLIM_INFINITY {
		return false
	}
	return bits.UintSize == 64 && page == 4<<10
}

// free ends the use of the memory.
func (p pages) free() {
	if p.mapping != nil && !p.broken {
		Unmap(p.mapping)
	}
}
