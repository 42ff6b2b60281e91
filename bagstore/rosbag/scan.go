package rosbag

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/bagstore/internal/disk"
)

// scanner finds the chunks of a bag without its index section. It walks their content, because the
// index records after them may have holes after a power cut.
type scanner struct {
	bag *File
	l   *chunkReader
	// onChunk, if set, is called for each chunk, and onMessage for its messages. err keeps an error.
	onChunk   func(c *chunk) error
	onMessage func(src bagrecord.Source, r *bagrecord.Record, e bagstore.Entry) error
	err       error

	zeros int64 // result of trailingZeros; 0: not known yet
}

// scan scans the file from pos on, including the header of every message, and returns the number of chunks that are
// new.
func (b *File) scan(w *bagrecord.Window, pos int64) (found int) {
	before := len(b.chunks)
	s := scanner{bag: b, l: &chunkReader{b: b, w: w}}
	s.run(pos)
	s.forget()
	found = len(b.chunks) - before
	b.sortChunks()
	return found
}

// run reads record after record and continues after damage with the next chunk.
func (s *scanner) run(pos int64) {
	b := s.bag
	for pos < b.size && s.err == nil {
		var r bagrecord.Record
		err := bagrecord.Read(s.l.w, pos, b.size, &r)
		switch {
		case r.Op == bagrecord.OpChunk && (err == nil || errors.Is(err, bagrecord.ErrData)):
			pos = s.chunk(&r, err != nil)
		case err == nil:
			if r.Op == bagrecord.OpConnection {
				s.connection(r)
			}
			pos = r.Next()
		default:
			next := s.resync(pos + 1)
			if next < 0 {
				s.tail(pos, err)
				return
			}
			b.notes.Addf(bagstore.Loss, pos, "record", "%d bytes are damaged (%v) and were skipped", next-pos, err)
			pos = next
		}
	}
}

// tail notes the bytes at the end of the file that are not a record.
func (s *scanner) tail(pos int64, err error) {
	s.bag.tornAt = pos
	if head, e := s.l.w.At(pos, int(min(64, s.bag.size-pos))); e == nil && len(bytes.Trim(head, "\x00")) == 0 {
		s.bag.notes.Addf(bagstore.Harmless, pos, "padding", "%d bytes of padding at the end", s.bag.size-pos)
		return
	}
	s.bag.notes.Addf(bagstore.Loss, pos, "record", "the last %d bytes are damaged: %v", s.bag.size-pos, err)
}

func (s *scanner) connection(r bagrecord.Record) {
	data, err := r.Data(s.l.w)
	if err == nil {
		err = s.bag.addConnection(&r, data)
	}
	if err != nil {
		s.bag.notes.Addf(bagstore.Loss, r.Pos, "connection", "%v", err)
	}
}

// chunk adds a chunk, or the whole records of one that extends past the end of the file, and returns where to continue.
func (s *scanner) chunk(r *bagrecord.Record, torn bool) int64 {
	head, err := parseChunk(r)
	if err != nil {
		s.bag.notes.Addf(bagstore.Loss, r.Pos, "chunk", "%v", err)
		return min(r.Next(), s.bag.size)
	}
	if torn || head.Size == 0 && head.Stored == 0 {
		return s.open(r.Pos, head, s.bag.size)
	}
	if end := s.written(dataEnd(head)); end < dataEnd(head) {
		return s.open(r.Pos, head, max(end, head.DataPos))
	}
	s.bag.tornAt = 0
	end, err := s.add(chunk{ChunkInfo: bagstore.ChunkInfo{Pos: r.Pos}, head: head, walk: true})
	if err == nil {
		return dataEnd(head)
	}
	s.bag.notes.Addf(bagstore.Loss, r.Pos, "chunk", "the chunk is damaged after %d bytes: %v", end, err)
	if head.Compression != bagstore.None {
		return dataEnd(head)
	}
	return s.after(head.DataPos+end, dataEnd(head))
}

// written returns how much of a chunk was written. Index records follow a chunk, so if only zeros
// do, the file was extended for a write that a kill or a power cut prevented.
func (s *scanner) written(end int64) int64 {
	var r bagrecord.Record
	if end >= s.bag.size || bagrecord.Read(s.l.w, end, s.bag.size, &r) == nil {
		return end
	}
	return min(end, s.trailing())
}

func (s *scanner) trailing() int64 {
	if s.zeros == 0 {
		s.zeros = s.bag.trailingZeros()
	}
	return s.zeros
}

// trailingZeros returns the offset of the blocks of zeros at the end of the file.
func (b *File) trailingZeros() int64 {
	block := make([]byte, disk.Grain)
	none := make([]byte, disk.Grain)
	at := b.size
	for at > 0 {
		start := (at - 1) &^ (disk.Grain - 1)
		part := block[:at-start]
		if bagrecord.ReadFull(b.r, part, start) != nil || !bytes.Equal(part, none[:len(part)]) {
			break
		}
		at = start
	}
	return at
}

// after returns where to continue after damage at pos in an uncompressed chunk: at its end or, if
// the length is wrong, at the next chunk.
func (s *scanner) after(pos, end int64) int64 {
	var r bagrecord.Record
	if bagrecord.Read(s.l.w, end, s.bag.size, &r) == nil || end == s.bag.size {
		return end
	}
	if next := s.resync(pos); next >= 0 {
		return next
	}
	return end
}

// open adds the whole records of a chunk that was torn off, or whose lengths the writer didn't fill in.
func (s *scanner) open(pos int64, head bagstore.Layout, limit int64) int64 {
	head.Stored = limit - head.DataPos
	if head.Compression == bagstore.None {
		head.Size = head.Stored
	}
	s.bag.tornAt = pos
	end, err := s.add(chunk{ChunkInfo: bagstore.ChunkInfo{Pos: pos}, head: head, walk: true, torn: true})
	if err != nil && !errors.Is(err, errForeign) {
		s.bag.notes.Addf(bagstore.Loss, pos, "chunk", "the chunk is torn after %d bytes: %v", end, err)
	}
	if head.Compression != bagstore.None {
		return s.bag.size
	}
	if next := head.DataPos + end; errors.Is(err, errForeign) {
		return next
	}
	if next := s.resync(head.DataPos + end); next >= 0 {
		return next
	}
	return s.bag.size
}

// add walks a chunk's content and adds what it has. It returns where the whole records end.
func (s *scanner) add(c chunk) (int64, error) {
	w := walker{bag: s.bag, onConnection: s.bag.addConnection}
	if c.torn && c.head.Compression == bagstore.None {
		w.unwritten = s.trailing() - c.head.DataPos
	}
	if s.onChunk != nil {
		s.err = s.onChunk(&c)
		w.onMessage = func(src bagrecord.Source, r *bagrecord.Record, e bagstore.Entry) error {
			s.err = cmp.Or(s.err, s.onMessage(src, r, e))
			return s.err
		}
	}
	entries, end, err := s.l.walkContent(&c, w)
	if errors.Is(err, errUnwritten) {
		c.head.Size, c.head.Stored = end, end // hide the rest from readers of the chunk
	}
	if len(entries) > 0 {
		c.torn = c.torn || err != nil
		c.Summarize(entries)
		s.bag.chunks = append(s.bag.chunks, c)
	}
	return end, err
}

// forget drops messages without a connection record, which may be as late as an index section.
func (s *scanner) forget() {
	b := s.bag
	if b.headless && len(b.chunks) == 0 {
		b.notes.Addf(bagstore.Loss, b.first, "file", "no message was found after the damaged file header")
	}
	lost := make(map[uint32]uint64)
	for i := range b.chunks {
		c := &b.chunks[i]
		c.Counts = slices.DeleteFunc(c.Counts, func(k bagstore.ConnCount) bool {
			unknown := b.byID[k.ID] == nil
			if unknown {
				lost[k.ID] += uint64(k.Count)
			}
			return unknown
		})
	}
	b.chunks = slices.DeleteFunc(b.chunks, func(c chunk) bool { return len(c.Counts) == 0 })
	for _, id := range slices.Sorted(maps.Keys(lost)) {
		b.notes.Addf(bagstore.Loss, 0, "message", "%d messages of connection %d are lost: nothing describes it", lost[id], id)
	}
}

// resyncField is the op field of a chunk record's header.
var resyncField = []byte("\x04\x00\x00\x00op=\x05")

// reach bounds the header of a chunk that resync finds.
const reach = 200

// resync returns the offset of the next chunk record from pos on, or -1. It tries all offsets
// before an op field, which may be anywhere in the header, each once.
func (s *scanner) resync(pos int64) int64 {
	const step = 1 << 20
	tried := pos // all offsets before it
	for base := pos; base < s.bag.size; base += step {
		n := int(min(step+int64(len(resyncField)), s.bag.size-base))
		blk, err := s.l.w.At(base, n)
		if err != nil {
			return -1
		}
		buf := bytes.Clone(blk)
		for i := 0; ; {
			hit := bytes.Index(buf[i:], resyncField)
			if hit < 0 {
				break
			}
			i += hit + 1
			at := base + int64(i-1)
			for tried = max(tried, at-reach); tried <= at-4; tried++ {
				if s.isChunk(tried) {
					return tried
				}
			}
		}
	}
	return -1
}

func (s *scanner) isChunk(pos int64) bool {
	if n, err := s.l.w.At(pos, 4); err != nil || binary.LittleEndian.Uint32(n) > reach {
		return false
	}
	var r bagrecord.Record
	err := bagrecord.Read(s.l.w, pos, s.bag.size, &r)
	if err != nil && !errors.Is(err, bagrecord.ErrData) || r.Op != bagrecord.OpChunk {
		return false
	}
	_, err = parseChunk(&r)
	return err == nil
}
