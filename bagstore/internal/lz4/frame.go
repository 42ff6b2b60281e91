// Package lz4 encodes and decodes the LZ4 frames of bags.
//
// The encoder (docs/internals/decisions/0005) writes the only frames that roslz4, the reader of rosbag and
// librealsense, accepts: version 1, independent blocks of 256 KiB, no block checksums, no content size, a content
// checksum. The decoder reads any frame without a dictionary, on several cores if requested, and everything before the
// damage in a damaged frame. On amd64, assembly does most of the work of compressSequences, decodeSequences and xxh32.
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
	writtenBlocks = 0x50 // the code of BlockSize
)

// Stock reports whether a frame is one that roslz4 reads, with a checksum of its content.
func Stock(frame []byte) bool { return len(frame) > 4 && frame[4] == writtenFlags }

// BlockSize is the number of bytes that the encoder compresses at a time. A chunk has several
// blocks, which readers decode on all cores.
const BlockSize = 256 << 10

// Encoder writes frames. It belongs to one goroutine; the zero value is ready.
type Encoder struct{ table hashTable }

// Append appends src to dst as one frame. Blocks that don't shrink are stored.
func (e *Encoder) Append(dst, src []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, magic)
	dst = append(dst, writtenFlags, writtenBlocks, byte(xxh32([]byte{writtenFlags, writtenBlocks})>>8))
	for rest := src; len(rest) > 0; {
		n := min(len(rest), 2*BlockSize)
		dst = e.appendBlocks(dst, rest[:min(n, BlockSize)], rest[min(n, BlockSize):n])
		rest = rest[n:]
	}
	dst = binary.LittleEndian.AppendUint32(dst, 0) // end mark
	return binary.LittleEndian.AppendUint32(dst, xxh32(src))
}

// appendBlocks appends two blocks, of which the second may be empty.
func (e *Encoder) appendBlocks(dst, a, b []byte) []byte {
	const head = 4 // bytes of a block's length
	if need := 2*head + len(a) + len(b); cap(dst)-len(dst) < need {
		grown := make([]byte, len(dst), 2*cap(dst)+need)
		copy(grown, dst)
		dst = grown
	}
	free := dst[len(dst):cap(dst)]
	jobs := [2]job{newJob(free[head:], a), newJob(free[head+len(a)+head:], b)}
	compressBoth(&jobs, &e.table)
	dst = jobs[0].appendTo(dst, a)
	if len(b) > 0 {
		dst = jobs[1].appendTo(dst, b)
	}
	return dst
}

// newJob returns the job of compressing src into less space: compression that doesn't help fails
// early. The job is empty if src is too small.
func newJob(dst, src []byte) job {
	if len(src) <= matchMargin {
		return job{}
	}
	room := len(src) - 1
	return job{dst: dst[:room:room], src: src}
}

// appendTo appends the block of src, stored if it didn't shrink. The job's dst is in the
// capacity of to, where the block begins or after it.
func (j *job) appendTo(to, src []byte) []byte {
	n := 0
	if len(j.src) > 0 {
		n = j.end()
	}
	if n == 0 {
		return append(binary.LittleEndian.AppendUint32(to, uint32(len(src))|storedBit), src...)
	}
	return append(binary.LittleEndian.AppendUint32(to, uint32(n)), j.dst[:n]...)
}
