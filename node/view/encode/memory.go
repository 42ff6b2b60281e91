package encode

import (
	"runtime"
	"slices"
	"sync"

	"rsros/msgs/imagetransport"
)

const (
	// maxFree bounds the buffers that wait to be used again, in bytes. It is more than what
	// depth and colour of 1280x720 need, whatever the number of viewers.
	maxFree = 8 << 20
	// bufferGrain is what buffers' sizes are multiples of, so that pictures of nearly the same
	// size fit into the same ones.
	bufferGrain = 32 << 10
)

// Memory is what pictures are encoded with and kept in. It uses buffers and encoders again
// that are returned to it. Its zero value is ready. Without it, each encoded picture would wait
// for the garbage collector, which comes late in a program whose frames are large.
type Memory struct {
	mu       sync.Mutex
	free     [][]byte // the one that has been free longest is first
	kept     int      // bytes of free
	lent     int      // buffers that are out
	encoders []*encoder
}

// encoder encodes one picture at a time. It has memory for the largest form that a code can
// have, so that the buffers need the size of the code only.
type encoder struct {
	imagetransport.Encoder
	code []byte
	rows []byte // a band without padding
}

// get returns a buffer of n bytes with any content.
func (m *Memory) get(n int) []byte {
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

// Return takes the memory of a body back, if it has any of its own. Nobody may use the body
// any longer.
func (m *Memory) Return(b Body) {
	if b.lent {
		m.put(b.Data)
	}
}

// Lent is how many bodies have memory that wasn't returned.
func (m *Memory) Lent() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lent
}

func (m *Memory) put(b []byte) {
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

// encoder returns an encoder, for release.
func (m *Memory) encoder() *encoder {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.encoders)
	if n == 0 {
		return new(encoder)
	}
	e := m.encoders[n-1]
	m.encoders = m.encoders[:n-1]
	return e
}

// release takes an encoder back. It keeps as many as can run at once.
func (m *Memory) release(e *encoder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.encoders) < runtime.GOMAXPROCS(0) {
		m.encoders = append(m.encoders, e)
	}
}
