package memory

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"rsros/bagstore/internal/bagrecord"
	"rsros/program/localfile"
)

const (
	// MaxChunk bounds what a chunk unpacks to, in bytes.
	MaxChunk = 1 << 30
	// MaxMessages bounds the messages of a compressed chunk, or all of its records.
	MaxMessages = 1 << 21
	// LZ4Ratio is the most that a byte of LZ4 stands for: one of a length adds up to 255.
	LZ4Ratio = 255
	// ZstdRatio is the most that a byte of zstd stands for: a block has at least 4 bytes and holds at most 128 KiB.
	ZstdRatio = 1 << 15
	// chunkBytes bounds the contents in memory; those of smallBytes are always there: caches bound how many there are.
	chunkBytes = 40 << 20
	smallBytes = 4 << 20
	// Slack is room after a content with which decoders are faster.
	Slack = 64
)

// ErrMessages means that a compressed chunk has more than MaxMessages.
var ErrMessages = fmt.Errorf("a compressed chunk of more than %d messages", MaxMessages)

// ErrShort means that the data of a chunk end before its size.
var ErrShort = fmt.Errorf("the data end early: %w", io.ErrUnexpectedEOF)

var held atomic.Int64 // capacity of the contents in memory

// Content is what a chunk unpacks to.
type Content struct {
	bytes  []byte
	file   *os.File // nil: in memory
	size   int64
	stored int64 // bytes in the file
}

// NewContent returns a Content of size bytes, to be filled from stored bytes of the file. It
// is in memory if all others leave room. The caller releases it.
func NewContent(size, stored int64) (*Content, error) {
	if size < 0 || size > MaxChunk {
		return nil, fmt.Errorf("%d bytes unpacked, at most %d are read", size, MaxChunk)
	}
	if size <= smallBytes || held.Load()+size <= chunkBytes {
		b := Get(int(size) + Slack)
		if held.Add(int64(cap(b))) <= chunkBytes+chunkBytes/8 || size <= smallBytes {
			return &Content{bytes: b[:size], size: size, stored: stored}, nil
		}
		held.Add(-int64(cap(b)))
		Put(b)
	}
	return NewFile(size, stored)
}

// NewFile returns a Content of at most size bytes in a temporary file: for a size that nothing makes likely.
func NewFile(size, stored int64) (*Content, error) {
	f, err := localfile.Temp()
	if err != nil {
		return nil, fmt.Errorf("no memory and no temporary file for %d bytes: %w", size, err)
	}
	return &Content{file: f, size: min(size, MaxChunk), stored: stored}, nil
}

// InFile returns the content in a temporary file, for when it is needed again. The caller releases both.
func (c *Content) InFile() (*Content, error) {
	to, err := NewFile(c.size, c.stored)
	if err == nil {
		if err = to.Fill(io.NewSectionReader(c, 0, c.size)); err != nil {
			to.Release()
		}
	}
	return to, err
}

// Bytes are the content in memory, until Release; ok is false if it is in a file.
func (c *Content) Bytes() (b []byte, ok bool) { return c.bytes, c.file == nil }

// Size is the number of bytes.
func (c *Content) Size() int64 { return c.size }

// Held is how much memory the Content takes.
func (c *Content) Held() int { return cap(c.bytes) }

// Fill reads the content, and cuts it where r ends or fails. If r ends early, the error is
// an io.ErrUnexpectedEOF; of a Content in a file, it is ErrShort.
func (c *Content) Fill(r io.Reader) (err error) {
	var n int64
	if c.file == nil {
		var have int
		have, err = io.ReadFull(r, c.bytes)
		n = int64(have)
	} else {
		// Without the wrapper, the file would copy in small pieces.
		n, err = io.CopyBuffer(struct{ io.Writer }{c.file}, io.LimitReader(r, c.size), make([]byte, 1<<20))
	}
	if err == nil && n < c.size || errors.Is(err, io.EOF) {
		err = ErrShort
	}
	c.Cut(n)
	return err
}

// Cut makes n bytes of the content all of it. Memory that is mostly unused is released.
func (c *Content) Cut(n int64) {
	c.size = n
	if c.file != nil {
		return
	}
	c.bytes = c.bytes[:n]
	if before := cap(c.bytes); n < int64(before)/4 {
		less := append(Get(int(n) + Slack)[:0], c.bytes...)
		Put(c.bytes)
		c.bytes = less
		held.Add(int64(cap(less) - before))
	}
}

// Reader returns the content for one goroutine that reads mostly forward.
func (c *Content) Reader() io.ReaderAt {
	if c.file == nil {
		return c
	}
	return window{bagrecord.NewWindow(c.file, c.size)}
}

type window struct{ *bagrecord.Window }

func (w window) ReadAt(p []byte, off int64) (int, error) {
	if len(p) > 4<<10 {
		if err := w.Fill(p, off); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	b, err := w.At(off, len(p))
	return copy(p, b), err
}

// ReadAt is that of an io.ReaderAt.
func (c *Content) ReadAt(p []byte, off int64) (n int, err error) {
	if c.file != nil {
		return c.file.ReadAt(p, off)
	}
	if off < 0 || off > c.size {
		return 0, io.EOF
	}
	if n = copy(p, c.bytes[off:]); n < len(p) {
		err = io.EOF
	}
	return n, err
}

// Fits returns an error if a message of the chunk is too large to be read.
func (c *Content) Fits(n int64) error { return Fits(n, c.stored) }

// Source returns the content for one goroutine. Pieces that don't fit are an error.
func (c *Content) Source() bagrecord.Source {
	switch {
	case c.file != nil:
		return pieces{bagrecord.NewWindow(c.file, c.size), c}
	case c.size > Most(0):
		return pieces{bagrecord.Memory(c.bytes), c}
	}
	return bagrecord.Memory(c.bytes)
}

type pieces struct {
	bagrecord.Source
	of *Content
}

func (p pieces) At(off int64, n int) ([]byte, error) {
	if err := p.of.Fits(int64(n)); err != nil {
		return nil, err
	}
	return p.Source.At(off, n)
}

// Release takes the content back.
func (c *Content) Release() {
	if c.file != nil {
		c.file.Close() //nolint:errcheck // the temporary file is unlinked
		return
	}
	held.Add(-int64(cap(c.bytes)))
	Put(c.bytes)
}
