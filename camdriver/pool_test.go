package camdriver

import (
	"testing"
	"unsafe"
)

func TestPoolGivesAlignedBuffersUpToItsLimit(t *testing.T) {
	p := NewPool(3 * int64(PageSize))
	a, b := p.Get(1), p.Get(PageSize+1)
	if a == nil || b == nil {
		t.Fatal("the pool refused what fits")
	}
	for _, x := range []*Buffer{a, b} {
		if uintptr(unsafe.Pointer(&x.Bytes[0]))%uintptr(PageSize) != 0 {
			t.Error("a buffer isn't page-aligned")
		}
	}
	if p.Get(1) != nil {
		t.Error("the pool grew past its limit")
	}
	a.Release()
	again := p.Get(PageSize)
	if again != a {
		t.Error("a released buffer wasn't used again")
	}
	again.Release()
	b.Release()
	if p.InUse() != 0 {
		t.Errorf("%d bytes still counted as handed out", p.InUse())
	}
}

func TestPoolDoesNotAllocateOnceWarm(t *testing.T) {
	p := NewPool(1 << 20)
	p.Get(100).Release()
	if n := testing.AllocsPerRun(100, func() { p.Get(100).Release() }); n > 0 {
		t.Errorf("%v allocations for each Get and Release", n)
	}
}

func TestFrameReleasesItsOwnerOnce(t *testing.T) {
	p := NewPool(1 << 20)
	f := NewFrame(p.Get(10))
	f.Retain()
	f.Release()
	if p.InUse() == 0 {
		t.Fatal("the buffer went back while a reference was held")
	}
	f.Release()
	if p.InUse() != 0 {
		t.Error("the buffer didn't go back with the last reference")
	}
	defer func() {
		if recover() == nil {
			t.Error("one Release too many went unnoticed")
		}
	}()
	f.Release()
}
