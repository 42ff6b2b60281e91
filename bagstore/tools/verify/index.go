package verify

import (
	"bytes"
	"fmt"

	"rsros/bagstore"
	"rsros/bagstore/internal/record"
)

// indexed is an index entry, and its bytes: not all of them are in the usual form.
type indexed struct {
	bagstore.IndexEntry
	raw [bagstore.IndexEntrySize]byte
}

// index names the index entries that differ, of a chunk whose content is the same.
func (w *whole) index(e, g *element) {
	raw, list, err := w.parts.Expected(g.head)
	if err != nil {
		w.indexRecords(e, g, fmt.Sprintf(": they can't be compared: %v", err))
		return
	}
	want := entries(raw, list)
	var got []indexed
	outside := false // of the entries
	if have, err := w.s.bytes(g.dataEnd(), len(raw)); err == nil && e.end-e.dataEnd() == int64(len(raw)) && w.fits(g, e) {
		got = entries(have, list)
		outside = !bytes.Equal(without(raw, list), without(have, list))
	} else {
		got, err = w.foundIndex(g)
		if err != nil {
			w.indexRecords(e, g, fmt.Sprintf(": %v", err))
		}
	}
	steps := align(want, got)
	for _, s := range steps {
		w.indexEntry(e, g, s, want, got)
	}
	if outside || len(steps) == 0 {
		w.indexRecords(e, g, ", outside of their entries")
	}
}

// fits reports whether a chunk's index records in the file may be as long as they were.
func (w *whole) fits(g, e *element) bool {
	return g.end-g.dataEnd() == e.end-e.dataEnd() || g.pos == e.pos
}

func (w *whole) indexRecords(e, g *element, text string) {
	w.rep.add(Difference{Kind: Changed, What: "index record", Chunk: e.number, Offset: g.dataEnd(), Text: fmt.Sprintf("the index records of chunk %d%s", e.number, text)})
}

// entries returns the bytes of index records as entries, which are where those of list are.
func entries(raw []byte, list []bagstore.IndexEntry) []indexed {
	some := make([]indexed, len(list))
	for i, e := range list {
		b := raw[e.At:][:bagstore.IndexEntrySize]
		some[i] = indexed{bagstore.ParseIndexEntry(e.ID, b), [bagstore.IndexEntrySize]byte(b)}
	}
	return some
}

// without returns index records without their entries.
func without(raw []byte, list []bagstore.IndexEntry) []byte {
	rest := bytes.Clone(raw)
	for _, e := range list {
		clear(rest[e.At:][:bagstore.IndexEntrySize])
	}
	return rest
}

// foundIndex returns the entries of the index records in the file, up to damage.
func (w *whole) foundIndex(g *element) (list []indexed, err error) {
	for pos := g.dataEnd(); pos < g.end; {
		some, next, err := w.parts.Index(pos, g.end)
		if err != nil {
			return list, fmt.Errorf("at byte %d: %w", pos, err)
		}
		raw, err := w.s.bytes(next-int64(len(some)*bagstore.IndexEntrySize), len(some)*bagstore.IndexEntrySize)
		if err != nil {
			return list, err
		}
		for i := range some {
			some[i].At = i * bagstore.IndexEntrySize
		}
		list = append(list, entries(raw, some)...)
		pos = next
	}
	return list, nil
}

func (w *whole) indexEntry(e, g *element, s step, want, got []indexed) {
	d := Difference{What: "index entry", Chunk: e.number, Offset: g.dataEnd()}
	name := func(i indexed) string {
		d.Topic, d.Time = w.topic(i.ID), i.Time
		return fmt.Sprintf("an index entry of chunk %d: the message at offset %d, %s at %s", e.number, i.Offset, d.Topic, stamp(i.Time))
	}
	switch {
	case s.want < 0:
		d.Kind, d.Text = Added, name(got[s.got])
	case s.got < 0:
		d.Kind, d.Text = Dropped, name(want[s.want])
	case s.moved:
		d.Kind, d.Text = Swapped, name(want[s.want])
	default:
		n := got[s.got]
		d.Kind, d.Text = Changed, name(want[s.want])+fmt.Sprintf("; it has offset %d, %s at %s", n.Offset, w.topic(n.ID), stamp(n.Time))
	}
	w.rep.add(d)
}

// bytes returns some bytes of the file, valid until the next call of a method.
func (s *source) bytes(off int64, n int) ([]byte, error) {
	b, err := record.Whole(s.win, off, int64(n))
	return bytes.Clone(b), err
}
