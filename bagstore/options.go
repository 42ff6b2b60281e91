package bagstore

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"rsros/bagstore/internal/disk"
)

// SinkKind chooses how bytes go to the disk.
type SinkKind = disk.Kind

const (
	// Auto writes small files through the page cache, and larger ones past it from
	// 16 MiB on if the file system supports that.
	Auto = disk.Auto
	// Buffered writes through the page cache.
	Buffered = disk.Buffered
	// Direct writes past it (O_DIRECT) from the start. Create fails if the file system
	// doesn't support that.
	Direct = disk.Direct
)

// Options says how a bag is written. The zero value is good.
type Options struct {
	// Compression of the chunks; "" is None.
	Compression Compression
	// ChunkSize in bytes: the message that passes it ends its chunk. Default 768 KiB.
	ChunkSize int
	// Sink chooses how bytes go to the disk.
	Sink SinkKind
	// Checkpoint is how often the bag is made whole while it is written.
	// Default 0.5 s; less often if replaced index sections would take over 1 % of the
	// file and 8 KiB a second; negative: only when Checkpoint is called.
	Checkpoint time.Duration
	// Workers compress chunks at the same time. Default: one a core.
	Workers int
	// Preallocate is the number of bytes to reserve on the disk at a time. Default: none
	// while a file is written through the page cache, 64 MiB past it.
	Preallocate int64
	// Overwrite replaces a file that exists. Otherwise Create refuses.
	Overwrite bool
	// FollowSymlink writes the file that a symbolic link names. Otherwise Create
	// refuses links.
	FollowSymlink bool
	// NoSync leaves it to the operating system when bytes reach the medium. A
	// killed process loses nothing by it, a power cut may.
	NoSync bool
	// directFrom is the size of a file from which Auto writes it directly. Tests set it.
	directFrom int64
	// tail is the token of the tail file; 0: there is none.
	tail uint64
	// Now is the clock that checkpoints go by. Default: time.Now.
	Now func() time.Time
}

const (
	defaultChunkSize = 768 << 10
	// lendLeast is the size from which a lent message ends its chunk, to be written
	// without a copy.
	lendLeast = 256 << 10
	// directFrom is the size from which Auto writes a file directly. A smaller one isn't
	// worth the memory and the disk space that are reserved for it.
	directFrom        = 16 << 20
	defaultCheckpoint = 500 * time.Millisecond
	// maxMessage keeps a chunk with one message in it below 4 GiB.
	maxMessage = math.MaxUint32 - 64<<20
	// maxChunk is the size that a chunk doesn't exceed, connection records included.
	// Where an int has 32 bits, memory is the bound.
	maxChunk = min(math.MaxUint32-1<<20, math.MaxInt-1<<20)
)

func (o Options) withDefaults() (Options, error) {
	switch o.Compression {
	case "":
		o.Compression = None
	case None, LZ4, BZ2:
	default:
		return o, fmt.Errorf("unknown compression %q", o.Compression)
	}
	if o.ChunkSize == 0 {
		o.ChunkSize = defaultChunkSize
	}
	if o.ChunkSize < 0 || o.ChunkSize > 1<<30 {
		return o, fmt.Errorf("chunk size %d is not between 1 byte and 1 GiB", o.ChunkSize)
	}
	if o.Checkpoint == 0 {
		o.Checkpoint = defaultCheckpoint
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.directFrom == 0 && !forceDirect {
		o.directFrom = directFrom
	}
	if o.Sink < Auto || o.Sink > Direct {
		return o, fmt.Errorf("unknown sink %d", o.Sink)
	}
	return o, nil
}
