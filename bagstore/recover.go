package bagstore

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
)

// RecoverOptions says how a bag is recovered.
type RecoverOptions struct {
	// Options of the new bag. With an empty Compression it is that of the old one.
	Options
	Overwrite bool
	Progress  Progress // in messages
}

// RecoverReport is what was kept and lost.
type RecoverReport struct {
	Kept    uint64         `json:"kept"`
	Lost    uint64         `json:"lost"` // that the index promises; there may be more
	Size    int64          `json:"size"` // of the new file
	Topics  []RecoverTopic `json:"topics"`
	Notes   []Note         `json:"notes"`
	Outcome Outcome        `json:"outcome"` // Sound: nothing was lost
}

// RecoverTopic is what was kept and lost of a topic.
type RecoverTopic struct {
	Topic string `json:"topic"`
	Type  string `json:"type"`
	Kept  uint64 `json:"kept"`
	Lost  uint64 `json:"lost"`
}

// Recover makes a sound bag of whatever is whole in a file: it reads without
// the index, goes on behind damage, and takes torn chunks, compressed ones too,
// up to the tear. The input is not touched, unless out is its path. If nothing
// can be kept there is no output, and the report's Outcome is Unreadable.
func Recover(ctx context.Context, in, out string, o RecoverOptions) (*RecoverReport, error) {
	if err := checkOutput(out, o.Overwrite); err != nil {
		return nil, err
	}
	b, err := Open(in, OpenOptions{Scan: true})
	if err != nil {
		return &RecoverReport{Outcome: Unreadable}, err
	}
	defer b.Close()
	if o.Compression == "" && len(b.chunks) > 0 {
		o.Compression = b.chunks[0].head.Compression
	}
	rep := &RecoverReport{Notes: b.Notes(), Outcome: Sound}
	v, err := NewView([]*Bag{b}, Query{})
	if err != nil {
		return nil, err
	}
	w, err := newOutput(out, o.Options)
	if err != nil {
		return nil, err
	}
	kept := make(map[uint32]uint64)
	err = rep.salvage(ctx, w, v, kept, o.Progress)
	if err == nil && w.Stats().Messages == 0 && v.Count() > 0 {
		err = errors.New("no message could be kept")
	}
	if err := w.finish(err); err != nil {
		rep.Outcome = Unreadable
		return rep, err
	}
	rep.Size = w.Size()
	rep.count(b, kept, promised(in, b))
	return rep, nil
}

// salvage copies what can be read and passes over the rest.
func (rep *RecoverReport) salvage(ctx context.Context, w *output, v *View, kept map[uint32]uint64, pr Progress) error {
	p := pace{ctx: ctx, progress: pr, total: v.Count()}
	it := v.Iterator()
	defer it.Close()
	for {
		switch {
		case it.Next():
			m := it.Message()
			if err := w.copy(m.Conn, m.Time, m.Data); err != nil {
				return err
			}
			kept[m.Conn.ID]++
		case it.Err() == nil:
			return nil
		default:
			rep.fault(it.Err())
		}
		if err := p.step(); err != nil {
			return err
		}
	}
}

func (rep *RecoverReport) fault(err error) {
	n := Note{Severity: Loss, Text: err.Error()}
	if e, ok := errors.AsType[*FormatError](err); ok {
		n.Offset, n.Kind, n.Text = e.Offset, e.Kind, e.Err.Error()
	}
	if len(rep.Notes) < maxNotes {
		rep.Notes = append(rep.Notes, n)
	}
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

// promised counts the messages that chunk infos or, without them, index records
// speak of.
func promised(path string, scan *Bag) map[uint32]uint64 {
	n := make(map[uint32]uint64)
	if b, err := Open(path, OpenOptions{}); err == nil {
		defer b.Close()
		if b.indexed {
			for i := range b.chunks {
				for _, k := range b.chunks[i].Counts {
					n[k.ID] += uint64(k.Count)
				}
			}
			return n
		}
	}
	l := newLoader(scan)
	for i := range scan.chunks {
		if c := &scan.chunks[i]; c.torn && scan.version != "1.2" {
			entries, _, _ := l.indexRecords(c.head, nil)
			for _, e := range entries {
				n[e.conn]++
			}
		} else {
			for _, k := range c.Counts {
				n[k.ID] += uint64(k.Count)
			}
		}
	}
	return n
}

// sortNotes puts notes in the order of the file.
func sortNotes(notes []Note) {
	slices.SortStableFunc(notes, func(x, y Note) int { return cmp.Compare(x.Offset, y.Offset) })
}
