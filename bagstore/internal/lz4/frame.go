// Package lz4 encodes and decodes the LZ4 frames of bags.
//
// The encoder (docs/decisions/0005) writes the only frames that roslz4, the reader of rosbag and
// librealsense, accepts: version 1, independent blocks of 1 MiB, no block checksums, no content
// size, a content checksum. The decoder reads any frame without a dictionary, on several cores if
// asked, and of a damaged frame everything before the damage. On amd64, assembly does most of the
// work of compressSequences, decodeSequences and xxh32.
//
// An Encoder is for one goroutine. Decode's goroutines have ended when it returns.
package lz4

import "encoding/binary"

const (
	magic           = 0x184d2204
	flagIndependent = 1 << 5
	flagBlockSum    = 1 << 4
	flagContentSize = 1 << 3
	flagContentSum  = 1 << 2
	flagDictionary  = 1 << 0
	storedBit       = 1 << 31  // of a block's length: the block is not compressed
	window          = 64 << 10 // how far back a linked block may refer
)

const (
	writtenFlags  = 0x64 // version 1, independent blocks, content checksum
	writtenBlocks = 0x60 // the code of BlockSize
)

// Stock reports whether a frame is one that roslz4 reads, with a checksum of its content.
func Stock(frame []byte) bool { return len(frame) > 4 && frame[4] == writtenFlags }

// BlockSize is the number of bytes that the encoder compresses at a time.
const BlockSize = 1 << 20

// Encoder writes frames. It belongs to one goroutine; the zero value is ready.
type Encoder struct{ table hashTable }

// Append appends src to dst as one frame. Blocks that don't shrink are stored.
func (e *Encoder) Append(dst, src []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, magic)
	dst = append(dst, writtenFlags, writtenBlocks, byte(xxh32([]byte{writtenFlags, writtenBlocks})>>8))
	for rest := src; len(rest) > 0; {
		n := min(len(rest), BlockSize)
		dst = e.appendBlock(dst, rest[:n])
		rest = rest[n:]
	}
	dst = binary.LittleEndian.AppendUint32(dst, 0) // end mark
	return binary.LittleEndian.AppendUint32(dst, xxh32(src))
}

func (e *Encoder) appendBlock(dst, src []byte) []byte {
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	// Room for less than src: compression that doesn't help fails early.
	room, n := len(src)-1, 0
	if cap(dst)-len(dst) < len(src) {
		grown := make([]byte, len(dst), 2*cap(dst)+len(src)+8)
		copy(grown, dst)
		dst = grown
	}
	if len(src) > matchMargin {
		n = compressBlock(dst[len(dst):len(dst)+room:len(dst)+room], src, &e.table)
	}
	if n == 0 {
		binary.LittleEndian.PutUint32(dst[at:], uint32(len(src))|storedBit)
		return append(dst, src...)
	}
	binary.LittleEndian.PutUint32(dst[at:], uint32(n))
	return dst[:len(dst)+n]
}
