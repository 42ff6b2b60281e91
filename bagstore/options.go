package bagstore

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"time"

	"rsros/bagstore/internal/disk"
	"rsros/bagstore/internal/memory"
)

// SinkKind chooses how bytes go to the disk.
type SinkKind = disk.Kind

// Staging is memory that files have in common. The zero value is ready to use, by any goroutine.
type Staging = disk.Staging

const (
	// Auto writes the first 16 MiB through the page cache and the rest past it, where supported.
	Auto = disk.Auto
	// Buffered writes through the page cache.
	Buffered = disk.Buffered
	// Direct writes past the page cache (O_DIRECT) from the start. Create fails if it is
	// unsupported.
	Direct = disk.Direct
)

// LimitMessages sets how large a message of compressed data may be, in bytes, if the file has
// less than a quarter of it; 0 is the default, 32 MiB. It holds for recordings of all formats that the
// process opens afterwards. A larger message is damage.
func LimitMessages(bytes int64) { memory.SetLimit(bytes) }

// Options are the options of Create. The zero value is valid.
type Options struct {
	// Compression of the chunks; "" is None.
	Compression Compression
	// LZ4Topics, if not nil, implies LZ4, only for chunks most of whose bytes are messages of topics that it
	// matches. A message of at least 16 KiB isn't put into a chunk of the other kind.
	LZ4Topics *regexp.Regexp
	// ChunkSize in bytes: a chunk ends with the message that reaches it. Default 768 KiB.
	ChunkSize int
	// Sink chooses how bytes go to the disk.
	Sink SinkKind
	// Large hints that the file will have more than 16 MiB: with Auto, it is written past the page cache
	// from the first chunk on.
	Large bool
	// Checkpoint is the interval of checkpoints. Default 0.5 s; longer if replaced index
	// sections would take more than 1 % of the file plus 8 KiB a second. Negative: only
	// calls of Checkpoint make checkpoints.
	Checkpoint time.Duration
	// Live is for messages that arrive while they are written. Chunks for which compression
	// has no time are written uncompressed; otherwise Write waits for it.
	Live bool
	// Workers is the number of goroutines that compress chunks. Default: one per core, one
	// less with Live and BZ2, which holds a core for long.
	Workers int
	// Overwrite replaces an existing file. Otherwise Create refuses.
	Overwrite bool
	// Staging, if not nil, has memory of files that were closed, which the new one uses. Files that are written
	// one after another have it in common.
	Staging *Staging
	// NoSync never syncs the file. A killed process loses nothing, a power cut may.
	NoSync bool
	// Hold, if not nil, is called with the file after it is created and locked.
	Hold func(*os.File)
	// Now is the clock for checkpoints. Default: time.Now.
	Now func() time.Time

	directFrom int64  // size from which Auto writes directly; set by tests
	tail       uint64 // token of the tail file; 0: none
}

// Kind returns the compression of the chunks that are compressed.
func (o Options) Kind() Compression {
	if o.LZ4Topics != nil {
		return cmp.Or(o.Compression, LZ4)
	}
	return cmp.Or(o.Compression, None)
}

const (
	defaultChunkSize = 768 << 10
	// chooseLeast is the size from which a message begins a chunk of its kind with LZ4Topics: less would
	// cost more than 1 % for the chunk's records.
	chooseLeast = 16 << 10
	// lendLeast is the size from which a lent message ends its chunk and is written
	// without a copy.
	lendLeast = 256 << 10
	// directFrom is the size from which direct writing is worth the memory and disk space reserved
	// for it.
	directFrom        = 16 << 20
	defaultCheckpoint = 500 * time.Millisecond
	// maxMessage keeps a chunk with a single message below 4 GiB.
	maxMessage = math.MaxUint32 - 64<<20
	// maxChunk bounds a chunk with its connection records, also if an int has 32 bits.
	maxChunk = min(math.MaxUint32-1<<20, math.MaxInt-1<<20)
)

func (o Options) withDefaults() (Options, error) {
	o.Compression = o.Kind()
	if o.LZ4Topics != nil && o.Compression != LZ4 {
		return o, fmt.Errorf("topics to compress with %s, but chunks with %s", LZ4, o.Compression)
	}
	o.ChunkSize = cmp.Or(o.ChunkSize, defaultChunkSize)
	o.Checkpoint = cmp.Or(o.Checkpoint, defaultCheckpoint)
	if !slices.Contains([]Compression{None, LZ4, BZ2}, o.Compression) {
		return o, fmt.Errorf("unknown compression %q", o.Compression)
	}
	if o.ChunkSize < 0 || o.ChunkSize > 1<<30 {
		return o, fmt.Errorf("chunk size %d is not between 1 byte and 1 GiB", o.ChunkSize)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
		if o.Live && o.Compression == BZ2 {
			o.Workers = max(1, o.Workers-1)
		}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.directFrom == 0 && !forceDirect && !o.Large {
		o.directFrom = directFrom
	}
	if o.Sink < Auto || o.Sink > Direct {
		return o, fmt.Errorf("unknown sink %d", o.Sink)
	}
	return o, nil
}
