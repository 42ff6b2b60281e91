package naming

import (
	"cmp"
	"slices"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rssets"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
	"rsros/replay"
)

func (s *Source) View(q bagstore.Query) replay.View {
	v := &view{source: s, start: q.Start, end: cmp.Or(q.End, bagstore.MaxTime),
		frames: make(map[camdriver.StreamID][]*bagstore.Connection)}
	wanted := func(c *bagstore.Connection) bool { return q.Connections == nil || q.Connections(c) }
	for _, c := range s.conns {
		switch out := s.sinks[c]; {
		case out == nil || !wanted(c):
		case c == s.imu:
			v.imu = true
		case out.computed:
			v.computed = append(v.computed, c)
		default:
			v.frames[out.stream] = append(v.frames[out.stream], c)
		}
	}
	for _, m := range s.statics {
		if wanted(m.Conn) && m.Time >= v.start && m.Time <= v.end {
			v.statics = append(v.statics, m)
		}
	}
	return v
}

// view is a replay.View, a selection of a Source's messages.
type view struct {
	source     *Source
	start, end bagstore.Time
	frames     map[camdriver.StreamID][]*bagstore.Connection // those of frames that are wanted
	computed   []*bagstore.Connection                        // those of results that are wanted
	imu        bool                                          // the united samples are wanted
	statics    []replay.Recorded
}

func (v *view) Start() (bagstore.Time, bool) { return v.timeOf((*iterator).Next) }

func (v *view) End() (bagstore.Time, bool) {
	return v.timeOf(func(it *iterator) bool { found, _ := it.Last(bagstore.MaxTime); return found })
}

// timeOf returns the time of the message that move finds; ok is false if there is none.
func (v *view) timeOf(move func(*iterator) bool) (t bagstore.Time, ok bool) {
	it := v.iterator()
	defer it.Close()
	for !move(it) {
		if it.err == nil {
			return 0, false
		}
	}
	return it.cur.Time, true
}

func (v *view) Iterator() replay.Iterator { return v.iterator() }

func (v *view) iterator() *iterator {
	it := &iterator{view: v}
	s := v.source
	it.sets = rssets.NewReader(s.file, rssets.Options{Streams: v.reads, Rig: s.rig, Match: s.layout.options.sync()})
	if v.imu {
		it.uniter = process.NewUniter(s.layout.options.UniteIMU, func(sample process.UnitedSample) {
			it.united = append(it.united, s.layout.united(it.seq, sample))
			it.seq++
		})
	}
	it.Seek(v.start)
	return it
}

// reads reports whether to read a stream, because its own messages or results that need it
// are wanted. With sync, depth is always read, because a set has its stamp.
func (v *view) reads(id camdriver.StreamID) bool {
	o := &v.source.layout.options
	switch {
	case len(v.frames[id]) > 0:
		return true
	case id.Kind == camdriver.Gyro || id.Kind == camdriver.Accel:
		return v.imu
	case id.Kind == camdriver.Depth:
		return o.sync() || len(v.computed) > 0
	case len(v.computed) == 0:
		return false
	}
	return id.Kind == o.Texture.Kind || id.Kind == camdriver.Color && o.align() ||
		id.Kind == camdriver.Infrared && o.has(filterHDRMerge)
}

// iterator is a replay.Iterator over sets of frames, samples and, first, static messages.
type iterator struct {
	view    *view
	sets    *rssets.Reader
	uniter  *process.Uniter // nil if united samples aren't wanted
	united  []msgs.Raw      // what uniter returned for the current sample
	seq     uint32          // of the next one
	run     *run
	static  int // the position is before this static message
	cur     replay.Recorded
	damaged uint64
	err     error
}

func (it *iterator) Seek(t bagstore.Time) {
	it.drop()
	it.static = len(it.view.statics)
	if t = max(t, it.view.start); t <= bagstore.MinTime {
		it.static = 0
	}
	it.run = &run{}
	if it.uniter != nil {
		it.uniter.Reset()
	}
	it.sets.Seek(time.Duration(max(t-it.view.source.offset, 0)))
}

func (it *iterator) drop() {
	if w, ok := it.cur.Deferred.(*deferredEntry); ok {
		w.Release()
	}
	it.cur = replay.Recorded{}
}

func (it *iterator) Next() bool {
	it.drop()
	if it.err = nil; it.static < len(it.view.statics) {
		it.cur = it.view.statics[it.static]
		it.static++
		return true
	}
	for !it.newDamage() { // after damage, the next call continues
		e, ok := it.sets.Next()
		if !ok {
			it.newDamage()
			return false
		}
		at := it.view.source.offset + bagstore.Time(e.At)
		if conns := it.take(e); len(conns) > 0 && at <= it.view.end {
			w := &deferredEntry{Shared: msgs.Share(e), Entry: e, source: it.view.source, run: it.run,
				united: it.united, conns: conns}
			it.cur = replay.Recorded{Message: bagstore.Message{Conn: conns[0], Time: at}, Deferred: w}
			return true
		}
		if e.Release(); at > it.view.end {
			return false
		}
	}
	return false
}

// take unites a sample, and returns the connections of an entry's messages.
func (it *iterator) take(e *rssets.Entry) (conns []*bagstore.Connection) {
	v := it.view
	if it.united = nil; len(e.Set.Images) == 0 {
		if it.uniter != nil {
			unite(it.uniter, e.Frame, v.source.stamps.Stamp(e.Frame))
		}
		if conns = v.frames[e.Frame.Stream()]; len(it.united) > 0 {
			conns = append(slices.Clip(conns), v.source.imu)
		}
		return conns
	}
	for _, img := range e.Set.Images {
		conns = append(conns, v.frames[img.Frame.Stream()]...)
	}
	if _, ok := e.Set.First(camdriver.Depth, camdriver.Z16); ok {
		conns = append(conns, v.computed...)
	}
	return conns
}

func (it *iterator) SkipNext() bool { return it.Next() }

// Last reads forward up to the last set or sample, as sets are matched.
func (it *iterator) Last(t bagstore.Time) (ok bool, damage error) {
	s := it.view.source
	first, last := max(it.view.start, s.offset), min(t-1, it.view.end, s.offset+bagstore.Time(s.file.Duration()))
	for part, from := 50*time.Millisecond, last+1; from > first; part *= 4 {
		from = max(last.Add(-part), first)
		it.Seek(from)
		it.static = len(it.view.statics)
		var found replay.Recorded
		for it.Next() || it.err != nil {
			if it.err != nil {
				damage = cmp.Or(damage, it.err)
				continue
			}
			if it.cur.Time > last {
				break
			}
			it.cur, found = found, it.cur // the next move drops the former one
		}
		it.drop()
		if it.cur = found; found.Deferred != nil {
			return true, damage
		}
	}
	if it.drop(); len(it.view.statics) > 0 && t > bagstore.MinTime {
		it.cur = it.view.statics[len(it.view.statics)-1]
	}
	return it.cur.Conn != nil, damage
}

// newDamage reports whether damaged frames were skipped, and makes that the iterator's error.
func (it *iterator) newDamage() bool {
	n, err := it.sets.Damaged()
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
	it.sets.Close()
}
