package bagrecord

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// TailField is the field of a file header with the token of the bag's tail file (docs/internals/decisions/0009).
const TailField = "tail"

// MaxHeader bounds a record header: a length above it is damage.
const MaxHeader = 64 << 20

const nsPerSec = 1_000_000_000

var (
	errField  = errors.New("field without a name")
	errLength = errors.New("field goes past its header's end")
	errNoOp   = errors.New("header without op field")
)

// NextField splits the first field off a header: 4 bytes of length, name, '=', value, in b's memory.
func NextField(b []byte) (name, value, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, nil, errLength
	}
	n := binary.LittleEndian.Uint32(b)
	b = b[4:]
	if uint64(n) > uint64(len(b)) {
		return nil, nil, nil, errLength
	}
	at := bytes.IndexByte(b[:n], '=')
	if at < 1 {
		return nil, nil, nil, errField
	}
	return b[:at], b[at+1 : n], b[n:], nil
}

// Bits of Header.Has.
const (
	hasOp = 1 << iota
	HasConn
	HasTime
	HasCount
	HasVer
	HasSize
	HasChunkPos
	HasStart
	HasEnd
	hasIndexPos
	hasConnCount
	hasChunkCount
	HasTopic
	HasCompression
	HasSec
	HasNsec
)

// Header is a parsed record header of any kind. Byte slices point into the parsed bytes.
type Header struct {
	Has                                       uint32 // which fields are there
	Op                                        byte
	Conn, Count, Ver, Size                    uint32
	ConnCount, ChunkCount                     uint32
	Sec, Nsec                                 uint32 // 1.2
	Time, Start, End                          int64  // ns since 1970
	ChunkPos, IndexPos                        uint64
	Tail                                      uint64 // of a file header: the token of its tail file
	Topic, Compression, Encryptor             []byte
	MD5, Type, Definition, Latching, CallerID []byte // 1.2
}

// Parse parses all fields, in any order. It ignores unknown fields, which other writers add.
func (h *Header) Parse(b []byte) error {
	*h = Header{}
	for len(b) > 0 {
		name, value, rest, err := NextField(b)
		if err != nil {
			return err
		}
		if err := h.set(name, value); err != nil {
			return err
		}
		b = rest
	}
	if h.Has&hasOp == 0 {
		return errNoOp
	}
	return nil
}

// set sets a field of fixed length. Those of messages come first.
func (h *Header) set(name, value []byte) error {
	switch string(name) {
	case "op":
		if len(value) != 1 {
			return wrongLength(name, value, 1)
		}
		h.Op, h.Has = value[0], h.Has|hasOp
	case "conn":
		return h.setU32(&h.Conn, HasConn, name, value)
	case "time":
		return h.setTime(&h.Time, HasTime, name, value)
	case "count":
		return h.setU32(&h.Count, HasCount, name, value)
	case "ver":
		return h.setU32(&h.Ver, HasVer, name, value)
	case "size":
		return h.setU32(&h.Size, HasSize, name, value)
	case "chunk_pos":
		return h.setU64(&h.ChunkPos, HasChunkPos, name, value)
	case "start_time":
		return h.setTime(&h.Start, HasStart, name, value)
	case "end_time":
		return h.setTime(&h.End, HasEnd, name, value)
	case "index_pos":
		return h.setU64(&h.IndexPos, hasIndexPos, name, value)
	case "conn_count":
		return h.setU32(&h.ConnCount, hasConnCount, name, value)
	case "chunk_count":
		return h.setU32(&h.ChunkCount, hasChunkCount, name, value)
	case "sec":
		return h.setU32(&h.Sec, HasSec, name, value)
	case "nsec":
		return h.setU32(&h.Nsec, HasNsec, name, value)
	default:
		h.setText(name, value)
	}
	return nil
}

func (h *Header) setText(name, value []byte) {
	switch string(name) {
	case "topic":
		h.Topic, h.Has = value, h.Has|HasTopic
	case "compression":
		h.Compression, h.Has = value, h.Has|HasCompression
	case "encryptor":
		h.Encryptor = value
	case TailField:
		if len(value) == 8 {
			h.Tail = binary.LittleEndian.Uint64(value)
		}
	case "md5":
		h.MD5 = value
	case "type":
		h.Type = value
	case "def":
		h.Definition = value
	case "latching":
		h.Latching = value
	case "callerid":
		h.CallerID = value
	}
}

func (h *Header) setU32(to *uint32, bit uint32, name, value []byte) error {
	if len(value) != 4 {
		return wrongLength(name, value, 4)
	}
	*to, h.Has = binary.LittleEndian.Uint32(value), h.Has|bit
	return nil
}

func (h *Header) setU64(to *uint64, bit uint32, name, value []byte) error {
	if len(value) != 8 {
		return wrongLength(name, value, 8)
	}
	*to, h.Has = binary.LittleEndian.Uint64(value), h.Has|bit
	return nil
}

func (h *Header) setTime(to *int64, bit uint32, name, value []byte) error {
	if len(value) != 8 {
		return wrongLength(name, value, 8)
	}
	*to, h.Has = ReadTime(value), h.Has|bit
	return nil
}

func wrongLength(name, value []byte, want int) error {
	return fmt.Errorf("field %q has %d bytes, not %d", name, len(value), want)
}

// Need returns an error that names the first missing field of the mask.
func (h *Header) Need(mask uint32) error {
	missing := mask &^ h.Has
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

// ReadTime decodes 4 bytes of seconds and 4 of nanoseconds, and returns nanoseconds.
func ReadTime(b []byte) int64 {
	return int64(binary.LittleEndian.Uint32(b))*nsPerSec + int64(binary.LittleEndian.Uint32(b[4:]))
}
