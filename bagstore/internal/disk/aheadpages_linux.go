package disk

import (
	"bytes"
	"math/bits"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	"rsros/program/buffers"

	"golang.org/x/sys/unix"
)

// aheadReach is the number of slots in the ring if pages can be moved. It costs only addresses.
const aheadReach = 256

// newPages returns memory outside the heap for blocks of a size, aligned to the block size.
func newPages(block int) pages {
	if moves() && !moveFailed.Load() && block%os.Getpagesize() == 0 {
		if mapping := reserve((aheadReach + 1) * block); mapping != nil {
			return pages{bytes: buffers.Align(mapping, aheadReach*block, block), mapping: mapping,
				ring: aheadReach, held: firstHeld(aheadReach)}
		}
	}
	n := aheadSlots * block
	if mapping := reserve(n + block); mapping != nil {
		p := fixedPages(buffers.Align(mapping, n, block))
		p.mapping = mapping
		return p
	}
	return fixedPages(buffers.Aligned(n, block))
}

// reserve returns n bytes of addresses, which get memory when they are first used, or nil.
func reserve(n int) []byte {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	return b
}

// move moves the memory of slot from to slot to. After an error the addresses may not be reserved
// any more, so nothing is moved or freed.
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

// moveMemory moves the memory of from to the addresses of to. The addresses of from stay
// reserved, so that no other mapping can take them.
func moveMemory(to, from []byte) bool {
	_, err := unix.MremapPtr(unsafe.Pointer(&from[0]), uintptr(len(from)), unsafe.Pointer(&to[0]), uintptr(len(to)),
		unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED|unix.MREMAP_DONTUNMAP)
	return err == nil
}

// moveFailed is set when a move failed: others would fail as well.
var moveFailed atomic.Bool

// moves reports whether pages are moved, which needs Linux 5.7 and free addresses.
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

// addressesAreFree reports whether reserving half a gigabyte of addresses costs little memory:
// the address space is large, no limit counts reserved addresses, and huge pages aren't larger
// than a block, as they are with pages of more than 4 KiB.
func addressesAreFree(page int) bool {
	const counted = "2" // reserved addresses count, even with NORESERVE
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

func (p pages) free() {
	if p.mapping != nil && !p.broken {
		Unmap(p.mapping)
	}
}
