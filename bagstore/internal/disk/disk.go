// Package disk reads and writes recordings' files. Sinks append to a file and overwrite
// its start, through the page cache or past it (O_DIRECT, several concurrent writes from
// the caller's memory; docs/decisions/0008). Ahead reads large files ahead, past the page
// cache (docs/decisions/0015). Map maps parts of files into memory.
//
// A Sink belongs to one goroutine. The package starts goroutines only to collect the
// results of asynchronous writes and reads; they end when the File or Ahead is closed.
// Memory passed to a sink may be reused when the call returns, except memory lent to
// Append.
package disk

// Disk is the file that a sink writes. File implements it; tests use disks that fail,
// fill up, or record every write.
type Disk interface {
	// Writev writes all of the buffers at off.
	Writev(bufs [][]byte, off int64) error
	// Start starts to write all of the buffers at off. They belong to the disk until it
	// calls done, once, from any goroutine, possibly before Start returns. Concurrent
	// writes don't overlap.
	Start(bufs [][]byte, off int64, done func(error))
	// Read fills p from off.
	Read(p []byte, off int64) error
	// Sync waits until everything written before is on the medium. It may be called
	// while another goroutine writes.
	Sync() error
	// Truncate truncates or extends the file to size.
	Truncate(size int64) error
	// Allocate reserves space up to size without making the file longer.
	Allocate(size int64) error
	// Close releases what writing has allocated. It doesn't close a file.
	Close() error
}

func dropBytes(bufs [][]byte, n int) [][]byte {
	for len(bufs) > 0 && n >= len(bufs[0]) {
		n -= len(bufs[0])
		bufs = bufs[1:]
	}
	if n > 0 {
		return append([][]byte{bufs[0][n:]}, bufs[1:]...)
	}
	return bufs
}

// Sink appends to a file and overwrites its head. It belongs to one goroutine, except
// that Sync and WriteHead may be called from another one.
//
// An error may be caused by an earlier Append. After an error only Rewind, Intact and
// Close may be called.
type Sink interface {
	// Append appends head, body and tail, which may be reused when it returns. If done is
	// not nil, body is lent: the sink may read it until it calls done, once, from any
	// goroutine, also after an error.
	Append(head, body, tail []byte, done func()) error
	// Size returns the size of the file with everything appended.
	Size() int64
	// Written returns the size up to which bytes were passed to the operating system.
	Written() int64
	// Landed returns the size up to which everything has been written: writes after it may
	// be pending.
	Landed() int64
	// Grain returns the number of bytes that the sizes of writes are multiples of.
	Grain() int64
	// Flush passes everything appended to the operating system. If the size isn't a
	// multiple of the grain, the last bytes are written again with the next ones.
	Flush() error
	// Sync waits until everything flushed is on the medium.
	Sync() error
	// WriteHead overwrites the first bytes of the file.
	WriteHead(b []byte) error
	// Intact waits for pending writes and returns the size up to which everything
	// appended has been written or can still be written.
	Intact() int64
	// Rewind removes everything appended after size n, so that appending can continue
	// there after a failed write. n is at most Intact or the size at the last Flush.
	Rewind(n int64) error
	// Finish writes the rest and truncates the file to its size.
	Finish() error
	// Close closes the Disk.
	Close() error
}

// bufferedSink writes at once and leaves buffering to the page cache.
type bufferedSink struct {
	d   Disk
	end int64
}

// NewBuffered returns a sink that writes through the page cache.
func NewBuffered(d Disk) Sink { return &bufferedSink{d: d} }

func (s *bufferedSink) Append(head, body, tail []byte, done func()) error {
	if done != nil {
		defer done()
	}
	if err := s.d.Writev([][]byte{head, body, tail}, s.end); err != nil {
		return err
	}
	s.end += int64(len(head) + len(body) + len(tail))
	return nil
}

func (s *bufferedSink) Size() int64              { return s.end }
func (s *bufferedSink) Written() int64           { return s.end }
func (s *bufferedSink) Landed() int64            { return s.end }
func (s *bufferedSink) Grain() int64             { return 1 }
func (s *bufferedSink) Flush() error             { return nil } // append has
func (s *bufferedSink) Sync() error              { return s.d.Sync() }
func (s *bufferedSink) WriteHead(b []byte) error { return s.d.Writev([][]byte{b}, 0) }
func (s *bufferedSink) Intact() int64            { return s.end }

func (s *bufferedSink) Rewind(n int64) error {
	s.end = n
	return s.d.Truncate(n)
}

// Finish cuts off what a failed write may have left after the end.
func (s *bufferedSink) Finish() error { return s.d.Truncate(s.Size()) }
func (s *bufferedSink) Close() error  { return s.d.Close() }
