// Package bagrecord reads and writes the records of a bag: a header of named fields, and data, each with its length. It
// parses the fields of every kind of record; package bagstore interprets the data.
//
// Nothing in a file is trusted: lengths are bounded by the size of the file. A Source is for
// one goroutine, and the bytes that it returns are valid until it is used again.
package bagrecord

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
)

// Record kinds. Wire constants: they never change.
const (
	OpDefinition12 = 0x01 // version 1.2 only
	OpMessage      = 0x02
	OpFileHeader   = 0x03
	OpIndex        = 0x04
	OpChunk        = 0x05
	OpChunkInfo    = 0x06
	OpConnection   = 0x07
	// OpPadding is an extension: a record to skip. Stock readers skip unknown kinds.
	OpPadding = 0x7f
)

var opNames = map[byte]string{
	OpDefinition12: "message definition", OpMessage: "message", OpFileHeader: "file header", OpIndex: "index",
	OpChunk: "chunk", OpChunkInfo: "chunk info", OpConnection: "connection",
}

// OpName names a kind of record in messages.
func OpName(op byte) string { return cmp.Or(opNames[op], fmt.Sprintf("record of kind 0x%02x", op)) }

// Record is a record's header and the position of its data. Byte slices are valid until the source is used again.
type Record struct {
	Header
	Pos     int64 // in the source, as DataPos
	DataPos int64
	DataLen int64
}

// Next returns the offset of the following record.
func (r *Record) Next() int64 { return r.DataPos + r.DataLen }

// ErrData is the error for a record with a whole header whose data exceed the limit.
var ErrData = errors.New("data cut off")

// Read reads the header of the record at pos and checks that its data end before limit. If only the
// data are short, it fills in the record and returns ErrData.
func Read(src Source, pos, limit int64, r *Record) error {
	if limit-pos < 8 {
		return Cut(8, limit-pos)
	}
	b, err := src.At(pos, 4)
	if err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(b))
	if n > MaxHeader {
		return fmt.Errorf("header length %d is above %d", n, MaxHeader)
	}
	if n+8 > limit-pos {
		return Cut(n+8, limit-pos)
	}
	if b, err = src.At(pos, int(n)+8); err != nil {
		return err
	}
	if err := r.Parse(b[4 : 4+n]); err != nil {
		return err
	}
	r.Pos, r.DataPos = pos, pos+8+n
	r.DataLen = int64(binary.LittleEndian.Uint32(b[4+n:]))
	if r.DataLen > limit-r.DataPos {
		return fmt.Errorf("%w: %w", ErrData, Cut(r.DataLen, limit-r.DataPos))
	}
	return nil
}

// Data reads the record again in one piece, so that header and data are valid together.
func (r *Record) Data(src Source) ([]byte, error) {
	both, err := Whole(src, r.Pos, r.Next()-r.Pos)
	if err != nil {
		return nil, err
	}
	head := r.DataPos - r.Pos
	if err := r.Parse(both[4 : head-4]); err != nil {
		return nil, err
	}
	return both[head:], nil
}

// A record is a header's length, its fields, the data's length, the data. Lengths are uint32, little-endian.

// AppendHeader appends a header: its length, then what fields appends.
func AppendHeader(b []byte, op byte, fields func([]byte) []byte) []byte {
	at := len(b)
	b = append(b, 0, 0, 0, 0)
	b = AppendField(b, "op", op)
	if fields != nil {
		b = fields(b)
	}
	binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at-4))
	return b
}

// AppendField appends a field of any kind.
func AppendField(b []byte, name string, value ...byte) []byte {
	return append(appendName(b, name, len(value)), value...)
}

// AppendString appends a field with a text.
func AppendString(b []byte, name, value string) []byte {
	return append(appendName(b, name, len(value)), value...)
}

// AppendU32 appends a field with a number of 4 bytes.
func AppendU32(b []byte, name string, v uint32) []byte {
	return binary.LittleEndian.AppendUint32(appendName(b, name, 4), v)
}

// AppendU64 appends a field with a number of 8 bytes.
func AppendU64(b []byte, name string, v uint64) []byte {
	return binary.LittleEndian.AppendUint64(appendName(b, name, 8), v)
}

func appendName(b []byte, name string, n int) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(name)+1+n))
	b = append(b, name...)
	return append(b, '=')
}

// AppendTime appends a field with a time, in nanoseconds since 1970.
func AppendTime(b []byte, name string, ns int64) []byte {
	return AppendU64(b, name, uint64(uint32(ns%nsPerSec))<<32|uint64(uint32(ns/nsPerSec)))
}

// PutLength fills in the length, at byte at, of everything appended after it.
func PutLength(b []byte, at int) {
	binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at-4))
}
