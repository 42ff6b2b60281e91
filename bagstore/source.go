package bagstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// source returns n bytes at an offset, valid until the next call.
type source interface {
	at(off int64, n int) ([]byte, error)
}

// memory is a source over bytes, such as an uncompressed chunk.
type memory []byte

func (m memory) at(off int64, n int) ([]byte, error) {
	if off < 0 || off > int64(len(m)) || int64(n) > int64(len(m))-off {
		return nil, cut(int64(n), max(0, int64(len(m))-off))
	}
	return m[off : off+int64(n)], nil
}

// windowSize is what a window reads at once: many small records in a row, or
// the head of a large one.
const windowSize = 16 << 10

// window is a source over a file that reads ahead a little.
type window struct {
	r    io.ReaderAt
	size int64 // of the file
	buf  []byte
	off  int64 // of buf in the file
}

func newWindow(r io.ReaderAt, size int64) *window { return &window{r: r, size: size} }

func (w *window) at(off int64, n int) ([]byte, error) {
	if off < 0 || off > w.size || int64(n) > w.size-off {
		return nil, cut(int64(n), max(0, w.size-off))
	}
	if off >= w.off && off+int64(n) <= w.off+int64(len(w.buf)) {
		return w.buf[off-w.off:][:n], nil
	}
	want := int(min(int64(max(n, windowSize)), w.size-off))
	if cap(w.buf) < want {
		w.buf = make([]byte, want)
	}
	w.buf, w.off = w.buf[:want], off
	if err := readFull(w.r, w.buf, off); err != nil {
		w.buf = w.buf[:0]
		return nil, err
	}
	return w.buf[:n], nil
}

// fill copies bytes of the file to p, from what was read ahead where it is there.
func (w *window) fill(p []byte, off int64) error {
	if off >= w.off && off+int64(len(p)) <= w.off+int64(len(w.buf)) {
		copy(p, w.buf[off-w.off:])
		return nil
	}
	return readFull(w.r, p, off)
}

// readFull fills p or says why not. The end of the file inside p is never io.EOF.
func readFull(r io.ReaderAt, p []byte, off int64) error {
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = cut(int64(len(p)), int64(n))
	}
	return err
}

// record is one record's header and the position of its data. Byte slices in the
// header are valid until the source is asked again.
type record struct {
	header
	pos     int64
	dataPos int64
	dataLen int64
}

// next is where the following record begins.
func (r *record) next() int64 { return r.dataPos + r.dataLen }

// maxInMemory is the size of the largest piece of a bag that is read as a whole. It is
// no bound but where an int has 32 bits.
const maxInMemory = math.MaxInt / 2

// fits returns why a piece of n bytes can't be read as a whole.
func fits(n int64) error {
	if n > maxInMemory {
		return fmt.Errorf("%d bytes are more than a program for %d bits can hold, %d", n, strconv.IntSize, maxInMemory)
	}
	return nil
}

// whole reads n bytes that a file claims.
func whole(src source, off, n int64) ([]byte, error) {
	if err := fits(n); err != nil {
		return nil, err
	}
	return src.at(off, int(n))
}

// errData marks a record whose header is whole and whose data go past the limit.
var errData = errors.New("data cut off")

// readRecord reads the header of the record at pos and checks that its data end
// before limit. If only the data are short, the record is filled in and the
// error is an errData.
func readRecord(src source, pos, limit int64, r *record) error {
	if limit-pos < 8 {
		return cut(8, limit-pos)
	}
	b, err := src.at(pos, 4)
	if err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(b))
	if n > maxHeader {
		return fmt.Errorf("header length %d is above %d", n, maxHeader)
	}
	if n+8 > limit-pos {
		return cut(n+8, limit-pos)
	}
	if b, err = src.at(pos, int(n)+8); err != nil {
		return err
	}
	if err := r.parse(b[4 : 4+n]); err != nil {
		return err
	}
	r.pos, r.dataPos = pos, pos+8+n
	r.dataLen = int64(binary.LittleEndian.Uint32(b[4+n:]))
	if r.dataLen > limit-r.dataPos {
		return fmt.Errorf("%w: %w", errData, cut(r.dataLen, limit-r.dataPos))
	}
	return nil
}
