package imagetransport

import (
	"fmt"
	"strings"

	"rsros/msgs/png"
)

// Image is the content of a sensor_msgs/Image. Data is borrowed.
type Image struct {
	Encoding      string // ROS's name: "rgb8", "16UC1"
	Width, Height int
	Step          int // bytes per row, with padding
	BigEndian     bool
	Data          []byte
}

// layout is the position of the samples of an encoding.
type layout struct {
	pixel int    // bytes
	bits  int    // per sample: 8, 16 or 32
	rgb   [3]int // offsets of red, green and blue
	yuv   bool   // 4:2:2; luma is at rgb[0], chroma next to it
}

var layouts = map[string]layout{
	"rgb8": {3, 8, [3]int{0, 1, 2}, false}, "bgr8": {3, 8, [3]int{2, 1, 0}, false},
	"rgba8": {4, 8, [3]int{0, 1, 2}, false}, "bgra8": {4, 8, [3]int{2, 1, 0}, false},
	"yuv422_yuy2": {2, 8, [3]int{0}, true}, "yuyv": {2, 8, [3]int{0}, true},
	"yuv422": {2, 8, [3]int{1}, true}, "uyvy": {2, 8, [3]int{1}, true},
	"mono8": {pixel: 1, bits: 8}, "8UC1": {pixel: 1, bits: 8},
	"mono16": {pixel: 2, bits: 16}, "16UC1": {pixel: 2, bits: 16},
	"32FC1": {pixel: 4, bits: 32},
}

// layoutOf returns the layout of an encoding. As in the plugins, a Bayer image is grey.
func layoutOf(encoding string) (layout, bool) {
	if strings.HasPrefix(encoding, "bayer_") && strings.HasSuffix(encoding, "8") {
		encoding = "mono8"
	}
	l, ok := layouts[encoding]
	return l, ok
}

func (l layout) colour() bool { return l.pixel >= 3 && l.bits == 8 || l.yuv }

const (
	maxSide = 65535   // JPEG's limit
	maxStep = 1 << 24 // bytes of a row
)

// check checks the image and returns its layout.
func (p *Image) check() (layout, error) {
	l, ok := layoutOf(p.Encoding)
	switch {
	case !ok:
		return l, fmt.Errorf("compress image: unknown encoding %q", p.Encoding)
	case l.yuv && p.Width%2 != 0:
		return l, fmt.Errorf("compress image: %s has odd width %d", p.Encoding, p.Width)
	}
	if err := p.Check(); err != nil {
		return l, fmt.Errorf("compress image: %w", err)
	}
	return l, nil
}

// Check checks that Data holds the image: any rows, if the encoding is unknown.
func (p *Image) Check() error {
	l, _ := layoutOf(p.Encoding)
	row := l.pixel * p.Width
	need := int64(p.Step)*int64(p.Height-1) + int64(row) // more than an int of 32 bits holds
	switch {
	case p.Width <= 0 || p.Height <= 0 || p.Width > maxSide || p.Height > maxSide:
		return fmt.Errorf("size is %dx%d, want 1 to %d", p.Width, p.Height, maxSide)
	case p.Step < row || p.Step > maxStep:
		return fmt.Errorf("rows have %d bytes, %d pixels of %s need %d to %d", p.Step, p.Width, p.Encoding, row, maxStep)
	case int64(len(p.Data)) < need:
		return fmt.Errorf("data has %d bytes, %d rows of %d need %d", len(p.Data), p.Height, p.Step, need)
	}
	return nil
}

// PNG returns the image as a PNG without loss, with its opacity. YUV becomes RGB. ok is false for encodings
// that PNG can't hold. Rows must not be read before Check has accepted the image.
func (p *Image) PNG() (_ png.Image, ok bool) {
	l, ok := layoutOf(p.Encoding)
	if !ok || l.bits > 16 || l.yuv && p.Width%2 != 0 {
		return png.Image{}, false
	}
	out := p.opaque(l)
	if l.colour() && l.pixel == 4 {
		out.Colour, out.Row = png.RGBA, func(y int, to []byte) { rowColours(to, 4, p.row(y, l), l) }
	}
	return out, true
}

// opaque returns the image as a PNG without opacity.
func (p *Image) opaque(l layout) png.Image {
	out := png.Image{Width: p.Width, Height: p.Height, Colour: png.Gray, Depth: l.bits}
	switch {
	case l.yuv:
		out.Colour, out.Row = png.RGB, func(y int, to []byte) { rowYUV(to, p.row(y, l), l.rgb[0]) }
	case l.colour():
		out.Colour, out.Row = png.RGB, func(y int, to []byte) { rowColours(to, 3, p.row(y, l), l) }
	case l.bits == 16 && !p.BigEndian:
		out.Row = func(y int, to []byte) { swap(to, p.row(y, l)) }
	default:
		out.Row = func(y int, to []byte) { copy(to, p.row(y, l)) }
	}
	return out
}

// row returns a row's pixels without padding.
func (p *Image) row(y int, l layout) []byte { return p.Data[y*p.Step:][:l.pixel*p.Width] }
