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

func (h *header) set(name, value []byte) error {
	le := binary.LittleEndian
	want := 0
	switch string(name) {
	case "op":
		if want = 1; len(value) == want {
			h.op, h.has = value[0], h.has|hasOp
		}
	case "conn":
		if want = 4; len(value) == want {
			h.conn, h.has = le.Uint32(value), h.has|hasConn
		}
	case "time":
		if want = 8; len(value) == want {
			h.time, h.has = readTime(value), h.has|hasTime
		}
	case "count":
		if want = 4; len(value) == want {
			h.count, h.has = le.Uint32(value), h.has|hasCount
		}
	case "ver":
		if want = 4; len(value) == want {
			h.ver, h.has = le.Uint32(value), h.has|hasVer
		}
	case "size":
		if want = 4; len(value) == want {
			h.size, h.has = le.Uint32(value), h.has|hasSize
		}
	case "topic":
		want, h.topic, h.has = len(value), value, h.has|hasTopic
	case "compression":
		want, h.compression, h.has = len(value), value, h.has|hasCompression
	default:
		return h.setRare(name, value)
	}
	return wrongLength(name, value, want)
}

// setRare knows the fields that stand once a file or chunk, or in 1.2 bags.
func (h *header) setRare(name, value []byte) error {
	le := binary.LittleEndian
	want := len(value)
	switch string(name) {
	case "chunk_pos":
		if want = 8; len(value) == want {
			h.chunkPos, h.has = le.Uint64(value), h.has|hasChunkPos
		}
	case "start_time":
		if want = 8; len(value) == want {
			h.start, h.has = readTime(value), h.has|hasStart
		}
	case "end_time":
		if want = 8; len(value) == want {
			h.end, h.has = readTime(value), h.has|hasEnd
		}
	case "index_pos":
		if want = 8; len(value) == want {
			h.indexPos, h.has = le.Uint64(value), h.has|hasIndexPos
		}
	case "conn_count":
		if want = 4; len(value) == want {
			h.connCount, h.has = le.Uint32(value), h.has|hasConnCount
		}
	case "chunk_count":
		if want = 4; len(value) == want {
			h.chunkCount, h.has = le.Uint32(value), h.has|hasChunkCount
		}
	case "sec":
		if want = 4; len(value) == want {
			h.sec, h.has = le.Uint32(value), h.has|hasSec
		}
	case "nsec":
		if want = 4; len(value) == want {
			h.nsec, h.has = le.Uint32(value), h.has|hasNsec
		}
	case "encryptor":
		h.encryptor = value
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
	return wrongLength(name, value, want)
}

func wrongLength(name, value []byte, want int) error {
	if len(value) != want {
		return fmt.Errorf("field %q has %d bytes, not %d", name, len(value), want)
	}
	return nil
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

// appendFields writes a header: its length, then what fields appends.
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
	b = binary.LittleEndian.AppendUint32(b, uint32(len(name)+1+len(value)))
	b = append(b, name...)
	b = append(b, '=')
	return append(b, value...)
}

func appendString(b []byte, name, value string) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(name)+1+len(value)))
	b = append(b, name...)
	b = append(b, '=')
	return append(b, value...)
}

func appendU32(b []byte, name string, v uint32) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(name)+1+4))
	b = append(b, name...)
	b = append(b, '=')
	return binary.LittleEndian.AppendUint32(b, v)
}

func appendU64(b []byte, name string, v uint64) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(name)+1+8))
	b = append(b, name...)
	b = append(b, '=')
	return binary.LittleEndian.AppendUint64(b, v)
}

func appendTime(b []byte, name string, t Time) []byte {
	return appendU64(b, name, uint64(t.Nsec())<<32|uint64(t.Sec()))
}
