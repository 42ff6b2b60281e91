package camdriver

import (
	"iter"
)

// PerStream holds a T for each stream of a device, such as an atomic counter. The Ts
// do not move. The zero value is ready to use.
type PerStream[T any] struct {
	list [kinds * indexes]T
}

// Limits that no device exceeds. Higher indexes share the last T.
const kinds, indexes = 16, 4

// Of returns the stream's T.
func (p *PerStream[T]) Of(id StreamID) *T {
	return &p.list[int(id.Kind)%kinds*indexes+min(max(id.Index, 0), indexes-1)]
}

// All iterates over the Ts of all possible streams.
func (p *PerStream[T]) All() iter.Seq2[StreamID, *T] {
	return func(yield func(StreamID, *T) bool) {
		for i := range p.list {
			if !yield(StreamID{Kind: StreamKind(i / indexes), Index: i % indexes}, &p.list[i]) {
				return
			}
		}
	}
}
