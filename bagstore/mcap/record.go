package mcap

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"rsros/bagstore"
	"rsros/msgs"
)

// Sizes of the format. Wire constants.
const (
	magicSize   = 8
	recordHead  = 9  // opcode and length
	messageHead = 22 // channel, and HeadSize
	footerSize  = 20
	dataEndSize = 4

	chunkHead         = 16 + 8 + 4 + 4 + 8 // and the name of the compression
	messageIndexHead  = 2 + 4
	messageIndexEntry = 16
	attachmentHead    = 16 + 4 + 4 + 8 + 4 // without its texts and bytes
)

// HeadSize is the size of a message's sequence number, log time and publish time. A wire constant.
const HeadSize = 4 + 8 + 8

// maxRecord bounds records that are read whole: all but chunks, messages and attachments.
const maxRecord = 64 << 20

// The maximum number of bytes that are read at once of small records.
const (
	maxIndexes = 1 << 20 // of a chunk
	maxSummary = 16 << 20
)

// Is reports whether a file that begins with head may be one for Open.
func Is(head []byte) bool { return len(head) >= magicSize && string(head[:magicSize]) == magic }

type record struct {
	op   opcode
	pos  int64 // of the record
	data int64 // of its content
	size int64
}

func (r record) end() int64 { return r.data + r.size }

// source is bytes with records: a file, or the content of a chunk.
type source struct {
	r    io.ReaderAt
	size int64
}

// readFull fills p. If the source ends inside p, the error is io.ErrUnexpectedEOF.
func (s source) readFull(p []byte, off int64) error {
	n, err := s.r.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// ahead returns a source for n bytes with small records, read at once up to most bytes.
func (s source) ahead(off, n, most int64) (source, error) {
	if n > most {
		return s, nil
	}
	b := make([]byte, n)
	return source{span{bytes.NewReader(b), off}, s.size}, s.readFull(b, off)
}

type span struct {
	b   *bytes.Reader
	off int64
}

func (s span) ReadAt(p []byte, off int64) (int, error) { return s.b.ReadAt(p, off-s.off) }

// record reads the head of the record at pos, which must end at or before limit.
func (s source) record(pos, limit int64) (record, error) {
	var head [recordHead]byte
	if pos < 0 || limit > s.size || limit-pos < recordHead {
		return record{}, fmt.Errorf("record at byte %d: %w", pos, io.ErrUnexpectedEOF)
	}
	if err := s.readFull(head[:], pos); err != nil {
		return record{}, fmt.Errorf("record at byte %d: %w", pos, err)
	}
	r := record{op: opcode(head[0]), pos: pos, data: pos + recordHead}
	size := binary.LittleEndian.Uint64(head[1:])
	if size > uint64(limit-r.data) {
		return r, fmt.Errorf("record at byte %d: %d bytes needed, %d left: %w", pos, size, limit-r.data, io.ErrUnexpectedEOF)
	}
	r.size = int64(size)
	return r, nil
}

func (s source) content(r record) (*fields, error) {
	if r.size > maxRecord {
		return nil, fmt.Errorf("record at byte %d: %d bytes, at most %d are read", r.pos, r.size, maxRecord)
	}
	b := make([]byte, r.size)
	if err := s.readFull(b, r.data); err != nil {
		return nil, fmt.Errorf("record at byte %d: %w", r.pos, err)
	}
	return fieldsOf(b, r), nil
}

// fields reads the fields of a record, which have the form of ROS's. After an error it returns zero values.
type fields struct {
	*msgs.Decoder
	pos   int64 // of the record
	inner error // of a map
}

func fieldsOf(b []byte, r record) *fields { return &fields{Decoder: msgs.NewDecoder(b), pos: r.pos} }

// err is the first error.
func (f *fields) err() error {
	var short *msgs.WireError
	if errors.As(cmp.Or(f.Err(), f.inner), &short) {
		return fmt.Errorf("record at byte %d: a field of %d bytes, %d are left: %w", f.pos, short.Need, short.Have,
			io.ErrUnexpectedEOF)
	}
	return nil
}

// texts reads a map of strings.
func (f *fields) texts() map[string]string {
	in := msgs.NewDecoder(f.Bytes())
	m := make(map[string]string)
	for in.Remaining() > 0 {
		key := in.String()
		m[key] = in.String()
	}
	f.inner = in.Err()
	return m
}

// timeOf is a time as in a [bagstore.Entry].
func timeOf(ns uint64) bagstore.Time {
	return max(bagstore.Time(min(ns, uint64(bagstore.MaxTime))), bagstore.MinTime)
}
