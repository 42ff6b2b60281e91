package sqlite

import (
	"encoding/binary"
	"math/bits"
)

// appendVarint appends a number of 1 to 9 bytes, the most significant first.
func appendVarint(b []byte, v uint64) []byte {
	if v>>56 != 0 {
		for shift := 57; shift > 1; shift -= 7 {
			b = append(b, byte(v>>shift)|0x80)
		}
		return append(b, byte(v))
	}
	for i := (bits.Len64(v|1) - 1) / 7; i > 0; i-- {
		b = append(b, byte(v>>(7*i))|0x80)
	}
	return append(b, byte(v&0x7f))
}

// intType returns the type of an integer and its length in bytes.
func intType(v int64) (kind uint64, size int) {
	switch {
	case v == 0:
		return typeZero, 0
	case v == 1:
		return typeOne, 0
	case v == int64(int8(v)):
		return 1, 1
	case v == int64(int16(v)):
		return 2, 2
	case v<<40>>40 == v:
		return 3, 3
	case v == int64(int32(v)):
		return 4, 4
	case v<<16>>16 == v:
		return 5, 6
	}
	return typeInt64, 8
}

func appendInt(b []byte, v int64, size int) []byte {
	var w [8]byte
	binary.BigEndian.PutUint64(w[:], uint64(v))
	return append(b, w[8-size:]...)
}

// readInt reads an integer, and returns how many bytes it has, at most those of b.
func readInt(kind byte, b []byte) (v int64, n int) {
	if kind == typeZero || kind == typeOne {
		return int64(kind - typeZero), 0
	}
	n = int(min(max(sizeOf(uint64(kind)), 0), int64(len(b))))
	return intOf(b[:n]), n
}

// Value is the value of a column in a new row. The zero Value stands for the row's id.
type Value struct {
	kind  uint64 // its type
	int   int64
	size  int // bytes of int
	parts [][]byte
}

func Int(v int64) Value {
	kind, size := intType(v)
	return Value{kind: kind, int: v, size: size}
}

func Text(s string) Value {
	return Value{kind: typeText + 2*uint64(len(s)), parts: [][]byte{[]byte(s)}}
}

// Blob is a value of bytes, which are borrowed until its row is appended.
func Blob(parts ...[]byte) Value {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	return Value{kind: typeBlob + 2*uint64(n), parts: parts}
}

// record is a row's values: their types, and their bytes in parts.
type record struct {
	types []byte
	parts [][]byte
	ints  [16 * 8]byte // room for the integers
	used  int
	size  int // of the parts
}

// set makes it the record of a row.
func (r *record) set(row []Value) {
	r.types, r.parts, r.used, r.size = r.types[:0], r.parts[:0], 0, 0
	for _, v := range row {
		r.types = appendVarint(r.types, v.kind)
		if v.size > 0 {
			r.add(appendInt(r.ints[r.used:r.used], v.int, v.size))
			r.used += v.size
		}
		for _, p := range v.parts {
			r.add(p)
		}
	}
}

func (r *record) add(b []byte) {
	if len(b) > 0 {
		r.parts = append(r.parts, b)
		r.size += len(b)
	}
}

// head returns the record's head: its own length and the types.
func (r *record) head() []byte {
	n := len(r.types) + 1
	if n > 127 {
		n++
	}
	return append(appendVarint(nil, uint64(n)), r.types...)
}
