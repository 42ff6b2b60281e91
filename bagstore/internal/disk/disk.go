// Package disk reads and writes recordings' files. Sinks append to a file and overwrite its start, through the page
// cache or past it (O_DIRECT, several concurrent writes from the caller's memory; docs/internals/decisions/0008). Ahead
// reads large files ahead, past the page cache (docs/internals/decisions/0015). Map maps parts of files into memory.
//
// A Sink belongs to one goroutine. The package starts goroutines only to collect the results of asynchronous writes and
// reads; they end when the File or Ahead is closed. Memory passed to a sink may be reused when the call returns, except
// memory lent to Append.
package disk

// Disk is the file that a sink writes. File implements it; tests use disks that fail, fill up, or record every write.
type Disk interface {
	// Writev writes all of the buffers at off.
	Writev(bufs [][]byte, off int64) error
	// Start starts to write all of the buffers at off. They belong to the disk until it calls done, once, from any
	// goroutine, possibly before Start returns. Concurrent writes don't overlap.
	Start(bufs [][]byte, off int64, done func(error))
	// Read fills p from off.
	Read(p []byte, off int64) error
	// Sync waits until everything written before is on the medium. It may be called while another goroutine writes.
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
