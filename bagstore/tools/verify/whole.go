package verify

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"rsros/bagstore"
	"rsros/bagstore/proof"
)

// whole compares a file with the log of its recording: first each piece at the place where it was written, then, if
// something differs, what is between the pieces that don't.
type whole struct {
	ctx    context.Context
	report bagstore.Progress
	p      *proof.Proof
	s      *source
	rep    *Report
	parts  *bagstore.Anatomy
	topics map[uint32]string // by connection ID

	want   []element // as signed, in order
	chunk  proof.Chunk
	number int // of chunks so far
}

func newWhole(ctx context.Context, p *proof.Proof, s *source, r *Report, report bagstore.Progress) *whole {
	return &whole{ctx: ctx, report: report, p: p, s: s, rep: r, parts: bagstore.NewAnatomy(s.r, s.size), topics: make(map[uint32]string)}
}

// element is a chunk with its index records, an index section with its padding, or, in the file, bytes that are
// neither.
type element struct {
	kind     proof.Kind // KindChunk or KindSection; 0: other bytes
	leaf     int        // in the log, for what was signed
	number   int        // of a signed chunk, from 1
	pos, end int64
	head     bagstore.ChunkHeader // of a chunk
	key      proof.Digest         // of the content
	index    proof.Digest         // of the index records
	same     bool                 // the file has it there
	messages uint64
}

func (w *whole) run() error {
	for _, c := range w.p.Connections {
		w.topics[c.ID] = c.Topic
	}
	differ := false
	for i := range w.p.Len() {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		e, err := w.signed(i)
		if err != nil {
			return err
		}
		if e.kind != proof.KindChunk && e.kind != proof.KindSection {
			continue
		}
		if e.pos != w.end() {
			return fmt.Errorf("the log doesn't cover the bytes from %d to %d", w.end(), e.pos)
		}
		w.report.Report(uint64(e.pos), uint64(w.s.size))
		if e.same = w.there(&e); e.same {
			w.rep.Messages += e.messages
		}
		if e.same && e.kind == proof.KindChunk {
			w.rep.Chunks++
		}
		differ = differ || !e.same
		w.want = append(w.want, e)
	}
	w.report.Report(uint64(w.s.size), uint64(w.s.size))
	if differ {
		if err := w.differences(); err != nil {
			return err
		}
	} else {
		w.rest(w.end())
	}
	return w.fileHeader()
}

// signed returns the element of a leaf.
func (w *whole) signed(i int) (e element, err error) {
	e = element{kind: w.p.Leaf(i), leaf: i}
	switch e.kind {
	case proof.KindChunk:
		c := &w.chunk
		if err := w.p.Chunk(i, c); err != nil {
			return e, err
		}
		w.number++
		head := bagstore.ChunkHead(bagstore.Compression(c.Compression))
		e.number, e.pos, e.key, e.index, e.messages = w.number, c.Pos, c.Content, c.Index, uint64(len(c.Messages))
		e.head = bagstore.ChunkHeader{Compression: bagstore.Compression(c.Compression), DataPos: c.Pos + head, Stored: c.Stored, Size: c.Size}
		e.end = e.dataEnd() + int64(c.IndexSize)
	case proof.KindSection:
		s, err := w.p.Section(i)
		if err != nil {
			return e, err
		}
		e.pos, e.end, e.key = s.Pos, s.Pos+s.Size+int64(s.Pad), s.Digest
		e.head.DataPos, e.head.Stored = s.Pos, s.Size
	}
	if e.end < e.pos || e.dataEnd() < e.pos {
		return e, fmt.Errorf("the log has impossible lengths at byte %d", e.pos)
	}
	return e, nil
}

// dataEnd is where a chunk's index records or a section's padding begin.
func (e *element) dataEnd() int64 { return e.head.DataPos + e.head.Stored }

// there reports whether the file has an element at its place, byte by byte.
func (w *whole) there(e *element) bool {
	if e.end > w.s.size {
		return false
	}
	if e.kind == proof.KindSection {
		d, err := w.s.digest(e.pos, e.head.Stored)
		return err == nil && d == e.key && (e.dataEnd() == e.end || w.parts.Padding(e.dataEnd(), w.s.size) == e.end)
	}
	if h, err := w.parts.Chunk(e.pos); err != nil || h != e.head {
		return false
	}
	if d, err := w.s.content(e.head); err != nil || d != e.key {
		return false
	}
	d, err := w.s.digest(e.dataEnd(), e.end-e.dataEnd())
	return err == nil && d == e.index
}

// end is that of what was signed.
func (w *whole) end() int64 {
	if len(w.want) == 0 {
		return bagstore.FirstChunk
	}
	return w.want[len(w.want)-1].end
}

// rest reports what is after the signed bytes.
func (w *whole) rest(end int64) {
	n := w.s.size - end
	switch {
	case n <= 0:
	case w.rep.Complete:
		w.rep.add(Difference{Kind: Added, What: "bytes", Offset: end, Text: fmt.Sprintf("%d bytes at the end, from byte %d on", n, end)})
	default:
		w.rep.Unproven = n
	}
}

// fileHeader compares the file header. That of a recording that wasn't ended points at one of its last two index
// sections, and has the name of another file in it.
func (w *whole) fileHeader() error {
	var sections []proof.Section
	for i := range w.want {
		if e := &w.want[len(w.want)-1-i]; e.kind == proof.KindSection {
			s, err := w.p.Section(e.leaf)
			if err != nil {
				return err
			}
			if sections = append(sections, s); w.rep.Complete || len(sections) == 2 {
				break
			}
		}
	}
	have := make([]byte, min(bagstore.FirstChunk, w.s.size))
	if _, err := w.s.r.ReadAt(have, 0); err != nil {
		return err
	}
	if want := w.expectedHeader(have, sections); want == nil || !bytes.Equal(have, want) {
		w.rep.add(Difference{Kind: Changed, What: "file header", Text: w.headerDifference(have, sections)})
	}
	return nil
}

// expectedHeader returns the file header for the section that the file names, or for the last one; nil if the file
// names none that is signed. A recorder signs a section before the file header names it.
func (w *whole) expectedHeader(have []byte, sections []proof.Section) []byte {
	if w.rep.Complete && len(sections) > 0 {
		return bagstore.FileHeader(sections[0].Pos, int(sections[0].Conns), int(sections[0].Chunks))
	}
	pos, conns, chunks, err := w.parts.Pointed()
	known := false
	if len(sections) < 2 {
		sections = append(sections, proof.Section{Pos: bagstore.FirstChunk}) // as the file was created
	}
	for _, s := range sections {
		known = known || pos == s.Pos && conns == int(s.Conns) && chunks == int(s.Chunks)
	}
	if err != nil || !known {
		return nil
	}
	return bagstore.OpenFileHeader(have, pos, conns, chunks)
}

func (w *whole) headerDifference(have []byte, sections []proof.Section) string {
	pos, conns, chunks, err := w.parts.Pointed()
	if err != nil {
		return fmt.Sprintf("the file header: %v", err)
	}
	if !w.rep.Complete && pos >= w.end() {
		return fmt.Sprintf("the file header names an index section at byte %d, which isn't signed: readers show what isn't proven", pos)
	}
	if len(sections) == 0 {
		return "the file header"
	}
	s := sections[0]
	if pos == s.Pos && conns == int(s.Conns) && chunks == int(s.Chunks) {
		return "the file header, outside of the fields of the index section"
	}
	return fmt.Sprintf("the file header names an index section at byte %d, with %d connections and %d chunks, instead of one at byte %d with %d and %d",
		pos, conns, chunks, s.Pos, s.Conns, s.Chunks)
}

// placeKey returns a key for bytes that have none.
func placeKey(pos int64) (d proof.Digest) {
	binary.LittleEndian.PutUint64(d[:], uint64(pos))
	return d
}
