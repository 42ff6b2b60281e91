package naming

import (
	"iter"
	"maps"
	"slices"
	"sync/atomic"

	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
	"rsros/node/transport"
)

// sink takes the messages of a topic: a publisher, or the player's callback.
type sink interface {
	Wanted() bool // there are subscribers
	Publish(msgs.Raw)
}

// openSink opens the sink of a topic. s is nil if the topic has no images.
type openSink func(topic, typ string, s *stream) (sink, error)

// numbers are the numbers of a topic's messages, which are counted as in roscpp: with the frames'
// numbers, a skipped set would look like a lost message.
type numbers struct {
	ofFrames bool // messages have their frame's number instead
	count    atomic.Uint32
}

func (n *numbers) next(frame uint64) uint32 {
	if n.ofFrames {
		return uint32(frame)
	}
	return n.count.Add(1) - 1
}

// streamSinks are the sinks of a stream's topics, in the layout's order.
type streamSinks struct {
	*stream
	numbers
	list []sink
}

func (l *layout) newStreamSinks(s *stream, open openSink) (*streamSinks, error) {
	out := &streamSinks{stream: s, numbers: numbers{ofFrames: l.numbered}}
	for _, t := range s.topics {
		o, err := open(t.topic, t.typ, s)
		if err != nil {
			return nil, err
		}
		out.list = append(out.list, o)
	}
	return out, nil
}

// publish publishes a frame's messages. It omits an image if memory is exhausted, because
// subscribers are too slow. lens, unless nil, replaces the stream's intrinsics.
func (o *streamSinks) publish(f *camdriver.Frame, stamp msgs.Time, lens *camdriver.Intrinsics) {
	header := msgs.Header{Seq: o.next(f.Number), Stamp: stamp, FrameID: o.frameID}
	for i, t := range o.topics {
		to := o.list[i]
		if !to.Wanted() {
			continue
		}
		if lens != nil && t.typ == cameraInfoType {
			to.Publish(cameraInfoOf(header, f, lens))
		} else if m, ok := t.encode(header, f); ok {
			to.Publish(m)
		}
	}
}

func (o *streamSinks) wanted() bool { return slices.ContainsFunc(o.list, sink.Wanted) }

// streams are the sinks of a device's streams.
type streams map[camdriver.StreamID]*streamSinks

// publish publishes the messages of a set's frames, with one stamp, except those of processed depth. Depth is clipped,
// also in the set, if it is published or compute is set.
func (l *layout) publish(to streams, set *process.Set, stamp msgs.Time, compute bool) {
	for i := range set.Images {
		f := set.Images[i].Frame
		out := to[f.Stream()]
		if out == nil {
			continue
		}
		processed := out.depth && l.options.changesDepth()
		if out.depth && l.options.Clip > 0 && (compute || !processed && out.wanted()) {
			set.Images[i].Frame = l.clip(f)
			f.Release()
			f = set.Images[i].Frame
		}
		if !processed {
			out.publish(f, stamp, nil)
		}
	}
}

// transports returns the options of the compressed forms of an image topic.
func (s *stream) transports() transport.Options {
	return transport.Options{Encoding: wrapperEncoding(s.format), Depth: s.depth && s.format == camdriver.Z16}
}

// Drops counts what this program or subscribers were too slow for.
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

func dropsOf(topics iter.Seq[*transport.Publisher]) (list []transport.Drops) {
	for p := range topics {
		list = append(list, p.Drops()...)
	}
	return slices.DeleteFunc(list, func(d transport.Drops) bool { return d.Dropped+d.Lost == 0 })
}

// Drops returns the drops so far.
func (w *WrapperTopics) Drops() Drops {
	d := Drops{Topics: dropsOf(slices.Values(w.all))}
	if w.pipeline != nil {
		d.Sets = w.pipeline.sets.Dropped()
	}
	return d
}

// Drops returns the drops so far.
func (s *SDKTopics) Drops() Drops {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Drops{Topics: dropsOf(maps.Values(s.pubs))}
}
