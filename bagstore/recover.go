package bagstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"rsros/bagstore/atomicfile"
	"rsros/bagstore/internal/record"
)

// RecoverOptions are the options of Recover.
type RecoverOptions struct {
	// Options of the new bag. With an empty Compression it is that of the old one.
	Options
	Progress Progress // in bytes of the file
}

// RecoverReport says what was kept and what was lost.
type RecoverReport struct {
	Kept    uint64         `json:"kept"`
	Lost    uint64         `json:"lost"`    // that the index promises; there may be more
	Retimed uint64         `json:"retimed"` // of those kept: their times are later than a bag can hold
	Size    int64          `json:"size"`    // of the new file
	Topics  []RecoverTopic `json:"topics"`
	Notes   Notes          `json:"notes"`
	Outcome Outcome        `json:"outcome"` // Sound: nothing was lost
}

// RecoverTopic says what was kept and what was lost of a topic.
type RecoverTopic struct {
	Topic string `json:"topic"`
	Type  string `json:"type"`
	Kept  uint64 `json:"kept"`
	Lost  uint64 `json:"lost"`
}

// Recover makes a sound bag of everything that is whole in a file. It doesn't trust
// the index, continues after damage, and keeps torn chunks up to the tear, also
// where they are compressed. Messages stay in the order of the file, which is read
// once; chunks with messages whose connection is described only later are read
// again. The input isn't changed, unless out is its path. If nothing can be kept,
// there is no output and the report's Outcome is Unreadable.
func Recover(ctx context.Context, in, out string, o RecoverOptions) (*RecoverReport, error) {
	if err := atomicfile.Free(out, o.Overwrite); err != nil {
		return nil, err
	}
	b, err := Open(in, OpenOptions{Whole: true, indexOnly: true})
	if err != nil {
		return &RecoverReport{Outcome: Unreadable}, err
	}
	defer b.Close()
	return recoverBag(ctx, b, out, o)
}

// recoverBag is Recover for a bag of which only the index was read.
func recoverBag(ctx context.Context, b *Bag, out string, o RecoverOptions) (*RecoverReport, error) {
	r := &recoverer{ctx: ctx, o: o, path: out, b: b, l: newChunkReader(b), rep: &RecoverReport{Outcome: Sound},
		kept: make(map[uint32]uint64), missed: make(map[int64]map[uint32]bool)}
	if b.indexed && b.version != "1.2" {
		r.promised = b.countByID()
		r.last = min(b.Start(), MaxTime)
	}
	err := r.read()
	r.rep.Notes = append(b.Notes(), r.rep.Notes...)
	sortNotes(r.rep.Notes)
	r.rep.count(b, r.kept, r.expected())
	if err == nil && r.w == nil && r.rep.Outcome != Unreadable {
		err = r.create() // an empty bag is sound, too
	}
	if r.w == nil {
		return r.rep, err
	}
	if err := r.w.Finish(err); err != nil {
		r.rep.Outcome = Unreadable
		return r.rep, err
	}
	r.rep.Size = r.w.Size()
	return r.rep, nil
}

// countByID is how many messages the chunk infos count of each connection.
func (b *Bag) countByID() map[uint32]uint64 {
	n := make(map[uint32]uint64)
	for i := range b.chunks {
		for _, k := range b.chunks[i].Counts {
			n[k.ID] += uint64(k.Count)
		}
	}
	return n
}

// recoverer copies what it finds.
type recoverer struct {
	ctx      context.Context
	o        RecoverOptions
	path     string  // of the new bag
	w        *Output // from the first message on
	b        *Bag
	l        *chunkReader
	rep      *RecoverReport
	kept     map[uint32]uint64 // by connection
	promised map[uint32]uint64 // by the index section; nil without one

	pos    int64                     // of the chunk being read
	last   Time                      // of the message before, if it is possible
	steps  int                       // messages looked at
	missed map[int64]map[uint32]bool // by chunk: connections that were unknown there
}

func (r *recoverer) read() error {
	if r.b.version == "1.2" {
		for i := range r.b.chunks {
			if err := r.again(&r.b.chunks[i], r.message); err != nil {
				return err
			}
		}
		return nil
	}
	r.b.chunks, r.b.tornAt = nil, 0
	if r.b.tailToken != 0 { // everything was read at Open; it is noted again
		r.b.notes = slices.DeleteFunc(r.b.notes, func(n Note) bool { return n.Severity == Loss })
	}
	s := scanner{bag: r.b, l: r.l, onChunk: r.chunk, onMessage: r.message}
	s.run(r.b.first)
	s.forget()
	for i := range r.b.chunks {
		c := &r.b.chunks[i]
		ids := r.missed[c.Pos]
		if ids == nil || s.err != nil {
			continue
		}
		s.err = r.again(c, func(src record.Source, rec *record.Record, e entry) error {
			if !ids[e.conn] || r.b.byID[e.conn] == nil {
				return nil
			}
			return r.copy(src, rec, e)
		})
	}
	return s.err
}

// again walks a chunk that is known. Damage in it has been noted.
func (r *recoverer) again(c *chunk, f func(src record.Source, rec *record.Record, e entry) error) (err error) {
	if err = r.chunk(c); err != nil {
		return err
	}
	_, _, _ = r.l.walkContent(c, walker{bag: r.b, onMessage: func(src record.Source, rec *record.Record, e entry) error {
		err = f(src, rec, e)
		return err
	}})
	return err
}

// chunk begins a chunk.
func (r *recoverer) chunk(c *chunk) error {
	r.pos = c.Pos
	r.o.Compression = cmp.Or(r.o.Compression, c.head.Compression)
	r.o.Progress.Report(uint64(c.Pos), uint64(r.b.size))
	return r.ctx.Err()
}

// message copies a message, or remembers that its connection isn't known yet.
func (r *recoverer) message(src record.Source, rec *record.Record, e entry) error {
	ids := r.missed[r.pos]
	if !ids[e.conn] && r.b.byID[e.conn] != nil {
		return r.copy(src, rec, e)
	}
	if ids == nil {
		ids = make(map[uint32]bool)
		r.missed[r.pos] = ids
	}
	ids[e.conn] = true
	return nil
}

func (r *recoverer) copy(src record.Source, rec *record.Record, e entry) error {
	if r.steps++; r.steps%256 == 0 && r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	m := Message{Conn: r.b.byID[e.conn]}
	if err := r.data(&m, src, rec); err != nil {
		r.fault(err)
		return nil
	}
	defer Buffer{m.block}.Release()
	if r.w == nil {
		if err := r.create(); err != nil {
			return err
		}
	}
	r.kept[e.conn]++
	return r.w.Copy(m, r.possible(e.time))
}

// data reads the data of a message, from the file or from a chunk's content.
func (r *recoverer) data(m *Message, src record.Source, rec *record.Record) (err error) {
	if in, ok := src.(record.Section); ok && rec.DataLen >= borrowLeast && rec.DataLen <= record.MaxInMemory {
		m.at = in.Base + rec.DataPos
		if m.block, err = r.b.read(&r.b.pool, m.at, int(rec.DataLen)); err == nil {
			m.Data = m.block.bytes
		}
		return err
	}
	m.Data, err = record.Whole(src, rec.DataPos, rec.DataLen)
	return err
}

// possible returns a message's time or, for one that no bag can hold, the time of the
// message before it in the file, which keeps it in its place.
func (r *recoverer) possible(t Time) Time {
	if t <= MaxTime {
		r.last = t
		return t
	}
	if r.rep.Retimed++; r.rep.Retimed == 1 {
		r.rep.Notes = append(r.rep.Notes, Note{Severity: Repairable, Offset: r.pos, Kind: "message",
			Text: fmt.Sprintf("time %d is later than a bag can hold; such messages are kept with the time of the message before", t)})
	}
	return max(r.last, MinTime)
}

func (r *recoverer) create() (err error) {
	r.w, err = CreateOutput(r.path, r.o.Options)
	return err
}

// fault notes a message that can't be read.
func (r *recoverer) fault(err error) {
	r.rep.Notes.Addf(Loss, r.pos, "message", "%v", err)
}

// expected counts the messages that the index section promises or, without one,
// those of whole chunks, and of torn ones those that the index records after
// them speak of.
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
		entries, _, _ := r.l.indexRecords(c.head)
		for _, e := range entries {
			n[e.conn]++
		}
	}
	return n
}

// count compares what was kept with what the index promised.
func (rep *RecoverReport) count(b *Bag, kept, promised map[uint32]uint64) {
	topics := make(map[string]*RecoverTopic)
	for _, c := range b.conns {
		t, ok := topics[c.Topic]
		if !ok {
			t = &RecoverTopic{Topic: c.Topic, Type: c.Type}
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
	case rep.Kept == 0 && (rep.Lost > 0 || worst(rep.Notes) == Loss):
		rep.Outcome = Unreadable
	case rep.Lost > 0 || worst(rep.Notes) == Loss:
		rep.Outcome = Damaged
	}
}

// sortNotes puts notes in the order of the file.
func sortNotes(notes []Note) {
	slices.SortStableFunc(notes, func(x, y Note) int { return cmp.Compare(x.Offset, y.Offset) })
}
