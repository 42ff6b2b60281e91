// Package jpeg encodes camera images as baseline JPEG, from planes of brightness and colour. The standard library's
// encoder asks for each pixel by a function, divides each coefficient, and writes bit by bit through a buffer: it takes
// three times as long as the plain code here, and nearly six times as long as the assembly (BenchmarkEncode).
package jpeg

import (
	"fmt"
	"slices"
)

// maxSide is the format's limit.
const maxSide = 65535

// Planes are the samples of an image in YCbCr 4:2:0.
type Planes struct {
	Width, Height  int
	Grey           bool // no colours
	Y              []byte
	Cb, Cr         []byte
	Stride         int // bytes per row of Y
	ColourStride   int // bytes per row of Cb and Cr
	rows, coloured int // with padding to whole blocks
}

// Encoder encodes images. It reuses its memory. The zero value is ready to use. It is not safe for concurrent use.
type Encoder struct {
	planes  Planes
	quality int
	steps   [2][64]uint8   // in row order
	scales  [2][64]float32 // factors of transformed coefficients
	out     bitWriter
}

// Planes returns the planes for the next image. They are valid until the next call.
func (e *Encoder) Planes(width, height int, grey bool) (*Planes, error) {
	if width <= 0 || height <= 0 || width > maxSide || height > maxSide {
		return nil, fmt.Errorf("encode JPEG: size is %dx%d, want 1 to %d", width, height, maxSide)
	}
	p := &e.planes
	block := 16
	if grey {
		block = 8
	}
	wide, high := (width+block-1)/block*block, (height+block-1)/block*block
	*p = Planes{Width: width, Height: height, Grey: grey, Y: fit(p.Y, wide*high), Cb: p.Cb,
		Cr: p.Cr, Stride: wide, rows: high}
	if !grey {
		p.ColourStride, p.coloured = wide/2, high/2
		p.Cb, p.Cr = fit(p.Cb, wide*high/4), fit(p.Cr, wide*high/4)
	}
	return p, nil
}

func fit(b []byte, n int) []byte { return slices.Grow(b[:0], n)[:n] }

// Append appends the image in the planes to dst as a JPEG file. quality is that of libjpeg, 1 to 100.
func (e *Encoder) Append(dst []byte, quality int) []byte {
	e.setQuality(min(max(quality, 1), 100))
	p := &e.planes
	extend(p.Y, p.Width, p.Height, p.Stride, p.rows)
	dst = e.header(dst)
	e.out = bitWriter{b: dst}
	if p.Grey {
		e.scanGrey()
	} else {
		extend(p.Cb, (p.Width+1)/2, (p.Height+1)/2, p.ColourStride, p.coloured)
		extend(p.Cr, (p.Width+1)/2, (p.Height+1)/2, p.ColourStride, p.coloured)
		e.scan()
	}
	dst = append(e.out.end(), 0xFF, markEnd)
	e.out = bitWriter{}
	return dst
}

// extend pads to whole blocks by repeating the last column and row.
func extend(plane []byte, width, height, stride, rows int) {
	if width < stride {
		for y := range height {
			row := plane[y*stride:][:stride]
			last := row[width-1]
			for x := width; x < stride; x++ {
				row[x] = last
			}
		}
	}
	for y := height; y < rows; y++ {
		copy(plane[y*stride:][:stride], plane[(height-1)*stride:])
	}
}

func (e *Encoder) scanGrey() {
	p, last := &e.planes, int32(0)
	for y := 0; y < p.rows; y += 8 {
		for x := 0; x < p.Stride; x += 8 {
			last = e.block(p.Y[y*p.Stride+x:], p.Stride, light, last)
		}
	}
}

func (e *Encoder) scan() {
	p := &e.planes
	var lastY, lastCb, lastCr int32
	for y := 0; y < p.rows; y += 16 {
		for x := 0; x < p.Stride; x += 16 {
			top := p.Y[y*p.Stride+x:]
			lastY = e.block(top, p.Stride, light, lastY)
			lastY = e.block(top[8:], p.Stride, light, lastY)
			lastY = e.block(top[8*p.Stride:], p.Stride, light, lastY)
			lastY = e.block(top[8*p.Stride+8:], p.Stride, light, lastY)
			at := y/2*p.ColourStride + x/2
			lastCb = e.block(p.Cb[at:], p.ColourStride, colour, lastCb)
			lastCr = e.block(p.Cr[at:], p.ColourStride, colour, lastCr)
		}
	}
}

// block encodes 8×8 samples and returns the first coefficient, from which the next block encodes its difference.
func (e *Encoder) block(samples []byte, stride int, kind int, last int32) int32 {
	var c coefficients
	places := transform(&c, samples, stride, &e.scales[kind])
	e.out.block(&c, places, c[0]-last, &first[kind], &other[kind])
	return c[0]
}
