package naming

import (
	"iter"
	"maps"
	"slices"

	"rsros/node/ros"
	"rsros/node/transport"
)

// Drops counts what a camera's topics dropped so far, because this program or its
// subscribers were too slow.
type Drops struct {
	Topics []transport.Drops // of topics with drops
	Sets   uint64            // frame sets that weren't processed
}

// Total returns the sum of all drops.
func (d *Drops) Total() uint64 {
	n := d.Sets
	for _, t := range d.Topics {
		n += t.Dropped + t.Lost
	}
	return n
}

func dropsOf(publishers iter.Seq[*ros.Publisher], compressed iter.Seq[transport.Topics]) (list []transport.Drops) {
	for p := range publishers {
		list = append(list, transport.DropsOf(p))
	}
	for t := range compressed {
		list = append(list, t.Drops()...)
	}
	return slices.DeleteFunc(list, func(d transport.Drops) bool { return d.Dropped+d.Lost == 0 })
}

// Drops returns the drops so far.
func (w *WrapperTopics) Drops() Drops {
	d := Drops{Topics: dropsOf(slices.Values(w.all), slices.Values(w.compressed))}
	if w.pipeline != nil {
		d.Sets = w.pipeline.dropped.Load()
	}
	return d
}

// Drops returns the drops so far.
func (s *SDKTopics) Drops() Drops {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Drops{Topics: dropsOf(maps.Values(s.pubs), maps.Values(s.compressed))}
}
