package naming

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"rsros/node/ros"
	"rsros/node/transport"
)

// Drops counts what a camera's topics dropped so far, because this program or its
// subscribers were too slow.
type Drops struct {
	Topics     []TopicDrops // topics with drops, by name
	Sets       uint64       // unprocessed frame sets
	Compressed uint64       // uncompressed images in all topics
	Lost       uint64       // lost messages in all topics, counted per subscriber
}

// TopicDrops counts what a topic dropped.
type TopicDrops struct {
	Topic      string
	Compressed uint64 // uncompressed images
	Lost       uint64 // lost messages, counted per subscriber
}

// Total returns the sum of all drops.
func (d *Drops) Total() uint64 { return d.Sets + d.Compressed + d.Lost }

// Add adds the drops of other topics.
func (d *Drops) Add(other Drops) {
	d.Topics = append(d.Topics, other.Topics...)
	slices.SortFunc(d.Topics, func(a, b TopicDrops) int { return cmp.Compare(a.Topic, b.Topic) })
	d.Sets += other.Sets
	d.Compressed += other.Compressed
	d.Lost += other.Lost
}

// dropsOf returns the drops of topics and of their compressed forms.
func dropsOf(publishers iter.Seq[*ros.Publisher], compressed iter.Seq[transport.Topics]) (d Drops) {
	for p := range publishers {
		var n uint64
		for _, lost := range p.Lost() {
			n += lost
		}
		d.topic(TopicDrops{Topic: p.Topic(), Lost: n})
	}
	for t := range compressed {
		for topic, one := range t.Drops() {
			d.topic(TopicDrops{Topic: topic, Compressed: one.Dropped, Lost: one.Lost})
		}
	}
	return d
}

func (d *Drops) topic(t TopicDrops) {
	if t.Compressed+t.Lost > 0 {
		d.Add(Drops{Topics: []TopicDrops{t}, Compressed: t.Compressed, Lost: t.Lost})
	}
}

// Drops returns the drops so far.
func (w *WrapperTopics) Drops() Drops {
	d := dropsOf(slices.Values(w.all), slices.Values(w.compressed))
	if w.pipeline != nil {
		d.Sets = w.pipeline.dropped.Load()
	}
	return d
}

// Drops returns the drops so far.
func (s *SDKTopics) Drops() Drops {
	s.mu.Lock()
	defer s.mu.Unlock()
	return dropsOf(maps.Values(s.pubs), maps.Values(s.compressed))
}
