package mcap

import (
	format "github.com/foxglove/mcap/go/mcap"

	"rsros/bagstore"
)

// Messages outside of chunks form blocks of so many messages or bytes at most.
const (
	rangeMessages = 4096
	rangeBytes    = 256 << 20
)

// scan finds chunks and messages without the index, up to the first record that isn't
// whole.
func (f *File) scan() {
	s := scanner{f: f}
	for pos := int64(magicSize); pos < f.src.size; {
		r, err := f.src.record(pos, f.src.size)
		if err != nil {
			if string(f.tail(pos)) != string(format.Magic) {
				s.torn(r, err)
			}
			break
		}
		if r.op == format.OpFooter || r.op == format.OpDataEnd {
			break
		}
		s.record(r)
		pos = r.end()
	}
	s.closeRange()
}

// tail reads what may be the magic at the end.
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
	f        *File
	open     bool // a range of messages outside of chunks
	from, to int64
	messages int
}

func (s *scanner) record(r record) {
	f := s.f
	switch r.op {
	case format.OpMessage:
		if !s.open {
			s.open, s.from, s.messages = true, r.pos, 0
		}
		s.to = r.end()
		if s.messages++; s.messages == rangeMessages || s.to-s.from >= rangeBytes {
			s.closeRange()
		}
	case format.OpChunk:
		s.closeRange()
		b, err := f.chunkAt(r, false)
		if err == nil {
			err = f.addBlock(b)
		}
		if err != nil {
			f.notes.Addf(bagstore.Loss, -1, "chunk", "a chunk is left out: %v", err)
		}
	default:
		if err := f.describe(f.src, r); err != nil {
			f.notes.Addf(bagstore.Loss, -1, "record", "%v", err)
		}
	}
}

// torn takes in what is whole of a chunk that the file's end cut.
func (s *scanner) torn(r record, err error) {
	s.closeRange()
	f := s.f
	f.notes.Addf(bagstore.Loss, -1, "file", "the file is torn: %v", err)
	if r.op != format.OpChunk || r.data == 0 {
		return
	}
	if b, err := f.chunkAt(r, true); err == nil {
		if err := f.addBlock(b); err != nil {
			f.notes.Addf(bagstore.Loss, -1, "chunk", "nothing of the last chunk can be read: %v", err)
		}
	}
}

func (s *scanner) closeRange() {
	if !s.open {
		return
	}
	s.open = false
	b := block{from: s.from, to: s.to, info: bagstore.Block{ChunkInfo: bagstore.ChunkInfo{Pos: s.from}, Compression: bagstore.None, Stored: s.to - s.from, Size: s.to - s.from}}
	if err := s.f.addBlock(b); err != nil {
		s.f.notes.Addf(bagstore.Loss, -1, "messages", "messages are left out: %v", err)
	}
}
