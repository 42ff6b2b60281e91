package anonymise

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/draw"
	"strings"

	"rsros/msgs/imagetransport"
	"rsros/msgs/png"
)

// The bytes before the image in the form of compressed_depth_image_transport.
const depthHeader = 12

// compressed returns an image with hidden boxes in the same format, valid until the next call.
func (e *editor) compressed(format string, data []byte, boxes []box) ([]byte, error) {
	switch {
	case strings.Contains(format, "compressedDepth"):
		return e.depth(format, data, boxes)
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return e.jpegImage(data, boxes)
	case bytes.HasPrefix(data, []byte("\x89PNG")):
		return e.pngImage(e.out[:0], data, boxes)
	}
	return nil, fmt.Errorf("an image of format %.40q, neither JPEG nor PNG", format)
}

func (e *editor) jpegImage(data []byte, boxes []box) ([]byte, error) {
	decoded, err := imagetransport.Decode(data)
	if err != nil {
		return nil, err
	}
	size := decoded.Bounds()
	regions, err := e.regions(boxes, size.Dx(), size.Dy())
	if err != nil {
		return nil, err
	}
	switch m := decoded.(type) {
	case *image.Gray:
		ofGray(m).hide(e.style, regions)
		err = e.grey(m)
	case *image.YCbCr:
		hideYCbCr(m, e.style, regions)
		err = e.colour(m)
	default:
		return nil, fmt.Errorf("a JPEG of colour model %T", m)
	}
	if err != nil {
		return nil, err
	}
	e.out = e.jpeg.Append(e.out[:0], e.quality)
	return e.out, nil
}

func (e *editor) grey(m *image.Gray) error {
	p, err := e.jpeg.Planes(m.Rect.Dx(), m.Rect.Dy(), true)
	if err != nil {
		return err
	}
	for y := range p.Height {
		copy(p.Y[y*p.Stride:][:p.Width], m.Pix[y*m.Stride:])
	}
	return nil
}

// colour copies the planes of an image. Of four pixels with colours of their own it takes the mean.
func (e *editor) colour(m *image.YCbCr) error {
	p, err := e.jpeg.Planes(m.Rect.Dx(), m.Rect.Dy(), false)
	if err != nil {
		return err
	}
	for y := range p.Height {
		copy(p.Y[y*p.Stride:][:p.Width], m.Y[y*m.YStride:])
	}
	for y := 0; y < p.Height; y += 2 {
		for x := 0; x < p.Width; x += 2 {
			right, below := min(x+1, p.Width-1), min(y+1, p.Height-1)
			var cb, cr int
			for _, at := range [4]int{m.COffset(x, y), m.COffset(right, y), m.COffset(x, below), m.COffset(right, below)} {
				cb, cr = cb+int(m.Cb[at]), cr+int(m.Cr[at])
			}
			to := y/2*p.ColourStride + x/2
			p.Cb[to], p.Cr[to] = byte((cb+2)/4), byte((cr+2)/4)
		}
	}
	return nil
}

// hideYCbCr hides regions in all planes. Colours are hidden for whole samples.
func hideYCbCr(m *image.YCbCr, style Style, regions []region) {
	bounds := m.Rect
	luma := bitmap{plain(1, 1), bounds.Dx(), bounds.Dy(), m.YStride, m.Y}
	luma.hide(style, regions)
	across, down := 1, 1 // pixels that share a sample of colour
	for across < bounds.Dx() && m.COffset(across, 0) == m.COffset(0, 0) {
		across++
	}
	for down < bounds.Dy() && m.COffset(0, down) == m.COffset(0, 0) {
		down++
	}
	neutral := plain(1, 1)
	neutral.mask = []float64{128}
	for _, r := range regions {
		colours := []region{{r.left / across, r.top / down, (r.right + across - 1) / across, (r.bottom + down - 1) / down}}
		for _, samples := range [][]byte{m.Cb, m.Cr} {
			p := bitmap{neutral, (bounds.Dx() + across - 1) / across, (bounds.Dy() + down - 1) / down, m.CStride, samples}
			p.hide(style, colours)
		}
	}
}

func ofGray(m *image.Gray) *bitmap {
	return &bitmap{plain(1, 1), m.Rect.Dx(), m.Rect.Dy(), m.Stride, m.Pix}
}

// pngImage appends an image to dst with the same kind of pixels. A palette becomes colours with opacity.
func (e *editor) pngImage(dst, data []byte, boxes []box) ([]byte, error) {
	decoded, err := imagetransport.Decode(data)
	if err != nil {
		return nil, err
	}
	if m, ok := decoded.(*image.Paletted); ok {
		plain := image.NewNRGBA(m.Rect)
		draw.Draw(plain, m.Rect, m, m.Rect.Min, draw.Src)
		decoded = plain
	}
	p := bitmap{width: decoded.Bounds().Dx(), height: decoded.Bounds().Dy()}
	colour := png.RGBA
	switch m := decoded.(type) {
	case *image.Gray:
		p.layout, p.step, p.data, colour = plain(1, 1), m.Stride, m.Pix, png.Gray
	case *image.Gray16:
		p.layout, p.step, p.data, colour = plain(2, 1), m.Stride, m.Pix, png.Gray
	case *image.RGBA: // of a PNG without opacity
		p.layout, p.step, p.data, colour = withAlpha(1), m.Stride, m.Pix, png.RGB
	case *image.RGBA64:
		p.layout, p.step, p.data, colour = withAlpha(2), m.Stride, m.Pix, png.RGB
	case *image.NRGBA:
		p.layout, p.step, p.data = withAlpha(1), m.Stride, m.Pix
	case *image.NRGBA64:
		p.layout, p.step, p.data = withAlpha(2), m.Stride, m.Pix
	default:
		return nil, fmt.Errorf("a PNG of colour model %T", m)
	}
	p.sample.order = binary.BigEndian
	if err := e.draw(p, boxes); err != nil {
		return nil, err
	}
	return e.encodePNG(dst, p, colour)
}

// encodePNG appends an image to dst. Its samples are big-endian.
func (e *editor) encodePNG(dst []byte, p bitmap, colour png.Colour) ([]byte, error) {
	out := bytes.NewBuffer(dst)
	to, from := colour.Channels()*p.sample.size, p.row*p.sample.size
	err := e.png.Encode(out, png.Image{Width: p.width, Height: p.height, Colour: colour, Depth: 8 * p.sample.size, Row: func(y int, row []byte) {
		pixels := p.data[y*p.step:][:p.width*from]
		if to == from {
			copy(row, pixels)
			return
		}
		for ; len(pixels) > 0; row, pixels = row[to:], pixels[from:] {
			copy(row[:to], pixels)
		}
	}})
	e.out = out.Bytes()
	return e.out, err
}

// depth hides boxes in the codes of compressed depth, 16 bits each, of which 0 is no depth.
func (e *editor) depth(format string, data []byte, boxes []box) ([]byte, error) {
	if len(data) < depthHeader {
		return nil, fmt.Errorf("compressed depth of %d bytes, want a header of %d", len(data), depthHeader)
	}
	dst := append(e.out[:0], data[:depthHeader]...)
	body := data[depthHeader:]
	if bytes.HasPrefix(body, []byte("\x89PNG")) {
		return e.pngImage(dst, body, boxes)
	}
	if !strings.Contains(format, imagetransport.RVL) {
		return nil, fmt.Errorf("compressed depth of format %.40q, neither PNG nor RVL", format)
	}
	pixels, width, height, err := imagetransport.DecompressRVL(body)
	if err != nil {
		return nil, err
	}
	p := bitmap{plain(2, 1), width, height, 2 * width, pixels}
	p.sample.order = binary.LittleEndian
	if err := e.draw(p, boxes); err != nil {
		return nil, err
	}
	e.out = imagetransport.AppendRVL(append(dst, body[:8]...), p.data)
	return e.out, nil
}
