// Package png encodes camera images as PNG, from rows of bytes.
//
// The standard library's encoder allocates twice for each 16-bit pixel and tries five filters for each row: at its
// fastest it takes four to seven times as long, and its files are larger (docs/internals/decisions/0021-png.md).
package png

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/klauspost/compress/zlib"
)

// Colour is PNG's colour type. Values are wire constants.
type Colour byte

// The supported colour types.
const (
	Gray Colour = 0
	RGB  Colour = 2
	RGBA Colour = 6
)

// Channels returns the number of samples per pixel.
func (c Colour) Channels() int {
	switch c {
	case RGB:
		return 3
	case RGBA:
		return 4
	}
	return 1
}

// Image is an image to encode.
type Image struct {
	Width, Height int
	Colour        Colour
	Depth         int // bits per sample: 8 or 16
	Level         int // compression level: Stored, or 1 (fast) … 9 (small); 1 if 0

	// Row sets to to the bytes of a row: samples in the order red, green, blue, alpha; 16-bit samples are big-endian.
	Row func(y int, to []byte)
}

// Stored is the level of files that aren't compressed.
const Stored = -1

// Encoder encodes images. It reuses its memory. The zero value is ready to use. It is not safe for concurrent use.
type Encoder struct {
	compressors   [10]*zlib.Writer // by level
	data          *bufio.Writer
	row, filtered []byte
}

// chunkSize is the largest IDAT chunk.
const chunkSize = 64 << 10

// Encode writes a file to w. It returns errors of w, or an error if p is invalid.
func (e *Encoder) Encode(w io.Writer, p Image) error {
	pixel := p.Colour.Channels() * p.Depth / 8
	if p.Width <= 0 || p.Height <= 0 || p.Depth != 8 && p.Depth != 16 || p.Level < Stored || p.Level > 9 {
		return fmt.Errorf("encode PNG: invalid image of %dx%d pixels with %d bits, level %d",
			p.Width, p.Height, p.Depth, p.Level)
	}
	out := &chunks{w: w}
	out.write([]byte("\x89PNG\r\n\x1a\n"))
	head := binary.BigEndian.AppendUint32(nil, uint32(p.Width))
	head = binary.BigEndian.AppendUint32(head, uint32(p.Height))
	out.chunk("IHDR", append(head, byte(p.Depth), byte(p.Colour), 0, 0, 0))
	if err := e.pixels(out, p, pixel); err != nil {
		return err
	}
	out.chunk("IEND", nil)
	return out.err
}

func (e *Encoder) pixels(out *chunks, p Image, pixel int) error {
	level := max(p.Level, 1)
	if p.Level == Stored {
		level = zlib.NoCompression
	}
	z, err := e.compressor(idat{out}, level)
	if err != nil {
		return err
	}
	e.row, e.filtered = sized(e.row, pixel*p.Width), sized(e.filtered, 1+pixel*p.Width)
	for y := range p.Height {
		p.Row(y, e.row)
		if level == zlib.NoCompression {
			e.filtered[0] = 0 // the filter None
			copy(e.filtered[1:], e.row)
		} else {
			filterSub(e.filtered, e.row, pixel)
		}
		if _, err := z.Write(e.filtered); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return e.data.Flush()
}

func (e *Encoder) compressor(out io.Writer, level int) (*zlib.Writer, error) {
	if e.data == nil {
		e.data = bufio.NewWriterSize(out, chunkSize)
	}
	e.data.Reset(out)
	if z := e.compressors[level]; z != nil {
		z.Reset(e.data)
		return z, nil
	}
	z, err := zlib.NewWriterLevel(e.data, level)
	e.compressors[level] = z
	return z, err
}

func sized(b []byte, n int) []byte { return slices.Grow(b[:0], n)[:n] }

// filterSub applies the filter Sub: differences to the pixel on the left. It suits noisy
// camera images. The first byte is the filter type.
func filterSub(to, row []byte, pixel int) {
	to[0] = 1
	to = to[1:][:len(row)]
	n := min(pixel, len(row))
	copy(to, row[:n])
	left := row[:len(row)-n]
	for i, v := range row[n:] {
		to[n+i] = v - left[i]
	}
}

// chunks writes chunks. It keeps its first error.
type chunks struct {
	w   io.Writer
	err error
}

// idat writes each Write as an IDAT chunk.
type idat struct{ *chunks }

func (w idat) Write(b []byte) (int, error) {
	w.chunk("IDAT", b)
	return len(b), w.err
}

// chunk writes a chunk: length, kind, data and checksum.
func (w *chunks) chunk(kind string, data []byte) {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	head = append(head, kind...)
	sum := crc32.Update(crc32.ChecksumIEEE(head[4:]), crc32.IEEETable, data)
	w.write(head)
	w.write(data)
	w.write(binary.BigEndian.AppendUint32(nil, sum))
}

func (w *chunks) write(b []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
}
