package bagstore

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Record kinds. Wire constants: they never change.
const (
	opDefinition12 = 0x01 // version 1.2 only
	opMessage      = 0x02
	opFileHeader   = 0x03
	opIndex        = 0x04
	opChunk        = 0x05
	opChunkInfo    = 0x06
	opConnection   = 0x07
	// opPadding is ours: a record to skip. Stock readers skip kinds that they
	// don't know, where they look at all.
	opPadding = 0x7f
)

func opName(op byte) string {
	switch op {
	case opDefinition12:
		return "message definition"
	case opMessage:
		return "message"
	case opFileHeader:
		return "file header"
	case opIndex:
		return "index"
	case opChunk:
		return "chunk"
	case opChunkInfo:
		return "chunk info"
	case opConnection:
		return "connection"
	}
	return fmt.Sprintf("record of kind 0x%02x", op)
}

// maxHeader bounds a record header: a length above it is damage.
const maxHeader = 64 << 20

var (
	errField  = errors.New("field without a name")
	errLength = errors.New("field goes past its header's end")
	errNoOp   = errors.New("header without op field")
)

// Field is one name=value pair of a record or connection header.
type Field struct {
	Name  string
	Value string
}

// nextField cuts the first field off a header: 4 bytes length, name, '=', value.
// The slices point into b.
func nextField(b []byte) (name, value, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, nil, errLength
	}
	n := binary.LittleEndian.Uint32(b)
	b = b[4:]
	if uint64(n) > uint64(len(b)) {
		return nil, nil, nil, errLength
	}
	field, rest := b[:n], b[n:]
	for i, c := range field {
		if c == '=' {
			if i == 0 {
				break
			}
			return field[:i], field[i+1:], rest, nil
		}
	}
	return nil, nil, nil, errField
}

// Bits of header.has.
const (
	hasOp = 1 << iota
	hasConn
	hasTime
	hasCount
	hasVer
	hasSize
	hasChunkPos
	hasStart
	hasEnd
	hasIndexPos
	hasConnCount
	hasChunkCount
	hasTopic
	hasCompression
	hasSec
	hasNsec
)

// header is a parsed record header: the fields that any record kind knows.
// Byte slices point into the parsed bytes.
type header struct {
	has                                    uint32
	op                                     byte
	conn, count, ver, size                 uint32
	connCount, chunkCount                  uint32
	sec, nsec                              uint32 // 1.2
	time, start, end                       Time
	chunkPos, indexPos                     uint64
	tail                                   uint64 // of a file header: see tailPath
	topic, compression, encryptor          []byte
	md5, typ, definition, latching, caller []byte // 1.2
}

// parse reads all fields, in any order. Unknown ones are left alone: other
// writers put spare fields there, and so do we.
func (h *header) parse(b []byte) error {
	*h = header{}
	for len(b) > 0 {
		name, value, rest, err := nextField(b)
		if err != nil {
			return err
		}
		if err := h.set(name, value); err != nil {
			return err
		}
		b = rest
	}
	if h.has&hasOp == 0 {
		return errNoOp
	}
	return nil
}

// set knows the fields of all record kinds, those of messages first.
func (h *header) set(name, value []byte) error {
	switch string(name) {
	case "op":
		if len(value) != 1 {
			return wrongLength(name, value, 1)
		}
		h.op, h.has = value[0], h.has|hasOp
	case "conn":
		return h.setU32(&h.conn, hasConn, name, value)
	case "time":
		return h.setTime(&h.time, hasTime, name, value)
	case "count":
		return h.setU32(&h.count, hasCount, name, value)
	case "ver":
		return h.setU32(&h.ver, hasVer, name, value)
	case "size":
		return h.setU32(&h.size, hasSize, name, value)
	case "chunk_pos":
		return h.setU64(&h.chunkPos, hasChunkPos, name, value)
	case "start_time":
		return h.setTime(&h.start, hasStart, name, value)
	case "end_time":
		return h.setTime(&h.end, hasEnd, name, value)
	case "index_pos":
		return h.setU64(&h.indexPos, hasIndexPos, name, value)
	case "conn_count":
		return h.setU32(&h.connCount, hasConnCount, name, value)
	case "chunk_count":
		return h.setU32(&h.chunkCount, hasChunkCount, name, value)
	case "sec":
		return h.setU32(&h.sec, hasSec, name, value)
	case "nsec":
		return h.setU32(&h.nsec, hasNsec, name, value)
	default:
		h.setText(name, value)
	}
	return nil
}

// setText knows the fields of any length.
func (h *header) setText(name, value []byte) {
	switch string(name) {
	case "topic":
		h.topic, h.has = value, h.has|hasTopic
	case "compression":
		h.compression, h.has = value, h.has|hasCompression
	case "encryptor":
		h.encryptor = value
	case tailField:
		h.tail = tailTokenOf(value)
	case "md5":
		h.md5 = value
	case "type":
		h.typ = value
	case "def":
		h.definition = value
	case "latching":
		h.latching = value
	case "callerid":
		h.caller = value
	}
}

func (h *header) setU32(to *uint32, bit uint32, name, value []byte) error {
	if len(value) != 4 {
		return wrongLength(name, value, 4)
	}
	*to, h.has = binary.LittleEndian.Uint32(value), h.has|bit
	return nil
}

func (h *header) setU64(to *uint64, bit uint32, name, value []byte) error {
	if len(value) != 8 {
		return wrongLength(name, value, 8)
	}
	*to, h.has = binary.LittleEndian.Uint64(value), h.has|bit
	return nil
}

func (h *header) setTime(to *Time, bit uint32, name, value []byte) error {
	if len(value) != 8 {
		return wrongLength(name, value, 8)
	}
	*to, h.has = readTime(value), h.has|bit
	return nil
}

func wrongLength(name, value []byte, want int) error {
	return fmt.Errorf("field %q has %d bytes, not %d", name, len(value), want)
}

// need reports the first field of the mask that is missing.
func (h *header) need(mask uint32) error {
	missing := mask &^ h.has
	if missing == 0 {
		return nil
	}
	names := [...]string{"op", "conn", "time", "count", "ver", "size", "chunk_pos", "start_time", "end_time",
		"index_pos", "conn_count", "chunk_count", "topic", "compression", "sec", "nsec"}
	for i, name := range names {
		if missing&(1<<i) != 0 {
			return fmt.Errorf("field %q is missing", name)
		}
	}
	return nil
}

func readTime(b []byte) Time {
	return NewTime(binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]))
}

// Appending. A record is a header's length, its fields, the data's length, the
// data; lengths are 4 bytes, little-endian.

// appendHeader writes a header: its length, then what fields appends.
func appendHeader(b []byte, op byte, fields func([]byte) []byte) []byte {
	at := len(b)
	b = append(b, 0, 0, 0, 0)
	b = appendField(b, "op", op)
	if fields != nil {
		b = fields(b)
	}
	binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at-4))
	return b
}

func appendField(b []byte, name string, value ...byte) []byte {
	return append(appendName(b, name, len(value)), value...)
}

func appendString(b []byte, name, value string) []byte {
	return append(appendName(b, name, len(value)), value...)
}

func appendU32(b []byte, name string, v uint32) []byte {
	return binary.LittleEndian.AppendUint32(appendName(b, name, 4), v)
}

func appendU64(b []byte, name string, v uint64) []byte {
	return binary.LittleEndian.AppendUint64(appendName(b, name, 8), v)
}

// appendName begins a field with a value of n bytes.
func appendName(b []byte, name string, n int) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(name)+1+n))
	b = append(b, name...)
	return append(b, '=')
}

func appendTime(b []byte, name string, t Time) []byte {
	return appendU64(b, name, uint64(t.Nsec())<<32|uint64(t.Sec()))
}
