package camdriver

import (
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"rsros/program/buffers"
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

// TestPoolHoldsLittle checks that frames of changing sizes leave no more memory than the limit,
// and that those in use don't keep large blocks.
func TestPoolHoldsLittle(t *testing.T) {
	const limit = 32 << 20
	p := NewPool(limit)
	var used []*Buffer
	for i := range 100 {
		b := p.Get(i*50_000 + 300_000)
		if i%4 != 0 {
			b.Release()
			continue
		}
		for used = append(used, b); p.InUse() > limit/2; {
			used[0].Release()
			used = used[1:]
		}
	}
	blocks := map[*block]int{}
	for _, b := range used {
		blocks[b.block] += len(b.whole)
	}
	for _, list := range p.free {
		for _, b := range list {
			blocks[b.block] += len(b.whole)
		}
	}
	held := 0
	for k, n := range blocks {
		if int64(n) != k.bytes {
			t.Errorf("a block of %d bytes has buffers of %d", k.bytes, n)
		}
		held += n
	}
	if held > 2*limit || int64(held) != p.held {
		t.Errorf("%d bytes are held and %d counted, want at most %d", held, p.held, 2*limit)
	}
	for _, b := range used {
		b.Release()
	}
	p.Get(limit).Release()
	if p.held > limit {
		t.Errorf("%d bytes are held, with none in use, want at most %d", p.held, limit)
	}
}

// TestPoolTidies: what a burst needed is freed, even if nothing follows, and what is used over and over stays.
func TestPoolTidies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 3 << 20
		p := NewPool(64 << 20)
		burst := func() {
			var all []*Buffer
			for b := p.Get(size); b != nil; b = p.Get(size) {
				all = append(all, b)
			}
			for _, b := range all {
				b.Release()
			}
		}
		held := func() int64 {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.held
		}
		burst()
		most, used := held(), map[*Buffer]bool{}
		for range 4 * tidyEvery / time.Second {
			time.Sleep(time.Second)
			b := p.Get(size)
			b.Release()
			used[b] = true
		}
		if len(used) != 1 {
			t.Errorf("one buffer at a time is used: it was replaced %d times", len(used)-1)
		}
		if n := held(); n == 0 || n > buffers.MostCut || most < 32<<20 {
			t.Errorf("%d bytes of %d are held for one buffer of %d", n, most, size)
		}
		one := p.Get(size)
		burst()
		time.Sleep(3 * tidyEvery)
		if n := held(); n == 0 || n > buffers.MostCut {
			t.Errorf("%d bytes are held for one buffer in use", n)
		}
		one.Release()
		if time.Sleep(3 * tidyEvery); held() > 0 {
			t.Errorf("%d bytes are held for nothing", held())
		}
	})
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
