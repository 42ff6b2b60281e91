package imagetransport

import (
	"fmt"

	"rsros/msgs/jpeg"
	"rsros/msgs/png"
)

// The compressions. Values are those of the plugins' parameter "format".
const (
	JPEG = "jpeg"
	PNG  = "png"
	RVL  = "rvl"
)

// Options are the parameters of compressed_image_transport, by their names there.
type Options struct {
	Format      string // JPEG or PNG
	JPEGQuality int    // 1 … 100
	PNGLevel    int    // 1 (fast) … 9 (small)
}

// DefaultOptions are the plugin's, but 16-bit pictures become PNG: JPEG has 8 bits.
// Its level is then 1, for level 9 makes such a picture a few per cent smaller in
// many times the time.
func DefaultOptions(encoding string) Options {
	if l, ok := layoutOf(encoding); ok && l.bits > 8 {
		return Options{Format: PNG, JPEGQuality: 80, PNGLevel: 1}
	}
	return Options{Format: JPEG, JPEGQuality: 80, PNGLevel: 9}
}

// Compressible says whether Compress takes pictures of an encoding.
func Compressible(encoding string) bool {
	l, ok := layoutOf(encoding)
	return ok && l.bits <= 16
}

// Encoder compresses pictures one after another.
type Encoder struct {
	png   png.Encoder
	jpeg  jpeg.Encoder
	depth []byte // 16-bit pixels without padding
}

// Compress appends the picture to dst as compressed_image_transport would send it,
// and returns the message's format text and dst. A 16-bit picture becomes PNG
// whatever the format, because JPEG would keep 8 bits of it.
func (e *Encoder) Compress(dst []byte, p Picture, o Options) (format string, data []byte, err error) {
	l, err := p.check()
	if err != nil {
		return "", dst, err
	}
	if l.bits > 16 {
		return "", dst, fmt.Errorf("compress a picture: %s has samples of %d bits, want 8 or 16", p.Encoding, l.bits)
	}
	kind := o.Format
	if l.bits == 16 {
		kind = PNG
	}
	out := appender{dst}
	switch kind {
	case JPEG:
		out.b, err = e.pictureJPEG(dst, &p, l, o.JPEGQuality)
	case PNG:
		err = e.picturePNG(&out, &p, l, o.PNGLevel)
	default:
		err = fmt.Errorf("compress a picture: format %q, want %s or %s", kind, JPEG, PNG)
	}
	if err != nil {
		return "", dst, err
	}
	return formatText(p.Encoding, kind, l), out.b, nil
}

// formatText is the message's format. Subscribers read the encoding from before
// the semicolon and "compressed bgr" after it.
func formatText(encoding, kind string, l layout) string {
	if l.yuv {
		encoding = "rgb8" // what the picture is once it is decompressed
	}
	target := ""
	if l.colour() {
		target = "bgr8"
	}
	return encoding + "; " + kind + " compressed " + target
}

func (e *Encoder) pictureJPEG(dst []byte, p *Picture, l layout, quality int) ([]byte, error) {
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

func (e *Encoder) picturePNG(out *appender, p *Picture, l layout, level int) error {
	picture := png.Picture{Width: p.Width, Height: p.Height, Colour: png.Gray, Depth: l.bits, Level: min(max(level, 1), 9)}
	switch {
	case l.yuv:
		picture.Colour = png.RGB
		picture.Row = func(y int, to []byte) { rowYUV(to, p.row(y, l), l) }
	case l.colour():
		picture.Colour = png.RGB
		picture.Row = func(y int, to []byte) { rowRGB(to, p.row(y, l), l) }
	case l.bits == 16 && !p.BigEndian:
		picture.Row = func(y int, to []byte) { swap(to, p.row(y, l)) }
	default:
		picture.Row = func(y int, to []byte) { copy(to, p.row(y, l)) }
	}
	return e.png.Encode(out, picture)
}

// swap exchanges the bytes of each 16-bit sample.
func swap(to, from []byte) {
	to = to[:len(from)]
	for i := 0; i+1 < len(from); i += 2 {
		to[i], to[i+1] = from[i+1], from[i]
	}
}

func rowRGB(to, from []byte, l layout) {
	r, g, b := l.rgb[0], l.rgb[1], l.rgb[2]
	for len(to) >= 3 && len(from) >= l.pixel {
		to[0], to[1], to[2] = from[r], from[g], from[b]
		to, from = to[3:], from[l.pixel:]
	}
}

// appender is a buffer that PNG is written to.
type appender struct{ b []byte }

func (a *appender) Write(p []byte) (int, error) {
	a.b = append(a.b, p...)
	return len(p), nil
}
