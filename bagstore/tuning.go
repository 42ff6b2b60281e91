package bagstore

import "time"

// What tunes and bounds reading. Package place has the sizes of requests and of the cache of addresses, package disk
// those of reading ahead from a disk, package memory the bounds of what is unpacked, and the formats those of records.

// Blocks in memory, of an iterator.
const (
	// cacheBytes bounds the cached chunks; the cache always holds at least one.
	cacheBytes = 32 << 20
	// convertedBytes is added if there are converted ones: several large ones may overlap, and those of the past are
	// dropped.
	convertedBytes = 32 << 20
	// plainBytes bounds uncompressed chunks, which are cheap to read again: held memory lets the heap double.
	plainBytes = 8 << 20
	// lentBytes replaces plainBytes if the file is read ahead: cached chunks hold memory that the next blocks need, and
	// recently read blocks stay in it anyway.
	lentBytes = 2 << 20
	// filedBytes bounds the chunks in temporary files that the iterator is in, each counted as filedLeast or more: the
	// files are bounded, too.
	filedBytes = 4 << 30
	filedLeast = 16 << 20
	// backed is how many times the bytes in the file a chunk may have to be unpacked as often as there is no room for it.
	backed = 4
	// unpackings bounds how often a chunk for which there is no room is unpacked, if its bytes are more than backed times
	// those in the file.
	unpackings = 16
)

// Reading ahead.
const (
	// leadBytes bounds the data read ahead within Query.Lead.
	leadBytes = 32 << 20
	// leadChunks bounds the queue of the thread.
	leadChunks = 256
	// prefetchWait is how long a message waits for the thread, which needs a few ms on a free processor.
	prefetchWait = 20 * time.Millisecond
	// convertAfter is the number of messages after a seek that are converted when they are visited.
	convertAfter = 8
	// layoutsAhead bounds messageReader.layouts. Every message considers the same few chunks.
	layoutsAhead = 64
	// convertedAhead bounds the blocks to read ahead if their sizes don't say how large their messages become: batchMost.
	convertedAhead = 4
	// wantBytes is how much is asked for before it is read.
	wantBytes = 24 << 20
	// layoutReaders is the number of goroutines that read layouts, because a disk answers several requests in little
	// more time than one.
	layoutReaders = 16
)

// Messages and chunks.
const (
	// batchMost bounds the messages that one call of Load converts, in bytes; others are converted when they are visited.
	batchMost = 16 << 20
	// maxWhole bounds the stored bytes of a WholeChunk. The messages of a larger chunk are copied one by one.
	maxWhole = 32 << 20
	// maxTies bounds the messages and chunks that ties looks at.
	maxTies = 1 << 12
)

// indexBytes bounds an indexCache, which always keeps the index of at least one block.
const indexBytes = 16 << 20

// The indexes of the blocks that an iterator is in are in memory, 12 bytes a message. Without a bound, a file of some
// KB with overlapping blocks of empty messages takes all of it.
const (
	// crowdBytes bounds the indexes that crowd: those of more than crowdRatio times what their blocks take in the file.
	crowdBytes = 48 << 20
	crowdRatio = 16
)
