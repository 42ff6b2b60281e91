package bagstore

import (
	"sync/atomic"

	"rsros/program/work"
)

// chunkContent is a chunk's uncompressed bytes, or its messages, from the request until the cache drops it:
//
//	waits ─claim─► begun ─fill─► there            the cache holds blk
//	  │              └─abandon─► abandoned        fill releases blk when it comes
//	  └─claim, by the cache: dropped unread, or there at once, with err
type chunkContent struct {
	ref       chunkRef
	most      int64 // bytes that what is in the file backs
	plain     bool  // stored uncompressed
	converted bool  // reading it reads its index, too

	// Of the iterator's goroutine.
	size  int64 // in memory: as expected; since the first use, the actual one
	filed int64 // in a temporary file, see filedBytes; 0 before the first use
	slow  bool  // read by the thread of low priority
	ahead bool  // requested ahead and not used yet

	state atomic.Int32  // one of the content constants
	done  chan struct{} // closed by the one that claimed it, which sets the following before

	blk  *Buffer // the cache holds one reference
	err  error
	more int64 // bytes above size; 0 since the first use
}

const (
	contentWaits     int32 = iota // queued for reading
	contentBegun                  // being read
	contentThere                  // read; done is closed or about to be
	contentAbandoned              // no longer wanted
)

// plain reports whether a chunk is cheap to read again.
func plain(l Layout) bool { return l.Access == Whole && l.Compression == None }

// claim reports whether the caller is the one to read the content.
func (c *chunkContent) claim() bool { return c.state.CompareAndSwap(contentWaits, contentBegun) }

// abandon reports whether the content was being read, and is now released by its reader.
func (c *chunkContent) abandon() bool { return c.state.CompareAndSwap(contentBegun, contentAbandoned) }

// fill reads content claimed by the caller, and adds to more what it takes above what was expected.
func (c *chunkContent) fill(in Reader, l Layout, urgent bool, more *atomic.Int64) {
	defer close(c.done)
	blk, err := in.Load(c.ref.chunk, l, urgent)
	c.blk, c.err = blk, err
	if l.Access == Converted && err == nil {
		c.more = blk.Size() - l.Size
		more.Add(c.more)
	}
	if !c.state.CompareAndSwap(contentBegun, contentThere) {
		more.Add(-c.more)
		blk.Release()
	}
}

func (c *chunkContent) ready() bool { return work.Closed(c.done) }
