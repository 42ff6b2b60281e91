package rosbag

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/bagstore/place"
)

// Recover writes every whole message of a file to a sound bag. It doesn't trust the index, and
// keeps torn chunks up to the tear. Messages keep the order of the file, which is read once; chunks
// whose connections are described later are read again. in isn't changed unless out is its path. If
// no message can be kept, there is no output and Outcome is Unreadable.
func Recover(ctx context.Context, in, out string, o bagstore.RecoverOptions) (*bagstore.RecoverReport, error) {
	if err := place.Free(ctx, out, o.Overwrite); err != nil {
		return nil, err
	}
	b, err := openPath(in, bagstore.OpenOptions{Context: ctx, Sequential: true}, true)
	if err != nil {
		return &bagstore.RecoverReport{Outcome: bagstore.Unreadable}, err
	}
	defer b.Close()
	return recoverBag(ctx, b, out, o)
}

// recoverBag is Recover for a bag that was opened with indexOnly.
func recoverBag(ctx context.Context, b *File, out string, o bagstore.RecoverOptions) (*bagstore.RecoverReport, error) {
	r := &recoverer{ctx: ctx, o: o, path: out, b: b, l: newChunkReader(b),
		rep:  &bagstore.RecoverReport{Outcome: bagstore.Sound},
		kept: make(map[uint32]uint64), missed: make(map[int64]map[uint32]bool)}
	if b.indexed && b.version != "1.2" {
		known := b.recording()
		r.promised = known.Counts()
		r.last = min(known.Start(), bagstore.MaxTime)
	}
	err := r.read()
	if failed := b.failed(); failed != nil {
		err = failed
	}
	r.rep.Notes = append(slices.Clone(b.notes), r.rep.Notes...)
	sortNotes(r.rep.Notes)
	count(r.rep, b, r.kept, r.expected())
	if err == nil && r.w == nil && r.rep.Outcome != bagstore.Unreadable {
		err = r.create() // the empty bag is sound
	}
	if r.w == nil {
		return r.rep, err
	}
	if err := r.w.Finish(err); err != nil {
		r.rep.Outcome = bagstore.Unreadable
		return r.rep, err
	}
	r.rep.Size = r.w.Size()
	return r.rep, nil
}

type recoverer struct {
	ctx      context.Context
	o        bagstore.RecoverOptions
	path     string  // of the new bag
	w        *Output // nil before the first message
	b        *File
	l        *chunkReader
	rep      *bagstore.RecoverReport
	kept     map[uint32]uint64 // messages by connection
	promised map[uint32]uint64 // the same according to the index section; nil without one

	pos    int64                     // of the chunk being read
	last   bagstore.Time             // last valid message time
	steps  int                       // messages seen
	missed map[int64]map[uint32]bool // by chunk position: connections that were unknown there
}

func (r *recoverer) read() error {
	if r.b.version == "1.2" {
		for i := range r.b.chunks {
			if err := r.again(&r.b.chunks[i], r.copy); err != nil {
				return err
			}
		}
		return nil
	}
	r.b.chunks, r.b.tornAt = nil, 0
	if r.b.tailToken != 0 { // Open has scanned the file; the scan below adds these notes again
		r.b.notes = slices.DeleteFunc(r.b.notes, func(n bagstore.Note) bool { return n.Severity == bagstore.Loss })
	}
	s := scanner{bag: r.b, l: r.l, onChunk: r.chunk, onMessage: r.message}
	s.run(r.b.first)
	s.forget()
	r.b.noteGarbled()
	for i := range r.b.chunks {
		c := &r.b.chunks[i]
		ids := r.missed[c.Pos]
		if ids == nil || s.err != nil {
			continue
		}
		s.err = r.again(c, func(src bagrecord.Source, rec *bagrecord.Record, e bagstore.Entry) error {
			if !ids[e.Conn] || r.b.byID[e.Conn] == nil {
				return nil
			}
			return r.copy(src, rec, e)
		})
	}
	return s.err
}

// again walks a known chunk, whose damage has been noted.
func (r *recoverer) again(c *chunk,
	f func(src bagrecord.Source, rec *bagrecord.Record, e bagstore.Entry) error) (err error) {
	if err = r.chunk(c); err != nil {
		return err
	}
	_, _, _ = r.l.walkContent(c,
		walker{bag: r.b, onMessage: func(src bagrecord.Source, rec *bagrecord.Record, e bagstore.Entry) error {
			err = f(src, rec, e)
			return err
		}})
	return err
}

func (r *recoverer) chunk(c *chunk) error {
	r.pos = c.Pos
	r.o.Compression = cmp.Or(r.o.Compression, c.head.Compression)
	r.o.Progress.Report(uint64(c.Pos), uint64(r.b.size))
	return r.ctx.Err()
}

// message copies a message, or marks its connection as missed if no intact record has described it yet.
func (r *recoverer) message(src bagrecord.Source, rec *bagrecord.Record, e bagstore.Entry) error {
	ids := r.missed[r.pos]
	if c := r.b.byID[e.Conn]; !ids[e.Conn] && c != nil && !c.garbled {
		return r.copy(src, rec, e)
	}
	if ids == nil {
		ids = make(map[uint32]bool)
		r.missed[r.pos] = ids
	}
	ids[e.Conn] = true
	return nil
}

func (r *recoverer) copy(src bagrecord.Source, rec *bagrecord.Record, e bagstore.Entry) error {
	if r.steps++; r.steps%256 == 0 && r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	m, err := r.data(src, rec)
	if err != nil {
		r.rep.Notes.Addf(bagstore.Loss, r.pos, "message", "%v", err)
		return nil
	}
	defer m.Buffer.Release()
	if r.w == nil {
		if err := r.create(); err != nil {
			return err
		}
	}
	r.kept[e.Conn]++
	return r.w.copy(&r.b.byID[e.Conn].Connection, &m, r.possible(e.Time))
}

func (r *recoverer) data(src bagrecord.Source, rec *bagrecord.Record) (m bagstore.Stored, err error) {
	if in, ok := src.(bagrecord.Section); ok && rec.DataLen >= borrowLeast && rec.DataLen <= bagrecord.MaxInMemory {
		m.At = in.Base + rec.DataPos
		if m.Buffer, err = r.b.read(m.At, int(rec.DataLen)); err == nil {
			m.Data = m.Buffer.Bytes()
		}
		return m, err
	}
	m.Data, err = bagrecord.Whole(src, rec.DataPos, rec.DataLen)
	return m, err
}

// possible returns t or, if a bag can't hold it, the previous message's time, which keeps the order.
func (r *recoverer) possible(t bagstore.Time) bagstore.Time {
	if t <= bagstore.MaxTime {
		r.last = t
		return t
	}
	if r.rep.Retimed++; r.rep.Retimed == 1 {
		r.rep.Notes = append(r.rep.Notes, bagstore.Note{Severity: bagstore.Repairable, Offset: r.pos, Kind: "message",
			Text: fmt.Sprintf("time %d is later than a bag can hold; such messages are kept with the time of the message before",
				t)})
	}
	return max(r.last, bagstore.MinTime)
}

func (r *recoverer) create() (err error) {
	r.w, err = CreateOutput(r.ctx, r.path, r.o.Options)
	return err
}

// expected returns the number of messages by connection according to the index section. Without one
// it counts those of whole chunks, and the index records after torn chunks.
func (r *recoverer) expected() map[uint32]uint64 {
	if r.promised != nil {
		return r.promised
	}
	n := make(map[uint32]uint64)
	for i := range r.b.chunks {
		c := &r.b.chunks[i]
		if !c.torn || r.b.version == "1.2" {
			for _, k := range c.Counts {
				n[k.ID] += uint64(k.Count)
			}
			continue
		}
		entries, _ := r.l.indexEntries(c.head)
		for _, e := range entries {
			n[e.Conn]++
		}
	}
	return n
}

func count(rep *bagstore.RecoverReport, b *File, kept, promised map[uint32]uint64) {
	topics := make(map[string]*bagstore.RecoverTopic)
	for _, c := range b.conns {
		t, ok := topics[c.Topic]
		if !ok {
			t = &bagstore.RecoverTopic{Topic: c.Topic, Type: c.Type}
			topics[c.Topic] = t
		}
		t.Kept += kept[c.ID]
		t.Lost += promised[c.ID] - min(promised[c.ID], kept[c.ID])
	}
	for _, name := range slices.Sorted(maps.Keys(topics)) {
		t := topics[name]
		rep.Topics = append(rep.Topics, *t)
		rep.Kept += t.Kept
		rep.Lost += t.Lost
	}
	switch {
	case rep.Kept == 0 && (rep.Lost > 0 || rep.Notes.Worst() == bagstore.Loss):
		rep.Outcome = bagstore.Unreadable
	case rep.Lost > 0 || rep.Notes.Worst() == bagstore.Loss:
		rep.Outcome = bagstore.Damaged
	}
}

func sortNotes(notes []bagstore.Note) {
	slices.SortStableFunc(notes, func(x, y bagstore.Note) int { return cmp.Compare(x.Offset, y.Offset) })
}
