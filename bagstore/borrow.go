package bagstore

import (
	"rsros/bagstore/internal/disk"
	"rsros/bagstore/internal/record"
)

// borrowLeast is the size from which copying costs more than borrowing. Small pieces are
// also those that somebody may keep for long.
const borrowLeast = 32 << 10

// borrow returns n bytes of the file in the memory into which they were read ahead; nil if
// they have to be copied. What was written after a killed recorder's bag isn't in the file.
func (b *Bag) borrow(off int64, n int) *buffer {
	a, ok := b.r.(*disk.Ahead)
	if !ok || n < borrowLeast {
		return nil
	}
	data, loan := a.Borrow(off, n)
	if data == nil {
		return nil
	}
	blk := &buffer{bytes: data, loan: loan}
	blk.refs.Store(1)
	return blk
}

// read returns n bytes of the bag with one reference: borrowed, or in a block of the pool.
func (b *Bag) read(pool *bufferPool, off int64, n int) (*buffer, error) {
	if blk := b.borrow(off, n); blk != nil {
		return blk, nil
	}
	blk := pool.get(n)
	if err := record.ReadFull(b.r, blk.bytes, off); err != nil {
		blk.release()
		return nil, err
	}
	return blk, nil
}

// inFile tells whether what ends at end is in the file, and not in the tail beside it.
func (b *Bag) inFile(end int64) bool {
	j, ok := b.r.(*joined)
	return end <= b.onDisk && !(ok && end > j.at)
}
