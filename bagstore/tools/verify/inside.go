package verify

import (
	"fmt"

	"rsros/bagstore"
	"rsros/bagstore/proof"
)

// sameContent compares the index records or the padding of elements whose content is the same.
func (w *whole) sameContent(e, g *element) {
	if e.same {
		return
	}
	if e.kind == proof.KindSection {
		if g.end-g.dataEnd() != e.end-e.dataEnd() || g.end > g.dataEnd() && w.parts.Padding(g.dataEnd(), w.s.size) != g.end {
			w.rep.add(Difference{Kind: Changed, What: "padding", Offset: g.dataEnd(), Text: fmt.Sprintf("the padding at byte %d", g.dataEnd())})
		}
		return
	}
	if h, err := w.parts.Chunk(g.pos); err != nil || h.Stored != e.head.Stored {
		w.rep.add(Difference{Kind: Changed, What: "chunk", Chunk: e.number, Offset: g.pos, Text: fmt.Sprintf("the chunk record's header of chunk %d at byte %d", e.number, g.pos)})
	}
	if g.index != e.index {
		w.index(e, g)
	}
}

// changed compares elements that differ.
func (w *whole) changed(e, g *element) {
	if e.kind == proof.KindSection {
		w.section(e, g)
		return
	}
	before := len(w.rep.Differences) + int(w.rep.More)
	w.messages(e, g)
	if len(w.rep.Differences)+int(w.rep.More) == before {
		w.rep.add(Difference{Kind: Changed, What: "chunk", Chunk: e.number, Offset: g.pos,
			Text: fmt.Sprintf("chunk %d at byte %d, outside of its messages' topics, times and data", e.number, g.pos)})
	}
	if g.kind == proof.KindChunk && g.index != e.index {
		w.rep.add(Difference{Kind: Changed, What: "index record", Chunk: e.number, Offset: g.dataEnd(), Text: fmt.Sprintf("the index records of chunk %d", e.number)})
	}
}

// messages compares the messages of a changed chunk.
func (w *whole) messages(e, g *element) {
	if err := w.p.Chunk(e.leaf, &w.chunk); err != nil {
		w.rep.add(Difference{Kind: Changed, What: "chunk", Chunk: e.number, Offset: g.pos, Text: fmt.Sprintf("chunk %d; its messages can't be compared: %v", e.number, err)})
		return
	}
	head := g.head
	if g.kind == 0 { // these bytes are read as the chunk that was there
		head = e.head
		head.DataPos += g.pos - e.pos
		head.Stored = max(0, min(head.Stored, w.s.size-head.DataPos))
	}
	got, whole, err := w.read(e, head)
	steps := align(w.chunk.Messages, got)
	unread := uint64(0)
	for _, s := range steps {
		d := Difference{Chunk: e.number, What: "message", Offset: g.pos}
		switch {
		case s.want >= 0 && s.got < 0 && err != nil && s.want >= len(got):
			if unread++; unread == 1 {
				d.Kind, d.Text = Changed, fmt.Sprintf("%s: the chunk is damaged after %d bytes of its content: %v", w.message(&d, e, s.want), whole, err)
				w.rep.add(d)
			}
			continue
		case s.want < 0:
			d.Kind, d.Text = Added, w.found(&d, e, got[s.got], s.got)
		case s.got < 0:
			d.Kind, d.Text = Dropped, w.message(&d, e, s.want)
		case s.moved:
			d.Kind, d.Text = Swapped, fmt.Sprintf("%s is now number %d", w.message(&d, e, s.want), s.got+1)
		default:
			d.Kind, d.Text = Changed, w.message(&d, e, s.want)+w.difference(w.chunk.Messages[s.want], got[s.got])
		}
		w.rep.add(d)
	}
	if unread > 1 {
		w.rep.add(Difference{Kind: Changed, What: "chunk", Chunk: e.number, Offset: g.pos, Text: fmt.Sprintf("chunk %d: %d more messages can't be read", e.number, unread-1)})
	}
	if err != nil && unread == 0 {
		w.rep.add(Difference{Kind: Changed, What: "chunk", Chunk: e.number, Offset: g.pos, Text: fmt.Sprintf("chunk %d is damaged after %d bytes of its content: %v", e.number, whole, err)})
	}
}

// read returns the messages of a chunk, and how much of its content is whole. It reports connection records that
// differ.
func (w *whole) read(e *element, head bagstore.ChunkHeader) (got []proof.Message, whole int64, err error) {
	known := make(map[uint32]proof.Digest)
	for _, c := range w.p.Connections {
		known[c.ID] = c.Digest
	}
	h := proof.NewHasher()
	whole, err = w.parts.Walk(head, func(i bagstore.Item) {
		if i.Conn != nil {
			if known[i.ID] != i.Conn.Digest() {
				w.rep.add(Difference{Kind: Changed, What: "connection", Chunk: e.number, Offset: head.DataPos, Topic: w.topics[i.ID],
					Text: fmt.Sprintf("chunk %d: the record of connection %d, %s", e.number, i.ID, w.topic(i.ID))})
			}
			return
		}
		if err := i.Data(h.Data); err == nil {
			got = append(got, proof.Message{Conn: i.ID, Time: int64(i.Time), Data: h.Loose()})
		}
	})
	return got, whole, err
}

func (w *whole) topic(id uint32) string {
	if t, ok := w.topics[id]; ok {
		return t
	}
	return fmt.Sprintf("unknown connection %d", id)
}

// message names a signed message of w.chunk.
func (w *whole) message(d *Difference, e *element, i int) string {
	return w.found(d, e, w.chunk.Messages[i], i)
}

func (w *whole) found(d *Difference, e *element, m proof.Message, i int) string {
	d.Topic, d.Time = w.topic(m.Conn), bagstore.Time(m.Time)
	return fmt.Sprintf("message %d of chunk %d, %s at %s", i+1, e.number, d.Topic, stamp(d.Time))
}

// difference describes how a message was changed.
func (w *whole) difference(want, got proof.Message) string {
	text := ""
	if got.Data != want.Data {
		text = ": its data"
	}
	if got.Time != want.Time {
		text += fmt.Sprintf(": it has time %s", stamp(bagstore.Time(got.Time)))
	}
	if got.Conn != want.Conn {
		text += fmt.Sprintf(": it is one of %s", w.topic(got.Conn))
	}
	return text
}
