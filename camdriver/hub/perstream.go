package hub

import (
	"iter"

	"rsros/camdriver"
)

// PerStream holds a T for each stream of a device, such as a counter, without a
// lock: a T is at the same place as long as the PerStream lives. The zero value
// holds zero values.
type PerStream[T any] struct {
	list [kinds * indexes]T
}

// No device has more kinds, or higher indexes within a kind. Higher indexes share
// the last place.
const kinds, indexes = 16, 4

// Of is the stream's T.
func (p *PerStream[T]) Of(id camdriver.StreamID) *T {
	return &p.list[int(id.Kind)%kinds*indexes+min(max(id.Index, 0), indexes-1)]
}

// All are the Ts of all streams that a device may have.
func (p *PerStream[T]) All() iter.Seq2[camdriver.StreamID, *T] {
	return func(yield func(camdriver.StreamID, *T) bool) {
		for i := range p.list {
			if !yield(camdriver.StreamID{Kind: camdriver.StreamKind(i / indexes), Index: i % indexes}, &p.list[i]) {
				return
			}
		}
	}
}
