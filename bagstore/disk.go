package bagstore

// disk is what a sink needs of a file. Tests stand in a disk that fails, fills
// up, or remembers every write.
type disk interface {
	// writev writes all of the buffers at off, or fails.
	writev(bufs [][]byte, off int64) error
	// read fills p from off.
	read(p []byte, off int64) error
	// sync returns when everything written before is on the medium. It may be
	// called while another goroutine writes.
	sync() error
	truncate(size int64) error
	// allocate reserves space up to size without making the file longer.
	allocate(size int64) error
	close() error
}
