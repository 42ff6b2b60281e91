package mcap

import (
	"errors"
	"fmt"
	"io"

	"rsros/bagstore"
)

// Messages outside of chunks form blocks of at most this many messages that begin in rangeBytes.
const (
	rangeMessages = 4096
	rangeBytes    = 256 << 20
)

// maxGaps bounds the number of damaged places after which a scan continues.
const maxGaps = 1000

// scan finds chunks and messages without the index. It continues after damage with the next whole record.
func (f *File) scan() {
	f.describeBySummary()
	s := scanner{f: f}
	last := record{pos: -1} // before pos; its length may be wrong
	for pos, gaps := int64(magicSize), 0; pos < f.src.size; {
		r, err := f.src.record(pos, f.src.size)
		if err == nil && f.ends(r) {
			if r.op == opDataEnd {
				f.dataEnd = r
				if in, err := f.src.content(r); err == nil {
					f.dataSum = in.U32()
				}
			}
			break
		}
		if err == nil {
			pos, err = s.record(r)
		}
		if err == nil {
			last = r
			continue
		}
		if from, ok := s.cutChunk(r, err); ok {
			pos, last.pos = from, -1
			continue
		}
		if string(f.tail(pos)) == magic {
			break
		}
		from := pos
		if last.pos >= 0 && last.end() == pos && last.op != opChunk {
			from = last.pos
		}
		next, ok := f.resync(from)
		if gaps++; !ok || gaps > maxGaps {
			s.torn(r, err)
			break
		}
		if next < pos { // another record begins inside the last one
			s.forget(last)
			pos = last.pos
		}
		s.closeRange()
		f.notes.Addf(bagstore.Loss, pos, "file", "%v; %d bytes are passed over", err, next-pos)
		pos, last.pos = next, -1
	}
	s.closeRange()
}

// describeBySummary adds the summary's schemas and channels: the chunk that first describes a channel may be damaged.
func (f *File) describeBySummary() {
	foot, err := f.footer()
	if err != nil {
		return
	}
	sound, err := f.src.summarySum(foot)
	if err != nil {
		return
	}
	var r record
	for pos := foot.summary; pos < foot.pos; pos = r.end() {
		if r, err = f.src.record(pos, foot.pos); err != nil || f.describe(f.src, r) != nil {
			break
		}
		if r.op == opStatistics {
			if in, err := f.src.content(r); err == nil {
				f.counted = in.U64()
			}
		}
	}
	f.doubted = !sound
}

// ends reports whether a record is the end of the data.
func (f *File) ends(r record) bool {
	switch r.op {
	case opDataEnd:
		return r.size == dataEndSize
	case opFooter:
		return r.size == footerSize && r.end() == f.src.size-magicSize
	}
	return false
}

// tail reads the possible magic at the end.
func (f *File) tail(pos int64) []byte {
	if f.src.size-pos != magicSize {
		return nil
	}
	b := make([]byte, magicSize)
	if f.src.readFull(b, pos) != nil {
		return nil
	}
	return b
}

type scanner struct {
	f         *File
	open      bool  // a part of a range of messages outside of chunks
	from, to  int64 // of the part
	start     int64 // of the range
	messages  int   // in the range
	continued bool  // the part isn't the range's first
	cut       bool  // it is noted that the file is torn
}

// record adds a record, and returns where to continue or, with an error, where damage begins.
func (s *scanner) record(r record) (next int64, err error) {
	f := s.f
	switch r.op {
	case opMessage:
		if r.size < messageHead {
			return r.pos, fmt.Errorf("message at byte %d: %d bytes, want at least %d", r.pos, r.size, messageHead)
		}
		full := s.messages == rangeMessages || r.pos-s.start >= rangeBytes
		if s.open && (full || r.pos-s.from >= bagstore.PartBytes) {
			before := len(f.blocks)
			s.closeRange() // not before, so that forget finds the last message in an open part
			s.continued = !full && len(f.blocks) > before
		}
		if !s.open {
			s.open, s.from = true, r.pos
			if !s.continued {
				s.start, s.messages = r.pos, 0
			}
		}
		s.to = r.end()
		s.messages++
	case opChunk:
		s.closeRange()
		return s.chunk(r)
	case opHeader, opSchema, opChannel, opMessageIndex, opChunkIndex, opAttachment, opAttachmentIndex,
		opStatistics, opMetadata, opMetadataIndex, opSummaryOffset:
		if err := f.describe(f.src, r); err != nil {
			f.notes.Addf(bagstore.Loss, -1, "record", "%v", err)
		}
		f.addExtra(r)
	default:
		if r.op < firstPrivate {
			return r.pos, fmt.Errorf("record at byte %d: unknown opcode %#x", r.pos, byte(r.op))
		}
	}
	return r.end(), nil
}

// chunk adds a chunk. Of a damaged one it reads what is whole if it is compressed; the records of
// others can be found one by one.
func (s *scanner) chunk(r record) (next int64, err error) {
	f := s.f
	b, err := f.chunkAt(r, false)
	if err == nil && b.to != r.end() {
		err = fmt.Errorf("chunk at byte %d: %d bytes of records in %d", r.pos, b.to-b.from, r.end()-b.from)
	}
	if err != nil {
		return r.pos, err
	}
	whole := f.addBlock(b)
	if whole == nil {
		return r.end(), nil
	}
	if b.info.Compression == bagstore.None {
		return b.from, nil
	}
	b.torn = true
	kept := uint64(0)
	if n := len(f.blocks); f.addBlock(b) == nil && len(f.blocks) > n {
		kept = f.blocks[n].info.Messages()
	}
	f.notes.Addf(bagstore.Loss, r.pos, "chunk", "the chunk is damaged after %d messages: %v", kept, whole)
	return r.end(), nil
}

// cutChunk notes that the file ends inside an uncompressed chunk, and returns where the records begin. Unless the
// records, too, say that they go on after the end of the file, the length of the chunk is wrong.
func (s *scanner) cutChunk(r record, err error) (from int64, ok bool) {
	f := s.f
	if s.cut || r.op != opChunk || !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, false
	}
	b, bad := f.chunkAt(r, true)
	if bad != nil || b.info.Compression != bagstore.None || b.to != f.src.size {
		return 0, false
	}
	s.closeRange()
	s.noteTorn(err)
	return b.from, true
}

func (s *scanner) noteTorn(err error) {
	if !s.cut {
		s.f.notes.Addf(bagstore.Loss, -1, "file", "the file is torn: %v", err)
	}
	s.cut = true
}

// torn adds the whole part of a compressed chunk that is cut off.
func (s *scanner) torn(r record, err error) {
	s.closeRange()
	f := s.f
	s.noteTorn(err)
	if r.op != opChunk || r.data == 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
		return
	}
	if b, err := f.chunkAt(r, true); err == nil {
		if err := f.addBlock(b); err != nil {
			f.notes.Addf(bagstore.Loss, -1, "chunk", "nothing of the last chunk can be read: %v", err)
		}
	}
}

// forget removes the message that was added last.
func (s *scanner) forget(r record) {
	if s.open && s.to == r.end() {
		s.to = r.pos
		s.open = s.from < s.to
	}
}

func (s *scanner) closeRange() {
	if !s.open {
		return
	}
	b := block{from: s.from, to: s.to, info: bagstore.Block{ChunkInfo: bagstore.ChunkInfo{Pos: s.from},
		Compression: bagstore.None, Stored: s.to - s.from, Size: s.to - s.from, Continued: s.continued}}
	s.open, s.continued = false, false
	if err := s.f.addBlock(b); err != nil {
		s.f.notes.Addf(bagstore.Loss, -1, "messages", "messages are left out: %v", err)
	}
}
