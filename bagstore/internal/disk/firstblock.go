package disk

import "sync"

// firstBlock is the block of a direct file in which the head is. Where blocks are larger
// than the head, it holds the beginning of the data, too: a change of the head writes
// both, and data that is written later keeps the head that was written last.
type firstBlock struct {
	mu    sync.Mutex // Flush and WriteHead may write it at the same time
	block []byte     // as it is in the file; aligned
	head  []byte     // of the last change
}

// write writes the block with new data and the present head, which it puts into b, too.
func (f *firstBlock) write(d Disk, b []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	copy(b, f.head)
	copy(f.block, b)
	return d.Writev([][]byte{f.block}, 0)
}

// change writes the block with another head.
func (f *firstBlock) change(d Disk, head []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.head = append(f.head[:0], head...)
	copy(f.block, head)
	return d.Writev([][]byte{f.block}, 0)
}
