package naming

import (
	"slices"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rssets"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
	"rsros/program/buffers"
	"rsros/replay"
)

func (s *Source) View(q bagstore.Query) replay.View {
	v := &view{source: s, start: q.Start, end: q.End, wanted: make(map[*bagstore.Connection]bool)}
	if v.end == 0 {
		v.end = bagstore.MaxTime
	}
	for _, c := range s.conns {
		v.wanted[c] = q.Connections == nil || q.Connections(c)
		if v.wanted[c] && s.computed[c] != nil {
			v.computed = append(v.computed, c)
		}
	}
	for _, m := range s.statics {
		if v.wanted[m.Conn] && m.Time >= v.start && m.Time <= v.end {
			v.statics = append(v.statics, m)
		}
	}
	return v
}

// view is a replay.View, a selection of a Source's messages.
type view struct {
	source     *Source
	start, end bagstore.Time
	wanted     map[*bagstore.Connection]bool
	computed   []*bagstore.Connection // computed ones that are wanted
	statics    []replay.Recorded
}

func (v *view) Start() bagstore.Time {
	return v.timeOf(replay.Iterator.Next)
}

func (v *view) End() bagstore.Time {
	return v.timeOf(func(it replay.Iterator) bool { it.SeekEnd(); return it.Prev() })
}

// timeOf returns the time of the message that move finds, or 0.
func (v *view) timeOf(move func(replay.Iterator) bool) bagstore.Time {
	it := v.Iterator()
	defer it.Close()
	if !move(it) {
		return 0
	}
	return it.Message().Time
}

func (v *view) Iterator() replay.Iterator {
	it := &iterator{view: v}
	s := v.source
	it.frames = rssets.NewReader(s.file, rssets.Options{Streams: v.reads, Rig: s.rig, Match: s.layout.options.sync()})
	if s.imu != nil {
		it.uniter = process.NewUniter(s.layout.options.UniteIMU, func(sample process.UnitedSample) { it.united = append(it.united, sample) })
	}
	it.Seek(v.start)
	return it
}

// reads reports whether to read a stream, because its own messages or results that need it
// are wanted. With sync, depth is always read, because a set has its stamp.
func (v *view) reads(id camdriver.StreamID) bool {
	o, st := &v.source.layout.options, v.source.layout.streams[id]
	switch {
	case st == nil:
		return false
	case slices.ContainsFunc(st.topics, func(t streamTopic) bool { return v.wanted[v.source.connection(t)] }):
		return true
	case id.Kind == camdriver.Gyro || id.Kind == camdriver.Accel:
		return v.source.imu != nil && v.wanted[v.source.imu]
	case id.Kind == camdriver.Depth:
		return o.sync() || len(v.computed) > 0
	case len(v.computed) == 0:
		return false
	}
	return id.Kind == o.Texture.Kind || id.Kind == camdriver.Color && o.align() || id.Kind == camdriver.Infrared && o.has(filterHDRMerge)
}

// iterator is a replay.Iterator that makes messages from the frames of a recording. Static
// messages come first.
type iterator struct {
	view    *view
	frames  *rssets.Reader
	uniter  *process.Uniter        // nil without unite_imu_method
	united  []process.UnitedSample // samples that uniter returned
	seq     uint32                 // of the next one
	run     *run
	static  int // the position is before this static message
	now     instant
	i       int       // the position is before now.messages[i]
	past    []instant // before now, in time order; read ahead by Prev
	lost    bool      // frames must seek, because Prev was called
	cur     replay.Recorded
	damaged uint64
	err     error
}

type instant struct {
	at       bagstore.Time
	messages []replay.Recorded
}

func (i *instant) release() {
	for _, m := range i.messages {
		if r, ok := m.Owner.(buffers.Releaser); ok {
			r.Release()
		}
	}
	i.messages = nil
}

func (it *iterator) Seek(t bagstore.Time) {
	it.drop()
	it.err = nil
	it.static = len(it.view.statics)
	if t = max(t, it.view.start); t <= bagstore.MinTime {
		it.static = 0
	}
	it.now.at = t - 1
	it.goTo(t)
}

// goTo seeks frames to t.
func (it *iterator) goTo(t bagstore.Time) {
	it.lost, it.run = false, &run{}
	if it.uniter != nil {
		it.uniter.Reset()
	}
	it.frames.Seek(time.Duration(max(t-it.view.source.offset, 0)))
}

func (it *iterator) SeekEnd() {
	if it.view.end >= bagstore.MaxTime {
		it.Seek(bagstore.MaxTime)
	} else {
		it.Seek(it.view.end + 1)
	}
}

func (it *iterator) drop() {
	it.now.release()
	for i := range it.past {
		it.past[i].release()
	}
	it.past, it.i, it.cur = nil, 0, replay.Recorded{}
}

func (it *iterator) Next() bool {
	if it.static < len(it.view.statics) {
		it.cur = it.view.statics[it.static]
		it.static++
		return true
	}
	for it.err = nil; it.i == len(it.now.messages); {
		if it.lost {
			it.goTo(it.now.at + 1)
		}
		it.drop()
		more := it.advance(&it.now)
		if it.newDamage() || !more {
			return false // after damage, the next call continues
		}
	}
	it.cur = it.now.messages[it.i]
	it.i++
	return true
}

func (it *iterator) SkipNext() bool { return it.Next() }

// advance makes the messages of the next instant. It returns false if the view has none.
func (it *iterator) advance(to *instant) bool {
	for begun := false; ; {
		e, ok := it.frames.Next()
		if !ok {
			return begun
		}
		at := it.view.source.offset + bagstore.Time(e.At)
		if at > it.view.end || begun && at > to.at {
			it.frames.Unread(e)
			return begun
		}
		to.at, begun = at, true
		it.take(e, to)
		e.Release()
	}
}

func (it *iterator) Prev() bool {
	it.err = nil
	for it.i == 0 && it.back() {
		it.i = len(it.now.messages)
	}
	switch {
	case it.i > 0:
		it.i--
		it.cur = it.now.messages[it.i]
	case it.err == nil && it.static > 0:
		it.static--
		it.cur = it.view.statics[it.static]
	default:
		return false
	}
	return true
}

// maxPast bounds the instants kept for Prev.
const maxPast = 64

// back goes to the previous instant by reading forward up to it, as sets are matched.
func (it *iterator) back() bool {
	s := it.view.source
	before := it.now.at
	if len(it.now.messages) == 0 {
		before++ // nothing at that time was read
	}
	before = min(before, s.offset+bagstore.Time(s.file.Duration())+1)
	first := max(it.view.start, s.offset)
	for part := 50 * time.Millisecond; len(it.past) == 0; part *= 4 {
		from := max(before.Add(-part), first)
		it.goTo(from)
		for {
			var next instant
			if !it.advance(&next) || next.at >= before {
				next.release()
				break
			}
			if it.past = append(it.past, next); len(it.past) > maxPast {
				it.past[0].release()
				it.past = slices.Delete(it.past, 0, 1)
			}
		}
		if from == first {
			break
		}
	}
	it.lost = true
	if len(it.past) == 0 {
		return false
	}
	it.now.release()
	last := len(it.past) - 1
	it.now, it.past = it.past[last], it.past[:last]
	return true
}

func (it *iterator) take(e *rssets.Entry, to *instant) {
	s := it.view.source
	if len(e.Set.Images) == 0 {
		st := s.layout.streams[e.Frame.Stream()]
		it.frame(st, e.Frame, s.stamps.Stamp(e.Frame), to)
		if it.uniter != nil && it.view.wanted[s.imu] {
			it.sample(e.Frame, to)
		}
		return
	}
	stamp := s.stamps.Stamp(e.Set.Images[0].Frame)
	for _, img := range e.Set.Images {
		if id := img.Frame.Stream(); id.Kind != camdriver.Depth || !s.computesDepth() {
			it.frame(s.layout.streams[id], img.Frame, stamp, to)
		}
	}
	if m, ok := it.view.work(to.at, &e.Set, stamp, it.run); ok {
		to.messages = append(to.messages, m)
	}
}

// frame makes the messages of one frame. Its image comes first, because the player steps
// from image to image, and a step must not end with the next image's metadata.
func (it *iterator) frame(st *stream, f *camdriver.Frame, stamp msgs.Time, to *instant) {
	h := msgs.Header{Seq: uint32(f.Number), Stamp: stamp, FrameID: st.frameID}
	for _, images := range []bool{true, false} {
		for _, t := range st.topics {
			c := it.view.source.connection(t)
			if (t.typ == imageType) != images || !it.view.wanted[c] {
				continue
			}
			if m, ok := t.encode(h, f); ok {
				to.messages = append(to.messages, recorded(c, to.at, m))
			}
		}
	}
}

func (it *iterator) sample(f *camdriver.Frame, to *instant) {
	source := it.view.source
	unite(it.uniter, f, source.stamps.Stamp(f))
	for _, sample := range it.united {
		to.messages = append(to.messages, recorded(source.imu, to.at, source.layout.united(it.seq, sample)))
		it.seq++
	}
	it.united = it.united[:0]
}

func recorded(c *bagstore.Connection, at bagstore.Time, m msgs.Raw) replay.Recorded {
	r := replay.Recorded{Message: bagstore.Message{Conn: c, Time: at, Stored: bagstore.Stored{Data: m.Head}}}
	if m.Owner != nil {
		r.Head, r.Data, r.Owner = m.Head, m.Body, msgs.Share(m.Owner)
	}
	return r
}

// newDamage reports whether damaged frames were skipped, and makes that the iterator's error.
func (it *iterator) newDamage() bool {
	n, err := it.frames.Damaged()
	if n == it.damaged {
		return false
	}
	it.damaged, it.err = n, err
	return true
}

func (it *iterator) Message() replay.Recorded { return it.cur }

func (it *iterator) Err() error { return it.err }

func (it *iterator) Close() {
	it.drop()
	it.frames.Close()
}
