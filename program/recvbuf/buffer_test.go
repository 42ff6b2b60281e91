package recvbuf

import (
	"testing"
	"unsafe"

	"rsros/program/buffers"
	"rsros/program/work"
)

func TestMemoryOfLargeMessagesBeginsOnPages(t *testing.T) {
	var p Pool
	for _, n := range []int{0, 1, buffers.LeastHuge - 1, buffers.LeastHuge, 1280*720*3 + 80, 20 << 20} {
		for _, b := range [][]byte{p.Get(n).Memory(n), new(Pool).GetUnpooled(n).Memory(n)} {
			checkMemory(t, b, n)
		}
	}
}

func checkMemory(t *testing.T, b []byte, n int) {
	t.Helper()
	if len(b) < n || len(b) > n+n/8+buffers.PageSize {
		t.Errorf("%d bytes for %d", len(b), n)
	}
	if n >= buffers.LeastHuge && uintptr(unsafe.Pointer(&b[0]))%uintptr(buffers.PageSize) != 0 {
		t.Errorf("%d bytes begin within a page", n)
	}
}

func TestMessagesThatVaryUseTheSameMemory(t *testing.T) {
	var p Pool
	at := map[*byte]bool{}
	for n := range 1000 {
		b := p.Get(300<<10 + n)
		if cap(b.Data) < 300<<10+n {
			b.Data = b.Memory(300<<10 + n)
		}
		at[unsafe.SliceData(b.Data)] = true
		b.Release()
	}
	if len(at) != 1 {
		t.Errorf("%d pieces of memory for messages that come one after the other", len(at))
	}
}

func TestUnusedMemoryIsUsedFirst(t *testing.T) {
	const n = 1280*720*3 + 80
	for name, get := range map[string]func(*Pool, int) *Buffer{"any": (*Pool).Get, "first": (*Pool).GetUnpooled} {
		var p Pool
		before := p.Get(n)
		before.Data = before.Memory(n)
		before.Release()
		if b := get(&p, n); cap(b.Data) < n {
			t.Errorf("%s: a buffer of %d bytes for a message of %d", name, cap(b.Data), n)
		}
	}
}

// TestTrim checks that a pool gives up what a burst left, and keeps what is used all the time.
func TestTrim(t *testing.T) {
	const n = 1 << 20
	var p Pool
	hold := func(buffers int) {
		var held []*Buffer
		for range buffers {
			b := p.Get(n)
			if cap(b.Data) < n {
				b.Data = b.Memory(n)
			}
			held = append(held, b)
		}
		for _, b := range held {
			b.Release()
		}
	}
	hold(48)
	p.Trim()
	if p.Idle() < 48*n {
		t.Errorf("%d bytes after a burst", p.Idle())
	}
	hold(20)
	p.Trim()
	if got := p.Idle(); got < 20*n || got > 20*n+restBytes {
		t.Errorf("%d bytes, of which %d are used", got, 20*n)
	}
	p.Trim()
	if got := p.Idle(); got > restBytes {
		t.Errorf("%d bytes that nothing uses", got)
	}
}

// TestBudget checks that the unused buffers of several pools are bounded together, give way to a queue, and
// that a closed pool keeps nothing.
func TestBudget(t *testing.T) {
	const n, limit = 1 << 20, 32 << 20
	b := work.NewBudget(limit)
	q := work.NewQueue[int](b, func(int) {})
	pools := make([]Pool, 4)
	late := make([]*Buffer, len(pools))
	for i := range pools {
		p := &pools[i]
		p.Share(b)
		var held []*Buffer
		for range 20 {
			one := p.Get(n)
			if cap(one.Data) < n {
				one.Data = one.Memory(n)
			}
			held = append(held, one)
		}
		late[i] = held[0]
		for _, one := range held[1:] {
			one.Release()
		}
	}
	idle := func() (total int64) {
		for i := range pools {
			total += int64(pools[i].Idle())
		}
		if total != b.Spare() {
			t.Errorf("%d bytes are unused, %d in the budget", total, b.Spare())
		}
		return total
	}
	if got := idle(); got > limit || got < limit/2 {
		t.Errorf("%d bytes unused, the limit is %d", got, limit)
	}
	q.Push(0, 0, limit)
	if got := idle(); got > limit/8 || got == 0 {
		t.Errorf("%d bytes unused beside a full queue, the limit is %d", got, limit)
	}
	for i := range pools {
		pools[i].Close()
		late[i].Release()
	}
	if got := idle(); got != 0 {
		t.Errorf("%d bytes are kept by closed pools", got)
	}
}
