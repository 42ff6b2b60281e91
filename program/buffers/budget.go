// Package buffers bounds the memory that peers on the network can make this program use for what they send, all of them
// together, and allocates page-aligned memory for large messages and images.
package buffers

import (
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// PeerInput is the budget of all peers that may connect to this program.
var PeerInput = NewBudget(64 << 20)

// Budget is a number of bytes that are lent and given back. It may be used from several goroutines.
type Budget struct {
	limit int64

	mu   sync.Mutex
	used int64
	peak int64 // since memory was last returned
}

// NewBudget returns a budget of limit bytes.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit} }

// Used is how many bytes are lent.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// Take lends n bytes, which the caller gives back.
func (b *Budget) Take(n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n > b.limit {
		return fmt.Errorf("%w: %d bytes more than the %d of %d that are in use", ErrExhausted, n, b.used, b.limit)
	}
	b.lend(n)
	return nil
}

// Force lends n bytes even if that exceeds the limit.
func (b *Budget) Force(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lend(n)
}

func (b *Budget) lend(n int64) {
	b.used += n
	b.peak = max(b.peak, b.used)
}

// A budget whose peak was returnAbove returns memory to the system when it is below.
const returnAbove = 8 << 20

// Give gives back n bytes.
func (b *Budget) Give(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	if b.peak >= returnAbove && b.used < returnAbove {
		b.peak = b.used
		ReturnSoon()
	}
}

// returnAfter gathers what becomes free in that time.
const returnAfter = time.Second

var returning atomic.Bool

// ReturnSoon makes the runtime return unused memory to the operating system within
// seconds; of itself it takes minutes. It is for memory that a peer made us use.
func ReturnSoon() {
	if returning.Swap(true) {
		return
	}
	time.AfterFunc(returnAfter, func() {
		returning.Store(false)
		debug.FreeOSMemory()
	})
}

// free is how much of each body isn't accounted for, so that usual peers are always served.
const free = 16 << 10

// Body is what was read from a peer.
type Body struct {
	Bytes  []byte // valid until Close
	budget *Budget
	taken  int64
	factor int64
}

// Close gives the memory back. It may be called twice.
func (b *Body) Close() {
	if b.taken > 0 {
		b.budget.Give(b.taken)
	}
	b.taken, b.Bytes = 0, nil
}

// Read reads r to its end or, if size isn't negative, exactly size bytes. Memory
// grows with the bytes that arrive. Each byte is accounted for as factor bytes: what
// decoding makes of it counts as well. A body of more than limit bytes is a
// *TooLargeError. The caller closes the Body; after an error there is none.
func (b *Budget) Read(r io.Reader, size int, limit, factor int64) (*Body, error) {
	if int64(size) > limit {
		return nil, &TooLargeError{Size: int64(size), Limit: limit}
	}
	body := &Body{budget: b, factor: factor}
	if err := body.fill(r, size, limit); err != nil {
		body.Close()
		return nil, err
	}
	return body, nil
}

func (b *Body) fill(r io.Reader, size int, limit int64) error {
	most := limit + 1 // one more tells that there is too much
	if size >= 0 {
		most = int64(size)
	}
	for have := int64(0); ; {
		if have == most {
			break
		}
		if err := b.grow(min(most, max(512, 2*have))); err != nil {
			return err
		}
		n, err := io.ReadFull(r, b.Bytes[have:cap(b.Bytes)])
		have += int64(n)
		b.Bytes = b.Bytes[:have]
		switch {
		case err == nil:
		case size < 0 && (err == io.EOF || err == io.ErrUnexpectedEOF):
			return nil
		case err == io.EOF:
			return io.ErrUnexpectedEOF
		default:
			return err
		}
	}
	if size < 0 && int64(len(b.Bytes)) > limit {
		return &TooLargeError{Size: -1, Limit: limit}
	}
	return nil
}

// grow makes room for n bytes in all.
func (b *Body) grow(n int64) error {
	if want := max(0, n-free) * b.factor; want > b.taken {
		if err := b.budget.Take(want - b.taken); err != nil {
			return err
		}
		b.taken = want
	}
	if n > int64(cap(b.Bytes)) {
		b.Bytes = append(make([]byte, 0, n), b.Bytes...)
	}
	return nil
}
