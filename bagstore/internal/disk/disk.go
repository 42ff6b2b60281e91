// Package disk writes files as a recording needs it: append only, with a head that is
// overwritten now and then, through the page cache or past it (O_DIRECT, several
// writes at once, from the caller's memory; docs/decisions/0008). It reads large files
// ahead, past the page cache (Ahead; docs/decisions/0015), and maps parts of files into
// memory. It knows nothing of bags.
//
// A Sink belongs to one goroutine. The only goroutines that are started here collect the
// results of asynchronous writes and reads; Close of the File or the Ahead ends them. Memory that is handed to
// a sink may be reused when the call returns, except for what is lent to Append.
package disk

// Disk is what a sink needs of a file. File is the real one; tests have disks that
// fail, fill up, or remember every write.
type Disk interface {
	// Writev writes all of the buffers at off, or fails.
	Writev(bufs [][]byte, off int64) error
	// Start begins to write all of the buffers at off. They belong to the disk
	// until it calls done: once, from any goroutine, perhaps before Start
	// returns. Writes that are under way at the same time don't overlap.
	Start(bufs [][]byte, off int64, done func(error))
	// Read fills p from off.
	Read(p []byte, off int64) error
	// Sync returns when everything written before is on the medium. It may be
	// called while another goroutine writes.
	Sync() error
	// Truncate cuts or extends the file to size.
	Truncate(size int64) error
	// Allocate reserves space up to size without making the file longer.
	Allocate(size int64) error
	// Close closes the file.
	Close() error
}

// dropBytes removes the first n bytes, which are written, from a list of buffers.
func dropBytes(bufs [][]byte, n int) [][]byte {
	for len(bufs) > 0 && n >= len(bufs[0]) {
		n -= len(bufs[0])
		bufs = bufs[1:]
	}
	if n > 0 {
		rest := append([][]byte{bufs[0][n:]}, bufs[1:]...)
		return rest
	}
	return bufs
}
