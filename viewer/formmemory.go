package viewer

import (
	"slices"
	"sync"

	"rsros/msgs/imagetransport"
)

const (
	// maxFree bounds the unused buffers in bytes. Depth and colour of 1280x720 need less, whatever the number of viewers.
	maxFree = 8 << 20
	// Sizes of buffers are multiples of bufferGrain, so that images of similar size can use the same buffers.
	bufferGrain = 32 << 10
)

// formMemory holds the buffers of encoded images, and reuses those that are returned to it. Without it, each encoded
// image would wait for the garbage collector, which runs rarely in a program with large frames. Its zero value is ready
// to use, by several goroutines at a time.
type formMemory struct {
	// mu guards:
	mu   sync.Mutex
	free [][]byte // longest unused first
	kept int      // bytes of free
	lent int      // number of buffers in use
}

// encoder encodes one image at a time. It has memory for the largest possible result, so that
// buffers need only the size of the actual one.
type encoder struct {
	imagetransport.Encoder
	code []byte
	rows []byte // a band without padding
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// get returns a buffer of n bytes, which aren't cleared.
func (m *formMemory) get(n int) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lent++
	best := -1
	for i, b := range m.free {
		if c := cap(b); n <= c && c <= 2*n+bufferGrain && (best < 0 || c < cap(m.free[best])) {
			best = i
		}
	}
	if best < 0 {
		return make([]byte, n, (n+bufferGrain-1)/bufferGrain*bufferGrain)
	}
	b := m.free[best]
	m.free = slices.Delete(m.free, best, best+1)
	m.kept -= cap(b)
	return b[:n]
}

// put returns a buffer, which must not be used afterwards.
func (m *formMemory) put(b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lent--
	m.free = append(m.free, b)
	m.kept += cap(b)
	old := 0
	for ; m.kept > maxFree; old++ {
		m.kept -= cap(m.free[old])
	}
	m.free = slices.Delete(m.free, 0, old)
}
