package camdriver

import (
	"testing"
	"unsafe"
)

func TestPoolAlignmentAndLimit(t *testing.T) {
	p := NewPool(3 * int64(PageSize))
	a, b := p.Get(1), p.Get(PageSize+1)
	if a == nil || b == nil {
		t.Fatal("Get failed below the limit")
	}
	for _, x := range []*Buffer{a, b} {
		if uintptr(unsafe.Pointer(&x.Bytes[0]))%uintptr(PageSize) != 0 {
			t.Error("buffer is not page-aligned")
		}
	}
	if p.Get(1) != nil {
		t.Error("Get succeeded above the limit")
	}
	a.Release()
	again := p.Get(PageSize)
	if again != a {
		t.Error("released buffer was not reused")
	}
	again.Release()
	b.Release()
	if p.InUse() != 0 {
		t.Errorf("%d bytes in use after the last Release", p.InUse())
	}
}

func TestPoolReservesWithoutGaps(t *testing.T) {
	const count = 5
	n := 3*PageSize + 1
	p := NewPool(1 << 20)
	p.Reserve(n, count)
	at := map[uintptr]bool{}
	least := ^uintptr(0)
	for range count {
		a := uintptr(unsafe.Pointer(&p.Get(n).Bytes[0]))
		at[a], least = true, min(least, a)
	}
	for i := range count {
		if a := least + uintptr(i*4*PageSize); !at[a] || a%uintptr(PageSize) != 0 {
			t.Errorf("buffers at %v, want one each %d bytes", at, 4*PageSize)
		}
	}
}

func TestPoolAllocations(t *testing.T) {
	p := NewPool(1 << 20)
	p.Get(100).Release()
	if n := testing.AllocsPerRun(100, func() { p.Get(100).Release() }); n > 0 {
		t.Errorf("%v allocations per Get and Release", n)
	}
}

func TestFrameReleasesItsOwnerOnce(t *testing.T) {
	p := NewPool(1 << 20)
	f := NewFrame(p.Get(10))
	f.Retain()
	f.Release()
	if p.InUse() == 0 {
		t.Fatal("buffer released while the frame held a reference")
	}
	f.Release()
	if p.InUse() != 0 {
		t.Error("buffer not released with the last reference")
	}
	defer func() {
		if recover() == nil {
			t.Error("extra Release did not panic")
		}
	}()
	f.Release()
}
