package naming

import (
	"slices"
	"sync/atomic"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/rsbag"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/replay"
	"rsros/node/transport"
)

// Source plays a RealSense recording as if realsense2_camera's topics had been
// recorded. It is a player's source and makes the messages from frames as they are
// read.
//
// Its time line is that of the header stamps. So /clock matches them, and absolute
// times are those of the recording, although times in the file start at 1970.
type Source struct {
	file    *rsbag.File
	layout  *layout
	stamps  Stamper
	offset  bagstore.Time // of file time 0, on the time line
	conns   []*bagstore.Connection
	byTopic map[string]*bagstore.Connection
	counts  map[*bagstore.Connection]uint64
	statics []replay.Recorded
}

// OpenSource opens the recording in a bag. The bag must stay open while the Source
// is used, and the caller closes it. A recording that doesn't contain its date
// starts now, as with realsense2_camera.
func OpenSource(bag *bagstore.Bag, camera string, now time.Time) (*Source, error) {
	file, err := rsbag.OpenBag(bag)
	if err != nil {
		return nil, err
	}
	s := &Source{
		file: file, layout: newLayout(WrapperOptions{Camera: camera}, file.Snapshot(), noLimit), offset: bagstore.TimeOf(now),
		byTopic: make(map[string]*bagstore.Connection), counts: make(map[*bagstore.Connection]uint64),
	}
	if err := s.findTimes(); err != nil {
		return nil, err
	}
	for _, st := range file.Snapshot().Streams {
		id := st.Profile.Stream
		for _, t := range s.layout.streams[id].topics {
			s.connect(t.topic, t.typ, file.Frames(id))
		}
	}
	for _, t := range s.layout.static {
		c := s.connect(t.topic, t.typ, 1)
		s.statics = append(s.statics, replay.Recorded{Message: bagstore.Message{Conn: c, Time: bagstore.MinTime, Data: msgs.Marshal(t.msg)}, Owner: forGood{}})
	}
	return s, nil
}

// Images are the image topics, with what their transports have to know.
func (s *Source) Images() map[string]transport.Options {
	out := make(map[string]transport.Options)
	for id, st := range s.layout.streams {
		for _, t := range st.topics {
			if t.typ == imageType {
				out["/"+t.topic] = transport.Options{Encoding: wrapperEncoding(st.format), Depth: id.Kind == camdriver.Depth}
			}
		}
	}
	return out
}

// connect adds a topic's connection. Recorded names are absolute.
func (s *Source) connect(topic, typ string, count uint64) *bagstore.Connection {
	if topic[0] != '/' {
		topic = "/" + topic
	}
	t := msgs.MustType(typ)
	c := &bagstore.Connection{ID: uint32(len(s.conns)), Topic: topic, Type: t.Name, MD5: t.MD5, Definition: t.Definition}
	s.conns, s.byTopic[topic], s.counts[c] = append(s.conns, c), c, count
	return c
}

// findTimes relates the file's clocks to each other by the first frame of each
// stream, so that stamps don't depend on where playback starts. The first stamp
// with a date determines file time 0. Without one, the start time stored in the
// recording does. The camera's own clock, which has no date, is set from that.
func (s *Source) findTimes() error {
	if start, ok := s.file.Start(); ok {
		s.offset = bagstore.TimeOf(start)
	}
	var dated, hardware *rsbag.Event
	for id := range s.layout.streams {
		e, err := s.firstFrame(id)
		if err != nil {
			return err
		}
		if e == nil {
			continue
		}
		defer e.Frame.Release()
		first := &dated
		if e.Frame.Domain == camdriver.HardwareClock {
			first = &hardware
		}
		if *first == nil || e.Time < (*first).Time {
			*first = e
		}
	}
	if dated != nil {
		s.offset = max(bagstore.Time(msgs.FromMillis(dated.Frame.Timestamp))-bagstore.Time(dated.Time), 0)
	}
	if hardware != nil {
		s.stamps.tie(msgs.Time(s.offset)+msgs.Time(hardware.Time), hardware.Frame.Timestamp)
	}
	return nil
}

// firstFrame returns a stream's first frame, retained, or nil if there is none.
func (s *Source) firstFrame(stream camdriver.StreamID) (*rsbag.Event, error) {
	c, err := s.file.Cursor(rsbag.CursorOptions{FramesOnly: true, Streams: func(id camdriver.StreamID) bool { return id == stream }})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	e, ok := c.Next()
	if !ok {
		return nil, nil
	}
	e.Frame.Retain()
	return &e, nil
}

// Connections implements replay.Source.
func (s *Source) Connections() []*bagstore.Connection { return s.conns }

// Count implements replay.Source.
func (s *Source) Count(c *bagstore.Connection) uint64 { return s.counts[c] }

// View implements replay.Source.
func (s *Source) View(q bagstore.Query) (replay.View, error) {
	v := &view{source: s, start: q.Start, end: q.End, wanted: make(map[*bagstore.Connection]bool)}
	if v.end == 0 {
		v.end = bagstore.MaxTime
	}
	for _, c := range s.conns {
		v.wanted[c] = q.Connections == nil || q.Connections(c)
	}
	for _, m := range s.statics {
		if v.wanted[m.Conn] && m.Time >= v.start && m.Time <= v.end {
			v.statics = append(v.statics, m)
		}
	}
	return v, nil
}

// view is a selection of a Source's messages.
type view struct {
	source     *Source
	start, end bagstore.Time
	wanted     map[*bagstore.Connection]bool
	statics    []replay.Recorded
}

// Start implements replay.View.
func (v *view) Start() bagstore.Time {
	it := v.Iterator()
	defer it.Close()
	if !it.Next() {
		return 0
	}
	return it.Message().Time
}

// End implements replay.View.
func (v *view) End() bagstore.Time {
	it := v.Iterator()
	defer it.Close()
	it.SeekEnd()
	if !it.Prev() {
		return 0
	}
	return it.Message().Time
}

// Iterator implements replay.View. If the cursor can't be opened, the iterator
// returns that error.
func (v *view) Iterator() replay.Iterator {
	it := &iterator{view: v}
	it.cursor, it.failed = v.source.file.Cursor(rsbag.CursorOptions{Streams: v.wantsStream})
	it.Seek(v.start)
	return it
}

func (v *view) wantsStream(id camdriver.StreamID) bool {
	st := v.source.layout.streams[id]
	return st != nil && slices.ContainsFunc(st.topics, func(t streamTopic) bool { return v.wanted[v.source.connection(t)] })
}

func (s *Source) connection(t streamTopic) *bagstore.Connection {
	return s.byTopic["/"+t.topic]
}

// iterator makes messages from the frames of a cursor. Static messages come before
// all others.
type iterator struct {
	view    *view
	cursor  *rsbag.Cursor
	static  int               // the position is before this one
	batch   []replay.Recorded // of one frame
	i       int               // the position is before batch[i]
	cur     replay.Recorded
	damaged uint64
	err     error
	failed  error // of the cursor, for good
}

// Seek implements replay.Iterator.
func (it *iterator) Seek(t bagstore.Time) {
	it.drop()
	it.err = it.failed
	it.static = len(it.view.statics)
	if t = max(t, it.view.start); t <= bagstore.MinTime {
		it.static = 0
	}
	if it.cursor != nil {
		it.cursor.Seek(time.Duration(max(t-it.view.source.offset, 0)))
	}
}

// SeekEnd implements replay.Iterator.
func (it *iterator) SeekEnd() {
	if it.view.end >= bagstore.MaxTime {
		it.Seek(bagstore.MaxTime)
	} else {
		it.Seek(it.view.end + 1)
	}
}

func (it *iterator) drop() {
	for _, m := range it.batch {
		if p, ok := m.Owner.(*picture); ok {
			p.Release()
		}
	}
	it.batch, it.i, it.cur = nil, 0, replay.Recorded{}
}

// Next implements replay.Iterator.
func (it *iterator) Next() bool {
	switch {
	case it.static < len(it.view.statics):
		it.cur = it.view.statics[it.static]
		it.static++
		return true
	case it.failed != nil:
		return false
	}
	for it.err = nil; it.i == len(it.batch); {
		e, ok := it.cursor.Next()
		if !ok || !it.take(e) {
			it.sayDamage()
			return false
		}
		if it.i = 0; it.sayDamage() {
			return false // the frame after the damage comes next
		}
	}
	it.cur = it.batch[it.i]
	it.i++
	return true
}

// SkipNext implements replay.Iterator.
func (it *iterator) SkipNext() bool { return it.Next() }

// Prev implements replay.Iterator.
func (it *iterator) Prev() bool {
	for it.err = it.failed; it.i == 0 && it.err == nil; it.i = len(it.batch) {
		if e, ok := it.cursor.Prev(); !ok || !it.take(e) {
			break
		}
	}
	switch {
	case it.i > 0:
		it.i--
		it.cur = it.batch[it.i]
	case it.err == nil && it.static > 0:
		it.static--
		it.cur = it.view.statics[it.static]
	default:
		return false
	}
	return true
}

// take makes the messages of an event. It returns false if the event is outside
// the view.
func (it *iterator) take(e rsbag.Event) bool {
	it.drop()
	s := it.view.source
	at := s.offset + bagstore.Time(e.Time)
	if at < it.view.start || at > it.view.end {
		return false
	}
	if e.Frame == nil {
		return true
	}
	st := s.layout.streams[e.Frame.Stream()]
	h := msgs.Header{Seq: uint32(e.Frame.Number), Stamp: s.stamps.Stamp(e.Frame), FrameID: st.frameID}
	for _, t := range st.topics {
		c := s.connection(t)
		if !it.view.wanted[c] {
			continue
		}
		if m, ok := t.encode(h, e.Frame); ok {
			it.batch = append(it.batch, recorded(c, at, m))
		}
	}
	return true
}

func recorded(c *bagstore.Connection, at bagstore.Time, m msgs.Raw) replay.Recorded {
	r := replay.Recorded{Message: bagstore.Message{Conn: c, Time: at, Data: m.Head}, Owner: forGood{}}
	if m.Owner != nil {
		p := &picture{owner: m.Owner}
		p.refs.Store(1)
		r.Head, r.Data, r.Owner = m.Head, m.Body, p
	}
	return r
}

// sayDamage reports frames that were skipped as the iterator's error.
func (it *iterator) sayDamage() bool {
	n, err := it.cursor.Damaged()
	if n == it.damaged {
		return false
	}
	it.damaged, it.err = n, err
	return true
}

// Message implements replay.Iterator.
func (it *iterator) Message() replay.Recorded { return it.cur }

// Err implements replay.Iterator.
func (it *iterator) Err() error { return it.err }

// Close implements replay.Iterator.
func (it *iterator) Close() {
	it.drop()
	if it.cursor != nil {
		it.cursor.Close()
	}
}

// picture counts the references to an image's pixels.
type picture struct {
	refs  atomic.Int32
	owner msgs.Releaser
}

// Retain implements replay.Retainer.
func (p *picture) Retain() msgs.Releaser {
	p.refs.Add(1)
	return p
}

// Release releases a reference.
func (p *picture) Release() {
	if p.refs.Add(-1) == 0 {
		p.owner.Release()
	}
}

// forGood is the owner of memory that is left to the garbage collector.
type forGood struct{}

func (forGood) Retain() msgs.Releaser { return forGood{} }
func (forGood) Release()              {}
