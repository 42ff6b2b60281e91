package verify

import (
	"context"
	"io"

	"rsros/bagstore"
	"rsros/bagstore/internal/disk"
	"rsros/bagstore/internal/record"
	"rsros/bagstore/place"
	"rsros/bagstore/proof"
)

// piece is the number of bytes that are hashed at a time. Pieces begin at multiples of it, so that each is in
// one block of what is read ahead.
const piece = 1 << 20

// source reads a file or object, once and in order as far as it can. A large file is read ahead, past the page cache.
type source struct {
	f     place.File
	ahead *disk.Ahead
	r     io.ReaderAt
	size  int64
	buf   []byte
	win   *record.Window
	hash  *proof.Hasher
}

func openSource(ctx context.Context, path string) (*source, error) {
	f, err := place.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	s := newSource(f, f.Size())
	s.f = f
	if onDisk := place.OnDisk(f); onDisk != nil && s.size >= disk.AheadLeast {
		if s.ahead = disk.OpenAhead(onDisk, s.size, disk.AheadOptions{}); s.ahead != nil {
			s.r = s.ahead
		}
	}
	s.win = record.NewWindow(s.r, s.size)
	return s, nil
}

func newSource(r io.ReaderAt, size int64) *source {
	return &source{r: r, size: size, win: record.NewWindow(r, size), hash: proof.NewHasher()}
}

func (s *source) close() error {
	if s.ahead != nil {
		return s.ahead.Close()
	}
	return s.f.Close()
}

// each passes n bytes from off on, in pieces.
func (s *source) each(off, n int64, do func([]byte)) error {
	for end := off + n; off < end; {
		k := int(min(piece-off%piece, end-off))
		if err := s.one(off, k, do); err != nil {
			return err
		}
		off += int64(k)
	}
	return nil
}

func (s *source) one(off int64, n int, do func([]byte)) error {
	if s.ahead != nil {
		if b, loan := s.ahead.Borrow(off, n); b != nil {
			defer loan.Release()
			do(b)
			return nil
		}
	}
	if cap(s.buf) < n {
		s.buf = make([]byte, piece)
	}
	if err := record.ReadFull(s.r, s.buf[:n], off); err != nil {
		return err
	}
	do(s.buf[:n])
	return nil
}

// digest returns that of some bytes.
func (s *source) digest(off, n int64) (proof.Digest, error) {
	err := s.each(off, n, s.hash.Data)
	return s.hash.Loose(), err
}

// content returns the digest of a chunk's content as it is stored, and an error if that can't be read.
func (s *source) content(h bagstore.ChunkHeader) (proof.Digest, error) {
	s.hash.Begin(string(h.Compression), h.Size)
	var err error
	if h.Compression == bagstore.None {
		err = s.records(h)
	} else {
		err = s.each(h.DataPos, h.Stored, s.hash.Bytes)
	}
	return s.hash.Sum(), err
}

// inline is the size up to which data are hashed in the window in which their record was read.
const inline = 16 << 10

// records hashes the records of an uncompressed chunk.
func (s *source) records(h bagstore.ChunkHeader) error {
	end := h.DataPos + h.Stored
	for pos := h.DataPos; pos < end; {
		var r record.Record
		if err := record.Read(s.win, pos, end, &r); err != nil {
			return err
		}
		next := r.Next()
		if r.Op != record.OpMessage {
			if err := s.each(pos, next-pos, s.hash.Bytes); err != nil {
				return err
			}
			pos = next
			continue
		}
		head, err := s.win.At(pos, int(r.DataPos-pos))
		if err != nil {
			return err
		}
		s.hash.Bytes(head)
		if r.DataLen > inline {
			err = s.each(r.DataPos, r.DataLen, s.hash.Data)
		} else {
			var b []byte
			if b, err = s.win.At(r.DataPos, int(r.DataLen)); err == nil {
				s.hash.Data(b)
			}
		}
		if err != nil {
			return err
		}
		s.hash.Message()
		pos = next
	}
	return nil
}
