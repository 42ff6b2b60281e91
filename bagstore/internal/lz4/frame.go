// Package lz4 encodes and decodes LZ4 frames as the chunks of a bag hold them.
//
// The encoder writes the only frames that roslz4, the reader of stock rosbag and of
// librealsense, accepts: version 1, independent blocks of 1 MiB, no block checksums,
// no content size, a content checksum. It has its own block compressor (docs/decisions/0005).
// The decoder reads any frame without a dictionary, on several cores if asked to, and
// of a damaged or torn frame everything before the damage. On amd64 assembly does most of
// the work of both; the same in Go is in compressSequences, decodeSequences and xxh32.
//
// An Encoder belongs to one goroutine. Decode may be called by many; the goroutines
// that it starts have ended when it returns. Neither keeps the memory it is given.
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
