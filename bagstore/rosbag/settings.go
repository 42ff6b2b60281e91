package rosbag

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"rsros/bagstore"
)

const (
	defaultChunkSize = 768 << 10
	// chooseLeast is the size from which a message begins a chunk of its kind with LZ4Topics: less would
	// cost more than 1 % for the chunk's records.
	chooseLeast = 16 << 10
	// lendLeast is the size from which a lent message ends its chunk and is written without a copy.
	lendLeast = 256 << 10
	// directFrom is the size from which direct writing is worth the memory and disk space reserved for it.
	directFrom        = 16 << 20
	defaultCheckpoint = 500 * time.Millisecond
	// maxMessage keeps a chunk with a single message below 4 GiB.
	maxMessage = math.MaxUint32 - 64<<20
	// maxChunk bounds a chunk with its connection records, also if an int has 32 bits.
	maxChunk = min(math.MaxUint32-1<<20, math.MaxInt-1<<20)
)

// settings are the options of a Writer.
type settings struct {
	bagstore.Options
	directFrom int64  // size from which Auto writes directly; set by tests
	tail       uint64 // token of the tail file; 0: none
}

func (o settings) withDefaults() (settings, error) {
	o.Compression = o.Kind()
	if o.LZ4Topics != nil && o.Compression != bagstore.LZ4 {
		return o, fmt.Errorf("topics to compress with %s, but chunks with %s", bagstore.LZ4, o.Compression)
	}
	o.ChunkSize = cmp.Or(o.ChunkSize, defaultChunkSize)
	o.Checkpoint = cmp.Or(o.Checkpoint, defaultCheckpoint)
	if !slices.Contains([]bagstore.Compression{bagstore.None, bagstore.LZ4, bagstore.BZ2}, o.Compression) {
		return o, fmt.Errorf("a bag has no compression %q; lz4, bz2 and none are written", o.Compression)
	}
	if o.ChunkSize < 0 || o.ChunkSize > 1<<30 {
		return o, fmt.Errorf("chunk size %d is not between 1 byte and 1 GiB", o.ChunkSize)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
		if o.Live && o.Compression == bagstore.BZ2 {
			o.Workers = max(1, o.Workers-1)
		}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.directFrom == 0 && !forceDirect && !o.Large {
		o.directFrom = directFrom
	}
	return o, nil
}
