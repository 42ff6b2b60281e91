package bagstore

// disk is what a sink needs of a file. Tests stand in a disk that fails, fills
// up, or remembers every write.
type disk interface {
	// writev writes all of the buffers at off, or fails.
	writev(bufs [][]byte, off int64) error
	// start begins to write all of the buffers at off. They belong to the disk
	// until done is called: once, from any goroutine, perhaps before start
	// returns. Writes that are under way at the same time don't overlap.
	start(bufs [][]byte, off int64, done func(error))
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
