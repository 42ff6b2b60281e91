package verify

import (
	"cmp"
	"fmt"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/proof"
)

// described identifies a record of an index section.
type described struct {
	conn   uint32       // of a connection
	digest proof.Digest // of all else
	chunk  bool         // it is a chunk info
	pos    int64        // of the chunk
}

// section names the records of an index section that differ.
func (w *whole) section(e, g *element) {
	name := fmt.Sprintf("the index section at byte %d", g.pos)
	if e.pos < w.lastSection() {
		name = fmt.Sprintf("the replaced index section at byte %d", g.pos)
	}
	add := func(kind Kind, what string, d described, text string) {
		diff := Difference{Kind: kind, What: what, Offset: g.pos, Text: name + text}
		if d.chunk {
			diff.Chunk = w.numberAt(d.pos)
		} else if what == "connection" {
			diff.Topic = w.topics[d.conn]
		}
		w.rep.add(diff)
	}
	want, err := w.expectedSection(e)
	if err != nil {
		add(Changed, "index section", described{}, fmt.Sprintf(": it can't be compared: %v", err))
		return
	}
	got, err := w.foundSection(g)
	steps := align(want, got)
	reported := false
	for _, s := range steps {
		switch {
		case err != nil && s.got < 0 && s.want >= len(got):
			if !reported {
				what, text := w.describe(want[s.want])
				add(Changed, what, want[s.want], fmt.Sprintf(": %s: %v", text, err))
			}
			reported = true
		case s.want < 0:
			what, text := w.describe(got[s.got])
			add(Added, what, got[s.got], ": "+text)
		case s.got < 0:
			what, text := w.describe(want[s.want])
			add(Dropped, what, want[s.want], ": "+text)
		case s.moved:
			what, text := w.describe(want[s.want])
			add(Swapped, what, want[s.want], ": "+text)
		default:
			what, text := w.describe(want[s.want])
			add(Changed, what, want[s.want], ": "+text)
		}
	}
	if len(steps) == 0 {
		add(Changed, "index section", described{}, "")
	}
}

func (w *whole) describe(d described) (what, text string) {
	if d.chunk {
		return "chunk info", fmt.Sprintf("the info of chunk %d at byte %d", w.numberAt(d.pos), d.pos)
	}
	return "connection", fmt.Sprintf("the record of connection %d, %s", d.conn, w.topic(d.conn))
}

func (w *whole) lastSection() int64 {
	for _, e := range slices.Backward(w.want) {
		if e.kind == proof.KindSection {
			return e.pos
		}
	}
	return 0
}

// numberAt returns the number of the signed chunk at an offset, 0 if there is none.
func (w *whole) numberAt(pos int64) int {
	i, ok := slices.BinarySearchFunc(w.want, pos, func(e element, pos int64) int { return cmp.Compare(e.pos, pos) })
	if !ok {
		return 0
	}
	return w.want[i].number
}

// expectedSection returns what a section has: the connections and chunks before it.
func (w *whole) expectedSection(e *element) (list []described, err error) {
	s, err := w.p.Section(e.leaf)
	if err != nil {
		return nil, err
	}
	for _, c := range w.p.Connections[:min(int64(s.Conns), int64(len(w.p.Connections)))] {
		list = append(list, described{conn: c.ID, digest: c.Digest})
	}
	n := uint32(0)
	for i := range w.want {
		if c := &w.want[i]; c.kind == proof.KindChunk && n < s.Chunks {
			n++
			if err := w.p.Chunk(c.leaf, &w.chunk); err != nil {
				return nil, err
			}
			list = append(list, infoOf(summary(&w.chunk)))
		}
	}
	return list, nil
}

// summary returns the chunk info that a recorder writes.
func summary(c *proof.Chunk) *bagstore.ChunkInfo {
	i := &bagstore.ChunkInfo{Pos: c.Pos}
	if len(c.Messages) == 0 {
		return i
	}
	i.Start, i.End = span(c.Messages)
	counts := make(map[uint32]uint32)
	for _, m := range c.Messages {
		counts[m.Conn]++
	}
	for id, n := range counts {
		i.Counts = append(i.Counts, bagstore.ConnCount{ID: id, Count: n})
	}
	slices.SortFunc(i.Counts, func(x, y bagstore.ConnCount) int { return cmp.Compare(x.ID, y.ID) })
	return i
}

func infoOf(i *bagstore.ChunkInfo) described {
	return described{chunk: true, pos: i.Pos, digest: proof.DigestOf(fmt.Appendf(nil, "%d %d %v", i.Start, i.End, i.Counts))}
}

func (w *whole) foundSection(g *element) (list []described, err error) {
	for pos, end := g.pos, g.dataEnd(); pos < end; {
		c, i, next, err := w.parts.Described(pos, end)
		if err != nil {
			return list, err
		}
		if c != nil {
			list = append(list, described{conn: c.ID, digest: c.Digest()})
		} else {
			list = append(list, infoOf(i))
		}
		pos = next
	}
	return list, nil
}
