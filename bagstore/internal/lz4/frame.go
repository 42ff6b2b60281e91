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

// BlockSize is the number of bytes that the encoder compresses at a time.
const BlockSize = 1 << 20
