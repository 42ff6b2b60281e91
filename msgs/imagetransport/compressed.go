package imagetransport

import (
	"bytes"
	"fmt"

	"rsros/msgs/jpeg"
	"rsros/msgs/png"
)

// The formats, by the values of the plugins' parameter "format".
const (
	JPEG = "jpeg"
	PNG  = "png"
	RVL  = "rvl"
)

// Options are the parameters of compressed_image_transport and compressed_depth_image_transport.
type Options struct {
	Format      string // JPEG or PNG; of depth PNG or RVL
	JPEGQuality int    // 1 … 100
	PNGLevel    int    // 1 (fast) … 9 (small)

	// Of depth only.
	DepthMax     float64 // metres; larger depths become 0
	Quantization float64 // for 32FC1: depth in metres at which the resolution is 1 m
	Units        float64 // for 16-bit images: metres per unit; 0.001 if 0
}

// DefaultOptions returns compressed_image_transport's defaults, except that images of more than 8 bits
// become PNG with level 1. Level 9 is many times slower and saves a few per cent.
func DefaultOptions(encoding string) Options {
	if l, ok := layoutOf(encoding); ok && l.bits > 8 {
		return Options{Format: PNG, JPEGQuality: 80, PNGLevel: 1}
	}
	return Options{Format: JPEG, JPEGQuality: 80, PNGLevel: 9}
}

// Compressible reports whether Compress supports an encoding.
func Compressible(encoding string) bool {
	l, ok := layoutOf(encoding)
	return ok && l.bits <= 16
}

// Encoder compresses images. It reuses its memory.
type Encoder struct {
	png   png.Encoder
	jpeg  jpeg.Encoder
	depth []byte // 16-bit pixels without padding
}

// Compress appends the image to dst in the form of compressed_image_transport, and returns the message's format and the
// extended dst. A 16-bit image always becomes PNG, because JPEG has 8 bits.
func (e *Encoder) Compress(dst []byte, p Image, o Options) (format string, data []byte, err error) {
	l, err := p.check()
	if err != nil {
		return "", dst, err
	}
	if l.bits > 16 {
		return "", dst, fmt.Errorf("compress image: %s has %d bits per sample, want 8 or 16", p.Encoding, l.bits)
	}
	kind := o.Format
	if l.bits == 16 {
		kind = PNG
	}
	switch kind {
	case JPEG:
		data, err = e.encodeJPEG(dst, &p, l, o.JPEGQuality)
	case PNG:
		img := p.opaque(l)
		img.Level = min(max(o.PNGLevel, 1), 9)
		out := bytes.NewBuffer(dst)
		err = e.png.Encode(out, img)
		data = out.Bytes()
	default:
		err = fmt.Errorf("compress image: format %q, want %s or %s", kind, JPEG, PNG)
	}
	if err != nil {
		return "", dst, err
	}
	return formatText(p.Encoding, kind, l), data, nil
}

// formatText returns the message's format. Subscribers parse the encoding before the
// semicolon and "compressed bgr" after it.
func formatText(encoding, kind string, l layout) string {
	if l.yuv {
		encoding = "rgb8" // after decompression
	}
	target := ""
	if l.colour() {
		target = "bgr8"
	}
	return encoding + "; " + kind + " compressed " + target
}

func (e *Encoder) encodeJPEG(dst []byte, p *Image, l layout, quality int) ([]byte, error) {
	m, err := e.jpeg.Planes(p.Width, p.Height, !l.colour())
	if err != nil {
		return dst, err
	}
	switch {
	case m.Grey:
		for y := range p.Height {
			copy(m.Y[y*m.Stride:], p.row(y, l))
		}
	case l.yuv:
		split(m, p, l)
	default:
		convert(m, p, l)
	}
	return e.jpeg.Append(dst, quality), nil
}

// swap copies 16-bit samples with swapped bytes.
func swap(to, from []byte) {
	to = to[:len(from)]
	for i := 0; i+1 < len(from); i += 2 {
		to[i], to[i+1] = from[i+1], from[i]
	}
}

// rowColours copies pixels as red, green, blue and, if n is 4, opacity.
func rowColours(to []byte, n int, from []byte, l layout) {
	r, g, b := l.rgb[0], l.rgb[1], l.rgb[2]
	for len(to) >= n && len(from) >= l.pixel {
		to[0], to[1], to[2] = from[r], from[g], from[b]
		if n == 4 {
			to[3] = from[3]
		}
		to, from = to[n:], from[l.pixel:]
	}
}
