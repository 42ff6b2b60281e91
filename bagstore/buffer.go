package bagstore

import (
	"rsros/bagstore/internal/disk"
	"rsros/bagstore/internal/memory"
	"rsros/bagstore/internal/record"
	"rsros/program/buffers"
)

// buffer is reference-counted memory: of the pool, borrowed from the read-ahead, mapped from
// a file, or the content of a chunk.
type buffer struct {
	bytes   []byte
	refs    buffers.Refs
	pooled  bool
	loan    disk.Loan       // of bytes, if borrowed
	mapping []byte          // the pages that contain bytes, if mapped
	content *memory.Content // of a chunk; bytes are nil if it isn't in memory
}

// retain adds a reference; a new buffer has none.
func (b *buffer) retain() *buffer {
	b.refs.Retain()
	return b
}

// source reads the content, wherever it is.
func (b *buffer) source() record.Source {
	if b.content != nil {
		return b.content.Source()
	}
	return record.Memory(b.bytes)
}

// size is the length of the content.
func (b *buffer) size() int64 {
	if b.content != nil {
		return b.content.Size()
	}
	return int64(len(b.bytes))
}

func (b *buffer) release() {
	if !b.refs.Release() {
		return
	}
	switch {
	case b.mapping != nil:
		disk.Unmap(b.mapping)
	case b.content != nil:
		b.content.Release()
	case b.pooled:
		memory.Put(b.bytes)
	default:
		b.loan.Release()
	}
}

// Message is the message that an iterator visits.
type Message struct {
	Bag  int // index of the bag in the view
	Conn *Connection
	Time Time
	// TimeClamped: the recording, which is no bag, has a time before 1970 or after 2106 instead of Time.
	TimeClamped bool
	// Data is the serialized message. It is valid until the iterator moves, or until
	// the Buffer that Retain returned is released. The caller must not change it.
	Data []byte

	block *buffer
	at    int64 // offset of Data in the bag's file; 0: it is not there verbatim
}

// Retain keeps Data valid until the returned Buffer is released.
func (m Message) Retain() Buffer {
	if m.block == nil {
		return Buffer{}
	}
	return Buffer{m.block.retain()}
}

// Buffer is a reference to a message's memory, which Release must end once, from any goroutine.
type Buffer struct{ b *buffer }

// Release drops the reference.
func (b Buffer) Release() {
	if b.b != nil {
		b.b.release()
	}
}

// newBuffer returns a buffer of n bytes with one reference; its bytes are undefined.
func newBuffer(n int) *buffer { return wrap(memory.Get(n)) }

// wrap returns a buffer of memory from anywhere, with one reference.
func wrap(b []byte) *buffer { return (&buffer{bytes: b, pooled: true}).retain() }

// borrowLeast is the size from which copying costs more than borrowing. Smaller pieces
// are also the ones that callers may keep for long.
const borrowLeast = 32 << 10

// borrow returns n bytes of the file in the memory of the read-ahead; nil if they must be
// copied. The tail of a killed recorder's bag isn't in the file and can't be borrowed.
func (b *Bag) borrow(off int64, n int) *buffer {
	a, ok := b.r.(*disk.Ahead)
	if !ok || n < borrowLeast {
		return nil
	}
	data, loan := a.Borrow(off, n)
	if data == nil {
		return nil
	}
	return (&buffer{bytes: data, loan: loan}).retain()
}

// borrowed reports whether the bytes are in the memory of the read-ahead.
func (b *buffer) borrowed() bool { return b.loan != disk.Loan{} }

// read returns n bytes of the bag with one reference: borrowed or copied.
func (b *Bag) read(off int64, n int) (*buffer, error) {
	if blk := b.borrow(off, n); blk != nil {
		return blk, nil
	}
	blk := newBuffer(n)
	if err := record.ReadFull(b.r, blk.bytes, off); err != nil {
		blk.release()
		return nil, err
	}
	return blk, nil
}

// inFile reports whether bytes that end at end are in the bag's file, not in its tail file.
func (b *Bag) inFile(end int64) bool {
	j, ok := b.r.(*joined)
	return end <= b.onDisk && !(ok && end > j.at)
}

// Enlarged returns a copy of b with the capacity, in memory that Recycle may have taken.
func Enlarged(b []byte, capacity int) []byte { return append(memory.Get(capacity)[:0], b...) }

// Recycle takes memory that the caller no longer uses.
func Recycle(b []byte) { memory.Put(b) }
