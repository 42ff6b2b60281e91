package bagstore

import (
	"cmp"
	"regexp"
	"time"

	"rsros/bagstore/internal/disk"
)

// SinkKind chooses how bytes go to the disk.
type SinkKind = disk.Kind

// Staging is memory that files have in common. The zero value is ready to use, by any goroutine.
type Staging = disk.Staging

// Stopwatch measures for how long something goes on, once for what goes on at the same time. The zero value is ready to
// use, by any goroutine.
type Stopwatch = disk.Stopwatch

const (
	// Auto writes the first 16 MiB through the page cache and the rest past it, where supported.
	Auto = disk.Auto
	// Buffered writes through the page cache.
	Buffered = disk.Buffered
	// Direct writes past the page cache (O_DIRECT) from the start. Create fails if it is unsupported.
	Direct = disk.Direct
)

// Options are the options of writing a recording. The zero value is valid.
type Options struct {
	// Compression of the chunks; "" is None.
	Compression Compression
	// LZ4Topics, if not nil, implies LZ4, only for chunks most of whose bytes are messages of topics that it (see
	// MatchWhole) matches. A message of at least 16 KiB isn't put into a chunk of the other kind.
	LZ4Topics *regexp.Regexp
	// ChunkSize in bytes: a chunk ends with the message that reaches it. Default 768 KiB.
	ChunkSize int
	// Sink chooses how bytes go to the disk.
	Sink SinkKind
	// Large hints that the file will have more than 16 MiB: with Auto, it is written past the page cache
	// from the first chunk on.
	Large bool
	// Checkpoint is the interval of checkpoints. Default 0.5 s; longer if replaced index sections would take more than 1 %
	// of the file plus 8 KiB a second. Negative: only calls of Checkpoint make checkpoints.
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
	// Waits, if not nil, measures for how long writing waits for the disk.
	Waits *Stopwatch
	// NoSync never syncs the file. A killed process loses nothing, a power cut may.
	NoSync bool
	// Now is the clock for checkpoints. Default: time.Now.
	Now func() time.Time
}

// Kind returns the compression of the chunks that are compressed.
func (o Options) Kind() Compression {
	if o.LZ4Topics != nil {
		return cmp.Or(o.Compression, LZ4)
	}
	return cmp.Or(o.Compression, None)
}
