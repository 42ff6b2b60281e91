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

func TestSlab(t *testing.T) {
	for size, want := range map[int]int{
		PageSize:           1, // small ones stand alone
		640 * 480 * 3:      2, // in one huge page
		848*480*2 + 1024:   5, // in two
		1280*720*2 + 0:     1, // in one
		1280 * 720 * 3:     2, // in three
		1920*1080*3 + 1024: 1, // in three
		100 << 20:          1,
	} {
		parts := slab(size)
		if len(parts) != want {
			t.Errorf("%d bytes: %d buffers, want %d", size, len(parts), want)
		}
		for i, b := range parts {
			if len(b) != size || cap(b) != size {
				t.Errorf("%d bytes: buffer %d has %d of %d", size, i, len(b), cap(b))
			}
			b[0], b[size-1] = 1, 1
		}
	}
}
