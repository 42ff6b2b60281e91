package bagrecord

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Source returns n bytes at an offset, valid until the next call.
type Source interface {
	At(off int64, n int) ([]byte, error)
}

// Memory is a Source over bytes, such as an uncompressed chunk.
type Memory []byte

// At implements Source.
func (m Memory) At(off int64, n int) ([]byte, error) {
	if off < 0 || off > int64(len(m)) || int64(n) > int64(len(m))-off {
		return nil, Cut(int64(n), max(0, int64(len(m))-off))
	}
	return m[off : off+int64(n)], nil
}

// Section is a Source over a part of another one.
type Section struct {
	Source Source
	Base   int64 // where the part begins
}

// At implements Source.
func (s Section) At(off int64, n int) ([]byte, error) { return s.Source.At(s.Base+off, n) }

const (
	// windowSize is the least number of bytes that a Window reads while reading is sequential.
	windowSize = 16 << 10
	// windowHead is the same after a jump, mostly to the header of a large record.
	windowHead = 4 << 10
)

// Window is a Source over a file. It reads ahead a little.
type Window struct {
	r    io.ReaderAt
	size int64 // of the file
	buf  []byte
	off  int64 // of buf in the file
}

// NewWindow returns a Window over a file of the given size, which the caller still owns.
func NewWindow(r io.ReaderAt, size int64) *Window { return &Window{r: r, size: size} }

// At implements Source.
func (w *Window) At(off int64, n int) ([]byte, error) {
	if off < 0 || off > w.size || int64(n) > w.size-off {
		return nil, Cut(int64(n), max(0, w.size-off))
	}
	if off >= w.off && off+int64(n) <= w.off+int64(len(w.buf)) {
		return w.buf[off-w.off:][:n], nil
	}
	size := windowHead
	if off >= w.off && off <= w.off+int64(len(w.buf)) {
		size = windowSize
	}
	want := int(min(int64(max(n, size)), w.size-off))
	if cap(w.buf) < want {
		w.buf = make([]byte, want)
	}
	w.buf, w.off = w.buf[:want], off
	if err := ReadFull(w.r, w.buf, off); err != nil {
		w.buf = w.buf[:0]
		return nil, err
	}
	return w.buf[:n], nil
}

// Fill reads bytes of the file into p, from the window if it contains all of them.
func (w *Window) Fill(p []byte, off int64) error {
	if off >= w.off && off+int64(len(p)) <= w.off+int64(len(w.buf)) {
		copy(p, w.buf[off-w.off:])
		return nil
	}
	return ReadFull(w.r, p, off)
}

// ReadFull fills p or returns an error. If the file ends inside p, that is never io.EOF.
func ReadFull(r io.ReaderAt, p []byte, off int64) error {
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = Cut(int64(len(p)), int64(n))
	}
	return err
}

// Cut returns the error, an io.ErrUnexpectedEOF, for data that end early.
func Cut(want, have int64) error { return cutError{want, have} }

type cutError struct{ want, have int64 }

func (e cutError) Error() string { return fmt.Sprintf("%d of %d bytes are there", e.have, e.want) }

func (cutError) Is(target error) bool { return target == io.ErrUnexpectedEOF }

// MaxInMemory bounds the pieces of a bag that are read as a whole, if an int has 32 bits.
const MaxInMemory = math.MaxInt / 2

// Fits returns an error if a piece of n bytes can't be read as a whole.
func Fits(n int64) error {
	if n > MaxInMemory {
		return fmt.Errorf("%d bytes are more than a program for %d bits can hold, %d", n, strconv.IntSize, MaxInMemory)
	}
	return nil
}

// Whole reads n bytes after checking that they fit.
func Whole(src Source, off, n int64) ([]byte, error) {
	if err := Fits(n); err != nil {
		return nil, err
	}
	return src.At(off, int(n))
}
