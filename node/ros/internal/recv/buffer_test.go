package recv

import (
	"testing"
	"unsafe"

	"rsros/program/pages"
)

func TestMemoryOfLargeMessagesBeginsOnPages(t *testing.T) {
	var p Pool
	for _, n := range []int{0, 1, pages.LeastHuge - 1, pages.LeastHuge, 1280*720*3 + 80, 20 << 20} {
		b := p.Memory(n)
		if len(b) < n || len(b) > n+n/8+pages.Size {
			t.Errorf("%d bytes for %d", len(b), n)
		}
		if n >= pages.LeastHuge && uintptr(unsafe.Pointer(&b[0]))%uintptr(pages.Size) != 0 {
			t.Errorf("%d bytes begin within a page", n)
		}
	}
}

func TestMessagesThatVaryUseTheSameMemory(t *testing.T) {
	var p Pool
	at := map[*byte]bool{}
	for n := range 1000 {
		b := p.Get(300<<10 + n)
		if cap(b.Data) < 300<<10+n {
			b.Data = p.Memory(300<<10 + n)
		}
		at[unsafe.SliceData(b.Data)] = true
		b.Release()
	}
	if len(at) != 1 {
		t.Errorf("%d pieces of memory for messages that come one after the other", len(at))
	}
}

func TestPreparedMemoryIsUsedFirst(t *testing.T) {
	const n = 1280*720*3 + 80
	var p Pool
	p.Prepare(n)
	if b := p.Get(n); cap(b.Data) < n {
		t.Errorf("a buffer of %d bytes for a message of %d", cap(b.Data), n)
	}
}
