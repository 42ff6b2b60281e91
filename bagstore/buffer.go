package bagstore

import (
	"rsros/bagstore/internal/bagrecord"
	"rsros/bagstore/internal/disk"
	"rsros/bagstore/internal/memory"
	"rsros/program/buffers"
)

// Buffer is reference-counted memory: of the pool, borrowed from the read-ahead, mapped from
// a file, or a decoded block. Its methods may be called from any goroutine; those of nil do nothing.
type Buffer struct {
	bytes   []byte
	refs    buffers.Refs
	pooled  bool
	loan    disk.Loan       // of bytes, if borrowed
	mapping []byte          // the pages that contain bytes, if mapped
	content *memory.Content // of a chunk; bytes are nil if it isn't in memory
	block   *convertedBlock // its messages
}

// NewBuffer returns a buffer of n bytes with one reference; its bytes are undefined.
func NewBuffer(n int) *Buffer { return WrapBuffer(memory.Get(n)) }

// WrapBuffer returns a buffer of memory from anywhere, with one reference.
func WrapBuffer(b []byte) *Buffer { return (&Buffer{bytes: b, pooled: true}).retain() }

// BorrowedBuffer returns a buffer of borrowed memory, with one reference.
func BorrowedBuffer(b []byte, loan disk.Loan) *Buffer {
	return (&Buffer{bytes: b, loan: loan}).retain()
}

// MappedBuffer returns a buffer of mapped pages, with one reference.
func MappedBuffer(b, pages []byte) *Buffer { return (&Buffer{bytes: b, mapping: pages}).retain() }

// ContentBuffer returns a buffer of a decoded block, with one reference.
func ContentBuffer(c *memory.Content) *Buffer {
	b := &Buffer{content: c}
	b.bytes, _ = c.Bytes()
	return b.retain()
}

// Bytes returns the memory; nil if it is the content of a block that is in a file.
func (b *Buffer) Bytes() []byte { return b.bytes }

// Content returns the content of a decoded block, nil for other memory.
func (b *Buffer) Content() *memory.Content { return b.content }

func (b *Buffer) retain() *Buffer {
	b.refs.Retain()
	return b
}

// Retain adds a reference.
func (b *Buffer) Retain() *Buffer {
	if b == nil {
		return nil
	}
	return b.retain()
}

// Source reads the content, wherever it is.
func (b *Buffer) Source() bagrecord.Source {
	if b.content != nil {
		return b.content.Source()
	}
	return bagrecord.Memory(b.bytes)
}

// Size is the length of the content; 0 of a nil Buffer.
func (b *Buffer) Size() int64 {
	switch {
	case b == nil:
		return 0
	case b.content != nil:
		return b.content.Size()
	case b.block != nil:
		return b.block.bytes + b.block.in.Size()
	}
	return int64(len(b.bytes))
}

// held returns how much of the memory and of temporary files a decoded block takes.
func (b *Buffer) held() (inMemory, inFile int64) {
	if b == nil {
		return 0, 0
	}
	if b.block != nil {
		inMemory, inFile = b.block.in.held()
		return inMemory + b.block.bytes, inFile
	}
	if b.content != nil && b.bytes == nil {
		return 0, b.Size()
	}
	return b.Size(), 0
}

// inFile returns a decoded block that isn't in memory; nil if it has to be decoded again.
func (b *Buffer) inFile() *Buffer {
	switch {
	case b == nil:
	case b.block != nil:
		if in := b.block.in.inFile(); in != nil {
			return (&Buffer{block: &convertedBlock{in: in}}).retain()
		}
	case b.content != nil && b.bytes == nil:
		return b.retain()
	case b.content != nil:
		if c, err := b.content.InFile(); err == nil {
			return ContentBuffer(c)
		}
	}
	return nil
}

// Release drops a reference.
func (b *Buffer) Release() {
	if b == nil || !b.refs.Release() {
		return
	}
	switch {
	case b.mapping != nil:
		disk.Unmap(b.mapping)
	case b.content != nil:
		b.content.Release()
	case b.block != nil:
		b.block.release()
	case b.pooled:
		memory.Put(b.bytes)
	default:
		b.loan.Release()
	}
}

// Borrowed reports whether the bytes are in the memory of the read-ahead.
func (b *Buffer) Borrowed() bool { return b.loan != disk.Loan{} }

// Enlarged returns a copy of b with the capacity, in memory that Recycle may have taken.
func Enlarged(b []byte, capacity int) []byte { return append(memory.Get(capacity)[:0], b...) }

// Recycle takes memory that the caller no longer uses.
func Recycle(b []byte) { memory.Put(b) }

// LimitMessages sets how large a message of compressed data may be, in bytes, if the file has
// less than a quarter of it; 0 is the default, 32 MiB. It holds for recordings of all formats that the
// process opens afterwards. A larger message is damage.
func LimitMessages(bytes int64) { memory.SetLimit(bytes) }
