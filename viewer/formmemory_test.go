package viewer

import "testing"

// Memory kept for reuse is bounded.
func TestMemoryIsBounded(t *testing.T) {
	m := new(formMemory)
	var lent [][]byte
	for range 5 {
		lent = append(lent, m.get(maxFree/4))
	}
	for _, b := range lent {
		m.put(b)
	}
	if m.kept != maxFree || len(m.free) != 4 || m.lent != 0 {
		t.Errorf("%d bytes in %d buffers are free, and %d are out", m.kept, len(m.free), m.lent)
	}
	if b := m.get(100); cap(b) > bufferGrain {
		t.Errorf("100 bytes take a buffer of %d", cap(b))
	}
}
