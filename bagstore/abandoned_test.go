package bagstore

import (
	"sync/atomic"
	"testing"
)

// loaded is a Reader whose blocks are a buffer.
type loaded struct {
	Reader
	blk *Buffer
}

func (l loaded) Load(int, Layout, bool) (*Buffer, error) { return l.blk, nil }

// TestAbandonedIsReleased checks that a block that nobody wants any more, because it came too late, is released.
func TestAbandonedIsReleased(t *testing.T) {
	for state, want := range map[int32]int{contentBegun: 1, contentAbandoned: 0} {
		c := &chunkContent{done: make(chan struct{})}
		c.state.Store(state)
		blk := WrapBuffer(make([]byte, 100))
		c.fill(loaded{blk: blk}, Layout{}, false, new(atomic.Int64))
		if n := blk.refs.Count(); n != want {
			t.Errorf("state %d: %d references, want %d", state, n, want)
		}
	}
}
