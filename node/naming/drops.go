package naming

import (
	"cmp"
	"slices"

	"rsros/node/ros"
	"rsros/node/transport"
)

// Drops is what a camera's topics left out so far, because this program or its
// subscribers were too slow.
type Drops struct {
	Topics     []TopicDrops // of topics that left something out, by name
	Sets       uint64       // frame sets that weren't processed
	Compressed uint64       // pictures that weren't compressed, in all topics
	Lost       uint64       // messages that subscribers lost, in all topics
}

// TopicDrops is what one topic left out.
type TopicDrops struct {
	Topic      string
	Compressed uint64 // pictures that weren't compressed
	Lost       uint64 // messages that subscribers lost, counted once for each
}

// Total is the sum of everything that was left out.
func (d *Drops) Total() uint64 { return d.Sets + d.Compressed + d.Lost }

// Add adds the drops of other topics.
func (d *Drops) Add(other Drops) {
	d.Topics = append(d.Topics, other.Topics...)
	slices.SortFunc(d.Topics, func(a, b TopicDrops) int { return cmp.Compare(a.Topic, b.Topic) })
	d.Sets += other.Sets
	d.Compressed += other.Compressed
	d.Lost += other.Lost
}

// publisher adds what the subscribers of a topic lost.
func (d *Drops) publisher(p *ros.Publisher) {
	var n uint64
	for _, lost := range p.Lost() {
		n += lost
	}
	d.topic(TopicDrops{Topic: p.Topic(), Lost: n})
}

// transports adds what the compressed forms of a topic left out.
func (d *Drops) transports(t *transport.Topics) {
	for topic, one := range t.Drops() {
		d.topic(TopicDrops{Topic: topic, Compressed: one.Dropped, Lost: one.Lost})
	}
}

func (d *Drops) topic(t TopicDrops) {
	if t.Compressed+t.Lost > 0 {
		d.Add(Drops{Topics: []TopicDrops{t}, Compressed: t.Compressed, Lost: t.Lost})
	}
}

// Drops counts what the topics left out so far.
func (w *WrapperTopics) Drops() Drops {
	var d Drops
	for _, p := range w.all {
		d.publisher(p)
	}
	for _, compressed := range w.compressed {
		d.transports(compressed)
	}
	if w.pipeline != nil {
		d.Sets = w.pipeline.dropped.Load()
	}
	return d
}

// Drops counts what the topics left out so far.
func (s *SDKTopics) Drops() Drops {
	var d Drops
	s.mu.Lock()
	for _, p := range s.pubs {
		d.publisher(p)
	}
	s.mu.Unlock()
	for _, compressed := range s.compressed {
		d.transports(compressed)
	}
	return d
}
