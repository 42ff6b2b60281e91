package buffers

import "sync"

// Pool lends buffers for messages that are encoded. It may be used from several goroutines.
type Pool struct{ idle sync.Pool }

// Lent is a buffer of a Pool until Release, after which nobody may use it.
type Lent struct {
	Bytes []byte
	home  *Pool
}

// Get returns an empty buffer.
func (p *Pool) Get() *Lent {
	if b, ok := p.idle.Get().(*Lent); ok {
		b.Bytes = b.Bytes[:0]
		return b
	}
	return &Lent{home: p}
}

// Release returns the buffer to its pool.
func (b *Lent) Release() { b.home.idle.Put(b) }
