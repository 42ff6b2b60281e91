package api

import (
	"encoding/binary"
	"slices"
)

// HeadSize is the length of a binary message's head in bytes.
const HeadSize = 48

// Kind is the kind of a binary message's content.
type Kind uint8

// The kinds of binary messages.
const (
	Video  Kind = 1
	Motion Kind = 2
	Topic  Kind = 3
	Pose   Kind = 4
)

// Codec is the form of a binary message's body.
type Codec uint8

// The codecs.
const (
	Raw     Codec = 0
	RVL     Codec = 1 // in bands
	JPEG    Codec = 2
	JSON    Codec = 3
	Samples Codec = 4
	Message Codec = 5 // a serialized ROS 1 message
)

// Head begins a binary message. Metadata and the body follow it. Numbers are little-endian:
//
//	 0      1       2        4          8        16      24     32      34       36       40         44        48
//	+------+-------+--------+----------+--------+-------+------+-------+--------+--------+----------+---------+
//	| kind | codec | stream | sequence | number | stamp | time | width | height | stride | metadata | skipped |
//	+------+-------+--------+----------+--------+-------+------+-------+--------+--------+----------+---------+
type Head struct {
	Kind          Kind
	Codec         Codec
	Stream        uint16
	Sequence      uint32 // from 1, of this viewer and stream
	Number        uint64 // of the frame
	Stamp         uint64 // ns; when it arrived, on the program's clock
	Time          uint64 // ns; the frame's own time
	Width, Height uint16
	Stride        uint32 // bytes from row to row of a raw body
	Metadata      uint32 // length in bytes
	Skipped       uint32 // frames skipped since the previous one
}

// Append appends the head's bytes to dst.
func (h Head) Append(dst []byte) []byte {
	le := binary.LittleEndian
	dst = append(slices.Grow(dst, HeadSize), byte(h.Kind), byte(h.Codec))
	dst = le.AppendUint16(dst, h.Stream)
	dst = le.AppendUint32(dst, h.Sequence)
	dst = le.AppendUint64(dst, h.Number)
	dst = le.AppendUint64(dst, h.Stamp)
	dst = le.AppendUint64(dst, h.Time)
	dst = le.AppendUint16(dst, h.Width)
	dst = le.AppendUint16(dst, h.Height)
	dst = le.AppendUint32(dst, h.Stride)
	dst = le.AppendUint32(dst, h.Metadata)
	return le.AppendUint32(dst, h.Skipped)
}
