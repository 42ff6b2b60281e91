package imagetransport

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	_ "image/jpeg" // for Decode
	_ "image/png"
	"math"
	"strings"

	"rsros/msgs/png"
)

// DefaultDepthOptions returns compressed_depth_image_transport's defaults, except that 16-bit depth
// isn't limited to 10 m.
func DefaultDepthOptions(encoding string) Options {
	o := Options{Format: PNG, PNGLevel: 1, DepthMax: 10, Quantization: 100}
	if encoding != "32FC1" {
		o.DepthMax = MaxDepthMax
	}
	return o
}

// Ranges of the parameters.
const (
	MinDepthMax, MaxDepthMax         = 1, 100
	MinQuantization, MaxQuantization = 1, 150
)

// headSize is the size of the plugin's header: an int32, 0 for inverse depth, and two
// float32, the quantization of 32FC1, or else 0.
const headSize = 12

// CompressDepth appends the image to dst in the form of compressed_depth_image_transport, and returns the message's
// format and the extended dst. 16-bit depth is compressed without loss, and 32FC1 in metres as its inverse in 16 bits.
func (e *Encoder) CompressDepth(dst []byte, p Image, o Options) (format string, data []byte, err error) {
	l, err := p.check()
	if err != nil {
		return "", dst, err
	}
	if l.pixel*8 != l.bits || l.bits < 16 {
		return "", dst, fmt.Errorf("compress depth: encoding %s, want 16UC1, mono16 or 32FC1", p.Encoding)
	}
	if o.Format != PNG && o.Format != RVL {
		return "", dst, fmt.Errorf("compress depth: format %q, want %s or %s", o.Format, PNG, RVL)
	}
	var a, b float32
	var pixels []byte
	if l.bits == 32 {
		pixels, a, b = e.inverse(&p, l, o)
	} else {
		pixels = e.depth16(&p, l, o)
	}
	out := binary.LittleEndian.AppendUint32(dst, 0)
	out = binary.LittleEndian.AppendUint32(out, math.Float32bits(a))
	out = binary.LittleEndian.AppendUint32(out, math.Float32bits(b))
	if o.Format == RVL {
		out = binary.LittleEndian.AppendUint32(out, uint32(p.Width))
		out = binary.LittleEndian.AppendUint32(out, uint32(p.Height))
		out = AppendRVL(out, pixels)
	} else if out, err = e.depthPNG(out, pixels, p.Width, p.Height, o.PNGLevel); err != nil {
		return "", dst, err
	}
	return p.Encoding + "; compressedDepth " + o.Format, out, nil
}

func (e *Encoder) depthPNG(dst, pixels []byte, w, h, level int) ([]byte, error) {
	out := bytes.NewBuffer(dst)
	err := e.png.Encode(out, png.Image{
		Width: w, Height: h, Colour: png.Gray, Depth: 16, Level: min(max(level, 1), 9),
		Row: func(y int, to []byte) { swap(to, pixels[2*y*w:][:2*w]) },
	})
	return out.Bytes(), err
}

// depth16 returns a 16-bit image's pixels, little-endian and without padding. If nothing
// has to be changed, these are p.Data.
func (e *Encoder) depth16(p *Image, l layout, o Options) []byte {
	units := o.Units
	if units <= 0 {
		units = 0.001
	}
	// Without a tenth of a unit, 65.535 m in millimetres would become 65534.
	farthest := o.DepthMax/units + 0.1
	cut := o.DepthMax > 0 && farthest < math.MaxUint16
	if !cut && !p.BigEndian && p.Step == l.pixel*p.Width {
		return p.Data[:p.Step*p.Height]
	}
	pixels := e.scratch(2 * p.Width * p.Height)
	limit := uint16(math.MaxUint16)
	if cut {
		limit = uint16(farthest)
	}
	for y := range p.Height {
		from, to := p.row(y, l), pixels[2*y*p.Width:][:2*p.Width]
		if p.BigEndian {
			swap(to, from)
			from = to
		}
		for i := 0; i+1 < len(from); i += 2 {
			v := pixel(from, i)
			if v > limit {
				v = 0
			}
			binary.LittleEndian.PutUint16(to[i:], v)
		}
	}
	return pixels
}

// inverse quantizes depth in metres as a/depth + b, which is 1 at the largest depth. 0 means no depth.
func (e *Encoder) inverse(p *Image, l layout, o Options) (pixels []byte, a, b float32) {
	z, farthest := float32(o.Quantization), float32(o.DepthMax)
	a = z * (z + 1)
	b = 1 - a/farthest
	pixels = e.scratch(2 * p.Width * p.Height)
	var order binary.ByteOrder = binary.LittleEndian
	if p.BigEndian {
		order = binary.BigEndian
	}
	for y := range p.Height {
		from, to := p.row(y, l), pixels[2*y*p.Width:][:2*p.Width]
		for i := range p.Width {
			depth := math.Float32frombits(order.Uint32(from[4*i:]))
			var v uint16
			if depth > 0 && depth < farthest {
				v = uint16(min(a/depth+b, math.MaxUint16))
			}
			binary.LittleEndian.PutUint16(to[2*i:], v)
		}
	}
	return pixels, a, b
}

func (e *Encoder) scratch(n int) []byte {
	e.depth = grow(e.depth[:0], n)
	return e.depth
}

// maxPixels bounds the size of an image that DecompressDepth allocates.
const maxPixels = 1 << 24

// DecompressDepth decompresses the format and data of a message with compressed depth. The
// image has the encoding in the format, 16UC1, mono16 or 32FC1, and is little-endian.
func DecompressDepth(format string, data []byte) (Image, error) {
	encoding, rest, _ := strings.Cut(format, ";")
	l, ok := layoutOf(encoding)
	if !ok || l.pixel*8 != l.bits || l.bits < 16 {
		return Image{}, fmt.Errorf("decompress depth: format %q, want 16UC1, mono16 or 32FC1 before a semicolon", format)
	}
	if len(data) < headSize {
		return Image{}, fmt.Errorf("decompress depth: data has %d bytes, want a header of %d", len(data), headSize)
	}
	read := pixelsOfPNG
	if strings.TrimSpace(rest) == "compressedDepth "+RVL {
		read = DecompressRVL
	}
	pixels, w, h, err := read(data[headSize:])
	if err != nil {
		return Image{}, fmt.Errorf("decompress depth: %w", err)
	}
	if l.bits == 32 {
		a := math.Float32frombits(binary.LittleEndian.Uint32(data[4:]))
		b := math.Float32frombits(binary.LittleEndian.Uint32(data[8:]))
		pixels = depths(pixels, a, b)
	}
	return Image{Encoding: encoding, Width: w, Height: h, Step: l.pixel * w, Data: pixels}, nil
}

// depths is the inverse of inverse. Pixels without depth become NaN.
func depths(pixels []byte, a, b float32) []byte {
	out := make([]byte, 2*len(pixels))
	for i := 0; i+1 < len(pixels); i += 2 {
		depth := float32(math.NaN())
		if v := pixel(pixels, i); v != 0 {
			depth = a / (float32(v) - b)
		}
		binary.LittleEndian.PutUint32(out[2*i:], math.Float32bits(depth))
	}
	return out
}

func checkSize(w, h uint64) error {
	if w == 0 || h == 0 || w > maxSide || h > maxSide || w*h > maxPixels {
		return fmt.Errorf("size is %dx%d, want 1 to %d pixels", w, h, maxPixels)
	}
	return nil
}

// DecompressRVL decompresses RVL after the width and the height, int32 each, as compressed_depth_image_transport has
// it. Pixels have 16 bits, little-endian.
func DecompressRVL(b []byte) (pixels []byte, w, h int, err error) {
	if len(b) < 8 {
		return nil, 0, 0, fmt.Errorf("RVL: data has %d bytes, want at least 8", len(b))
	}
	columns, rows := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	if err := checkSize(uint64(columns), uint64(rows)); err != nil {
		return nil, 0, 0, fmt.Errorf("RVL: %w", err)
	}
	pixels = make([]byte, 2*int(columns)*int(rows))
	return pixels, int(columns), int(rows), DecodeRVL(pixels, b[8:])
}

func pixelsOfPNG(b []byte) (pixels []byte, w, h int, err error) {
	m, err := Decode(b)
	if err != nil {
		return nil, 0, 0, err
	}
	gray, ok := m.(*image.Gray16)
	if !ok {
		return nil, 0, 0, fmt.Errorf("PNG: pixels are %T, want 16-bit grey", m)
	}
	w, h = gray.Rect.Dx(), gray.Rect.Dy()
	pixels = make([]byte, 2*w*h)
	for y := range h {
		swap(pixels[2*y*w:], gray.Pix[y*gray.Stride:][:2*w])
	}
	return pixels, w, h, nil
}

// Decode decodes a JPEG or a PNG of at most 2²⁴ pixels.
func Decode(b []byte) (image.Image, error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	if err := checkSize(uint64(config.Width), uint64(config.Height)); err != nil {
		return nil, fmt.Errorf("%s: %w", format, err)
	}
	m, _, err := image.Decode(bytes.NewReader(b))
	return m, err
}
