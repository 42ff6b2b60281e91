package disk

import "sync"

// firstBlock is the block of a direct file that contains the head; there is none while it is written through the page
// cache. If blocks are larger than the head, it also has the start of the data: changing the head writes both, and
// writing the data keeps the last head.
type firstBlock struct {
	mu    sync.Mutex // Flush and WriteHead may write it concurrently
	block []byte     // the block's content in the file; aligned; nil: there is none
	head  []byte     // of the last change
}

// write writes the block with new data and the current head, which it also copies to b.
func (f *firstBlock) write(d Disk, b []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	copy(b, f.head)
	copy(f.block, b)
	return d.Writev([][]byte{f.block}, 0)
}

func (f *firstBlock) change(d Disk, head []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.block == nil {
		return d.Writev([][]byte{head}, 0)
	}
	f.head = append(f.head[:0], head...)
	copy(f.block, head)
	return d.Writev([][]byte{f.block}, 0)
}
