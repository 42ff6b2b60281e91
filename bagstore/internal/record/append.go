package record

import "encoding/binary"

// A record is a header's length, its fields, the data's length, the data. Lengths are uint32,
// little-endian.

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
