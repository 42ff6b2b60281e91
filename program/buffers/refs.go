package buffers

import "sync/atomic"

// Releaser is memory whose references are counted. Release drops one reference; after the last one, the memory may be
// reused.
type Releaser interface{ Release() }

// Refs counts the references to what it is a part of. The zero value has none. It may be used from several goroutines.
type Refs struct{ n atomic.Int32 }

// Init makes the caller's reference the only one.
func (r *Refs) Init() { r.n.Store(1) }

// Retain adds a reference.
func (r *Refs) Retain() { r.n.Add(1) }

// Release drops a reference and reports whether it was the last one. It panics if there was none.
func (r *Refs) Release() (last bool) {
	n := r.n.Add(-1)
	if n < 0 {
		panic("released more often than retained")
	}
	return n == 0
}

// Count returns how many references there are.
func (r *Refs) Count() int { return int(r.n.Load()) }
