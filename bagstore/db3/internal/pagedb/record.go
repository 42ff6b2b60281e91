package pagedb

import (
	"encoding/binary"
)

// appendVarint appends a number of 1 to 9 bytes, the most significant first.
func appendVarint(b []byte, v uint64) []byte {
	if v>>56 != 0 {
		for shift := 57; shift > 1; shift -= 7 {
			b = append(b, byte(v>>shift)|0x80)
		}
		return append(b, byte(v))
	}
	n := 1
	for x := v >> 7; x != 0; x >>= 7 {
		n++
	}
	for i := n - 1; i > 0; i-- {
		b = append(b, byte(v>>(7*i))|0x80)
	}
	return append(b, byte(v&0x7f))
}

const (
	typeNull = 0
	typeInt8 = 1
	typeZero = 8
	typeOne  = 9
	typeBlob = 12 // and twice the length
	typeText = 13
)

// intType returns the serial type of an integer and its length in bytes.
func intType(v int64) (kind uint64, size int) {
	switch {
	case v == 0:
		return typeZero, 0
	case v == 1:
		return typeOne, 0
	case v == int64(int8(v)):
		return typeInt8, 1
	case v == int64(int16(v)):
		return 2, 2
	case v<<40>>40 == v:
		return 3, 3
	case v == int64(int32(v)):
		return 4, 4
	case v<<16>>16 == v:
		return 5, 6
	}
	return 6, 8
}

func appendInt(b []byte, v int64, size int) []byte {
	var w [8]byte
	binary.BigEndian.PutUint64(w[:], uint64(v))
	return append(b, w[8-size:]...)
}

func readInt(kind uint64, b []byte) (v int64, n int) {
	switch kind {
	case typeZero:
		return 0, 0
	case typeOne:
		return 1, 0
	case 5:
		n = 6
	case 6:
		n = 8
	default:
		n = int(kind)
	}
	if n > len(b) {
		return 0, len(b)
	}
	for i, c := range b[:n] {
		if i == 0 {
			v = int64(int8(c))
		} else {
			v = v<<8 | int64(c)
		}
	}
	return v, n
}

// record is a row's values: a head that says what they are, and their bytes in parts.
type record struct {
	types []byte
	parts [][]byte
	ints  [16 * 8]byte // room for the integers
	used  int
	size  int // of the parts
}

func (r *record) begin() { r.types, r.parts, r.used, r.size = r.types[:0], r.parts[:0], 0, 0 }

// null is the column that is an alias of the row's id.
func (r *record) null() { r.types = append(r.types, typeNull) }

func (r *record) int(v int64) {
	kind, size := intType(v)
	r.types = appendVarint(r.types, kind)
	b := appendInt(r.ints[r.used:r.used], v, size)
	r.used += size
	r.add(b)
}

func (r *record) text(s string) {
	r.types = appendVarint(r.types, typeText+2*uint64(len(s)))
	r.add([]byte(s))
}

// blob is one value in parts, which must stay as they are until the record is written.
func (r *record) blob(parts ...[]byte) {
	n := 0
	for _, p := range parts {
		n += len(p)
		r.add(p)
	}
	r.types = appendVarint(r.types, typeBlob+2*uint64(n))
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
