// Package imagefile writes camera images as files of the formats that hold them without loss, on
// all cores.
package imagefile

import (
	"bufio"
	"fmt"
	"io"
	"sync"

	"rsros/camdriver"
	"rsros/msgs/imagetransport"
	"rsros/msgs/png"
)

// Image is an image as a message or a frame holds it. Data is borrowed.
type Image struct {
	Encoding      string // ROS's name; the SDK's where ROS has none
	Width, Height int
	Stride        int // bytes from row to row
	BigEndian     bool
	Stored        bool // Encode doesn't compress a PNG: larger, and faster
	Data          []byte
}

type pictureKind struct {
	ext    string     // ".png", ".pfm"; everything else is ".raw"
	bytes  int        // a pixel in the bag
	pairs  bool       // two Image share their colours
	colour png.Colour // of the PNG
	depth  int        // bits a sample of the PNG
	// row makes a row of the PNG: samples in the order red, green, blue, alpha.
	row func(p Image, from, to []byte)
}

// pictureKinds are the encodings that an image file can hold without loss. YUV is converted to RGB,
// Bayer patterns aren't.
var pictureKinds = map[string]pictureKind{
	"mono8": gray8(), "8UC1": gray8(), "bayer_rggb8": gray8(), "bayer_bggr8": gray8(), "bayer_gbrg8": gray8(), "bayer_grbg8": gray8(),
	"mono16": gray16(), "16UC1": gray16(),
	"rgb8": colour(0, 1, 2), "bgr8": colour(2, 1, 0), "8UC3": colour(2, 1, 0),
	"rgba8": colour(0, 1, 2, 3), "bgra8": colour(2, 1, 0, 3), "8UC4": colour(2, 1, 0, 3),
	"yuyv": yuv(0), "yuv422_yuy2": yuv(0), "uyvy": yuv(1), "yuv422": yuv(1),
	"32FC1": {ext: ".pfm", bytes: 4},
}

var frameEncodings = map[camdriver.Format]string{
	camdriver.Z16: "mono16", camdriver.Y16: "mono16", camdriver.RAW16: "mono16", camdriver.Z16H: "mono16",
	camdriver.Y8: "mono8", camdriver.RAW8: "mono8",
	camdriver.RGB8: "rgb8", camdriver.BGR8: "bgr8", camdriver.RGBA8: "rgba8", camdriver.BGRA8: "bgra8",
	camdriver.YUYV: "yuyv", camdriver.UYVY: "uyvy",
}

// kind says how the picture is stored; as raw bytes if no picture format fits.
func (p Image) kind() pictureKind {
	k, ok := pictureKinds[p.Encoding]
	if !ok || k.pairs && p.Width%2 != 0 {
		return pictureKind{ext: ".raw"}
	}
	return k
}

// Check checks that the data hold the picture. Encoding relies on it.
func (p Image) Check() error {
	row := p.kind().bytes * p.Width
	switch {
	case p.Width <= 0 || p.Height <= 0 || p.Width > 1<<16 || p.Height > 1<<16:
		return fmt.Errorf("picture of %d×%d", p.Width, p.Height)
	case p.Stride < row || p.Stride > 1<<24:
		return fmt.Errorf("rows of %d bytes for %d Image of %s", p.Stride, p.Width, p.Encoding)
	case len(p.Data) < p.Stride*(p.Height-1)+row:
		return fmt.Errorf("%d bytes for %d rows of %d", len(p.Data), p.Height, p.Stride)
	}
	return nil
}

// Ext returns the extension of the file: ".png"; ".pfm" for floats; ".raw" for what no image format
// fits.
func (p Image) Ext() string { return p.kind().ext }

// Channels returns the samples of a pixel and their bits in a PNG; 0 for other files.
func (p Image) Channels() (n, bits int) {
	k := p.kind()
	if k.ext != ".png" {
		return 0, 0
	}
	return k.colour.Channels(), k.depth
}

// encoders has a megabyte of tables each.
var encoders = sync.Pool{New: func() any { return new(png.Encoder) }}

// Encode writes the file. The image must have passed Check.
func (p Image) Encode(w io.Writer) error {
	switch k := p.kind(); k.ext {
	case ".png":
		level := 0
		if p.Stored {
			level = png.Stored
		}
		e := encoders.Get().(*png.Encoder)
		defer encoders.Put(e)
		return e.Encode(w, png.Picture{Width: p.Width, Height: p.Height, Colour: k.colour, Depth: k.depth, Level: level, Row: p.Row})
	case ".pfm":
		return p.encodePFM(w)
	}
	_, err := w.Write(p.Data)
	return err
}

func (p Image) row(y int) []byte { return p.Data[y*p.Stride:][:p.kind().bytes*p.Width] }

// encodePFM writes a portable float map: rows from the bottom up, a negative scale for
// little-endian.
func (p Image) encodePFM(w io.Writer) error {
	scale := -1.0
	if p.BigEndian {
		scale = 1
	}
	buf := bufio.NewWriter(w)
	fmt.Fprintf(buf, "Pf\n%d %d\n%.1f\n", p.Width, p.Height, scale)
	for y := p.Height - 1; y >= 0; y-- {
		if _, err := buf.Write(p.row(y)); err != nil {
			return err
		}
	}
	return buf.Flush()
}

// Row writes a row as PNG has it: samples in the order red, green, blue, alpha, 16 bits big-endian.
func (p Image) Row(y int, to []byte) { p.kind().row(p, p.row(y), to) }

// RGB returns the pixels of an image of 8 bits a sample, three bytes each.
func (p Image) RGB() []byte {
	size, _ := p.Channels()
	img := make([]byte, 3*p.Width*p.Height)
	row := make([]byte, size*p.Width)
	for y := range p.Height {
		p.Row(y, row)
		for x := range p.Width {
			pixel := row[x*size:][:size]
			copy(img[3*(y*p.Width+x):], []byte{pixel[0], pixel[min(1, size-1)], pixel[min(2, size-1)]})
		}
	}
	return img
}

func gray8() pictureKind {
	return pictureKind{ext: ".png", bytes: 1, colour: png.Gray, depth: 8, row: func(_ Image, from, to []byte) { copy(to, from) }}
}

func gray16() pictureKind {
	return pictureKind{ext: ".png", bytes: 2, colour: png.Gray, depth: 16, row: func(p Image, from, to []byte) {
		if p.BigEndian { // as PNG has it
			copy(to, from)
			return
		}
		for i := 0; i < len(from); i += 2 {
			to[i], to[i+1] = from[i+1], from[i]
		}
	}}
}

// colour takes the offsets of red, green, blue and, if there is one, alpha in a pixel.
func colour(places ...int) pictureKind {
	size := len(places)
	kind := png.RGB
	if size == 4 {
		kind = png.RGBA
	}
	return pictureKind{ext: ".png", bytes: size, colour: kind, depth: 8, row: func(_ Image, from, to []byte) {
		for i := 0; i < len(from); i += size {
			for j, place := range places {
				to[i+j] = from[i+place]
			}
		}
	}}
}

// yuv takes the offset of luma in two bytes. Two pixels share their chroma.
func yuv(luma int) pictureKind {
	return pictureKind{ext: ".png", bytes: 2, pairs: true, colour: png.RGB, depth: 8, row: func(_ Image, from, to []byte) {
		imagetransport.RowYUV(to, from, luma)
	}}
}

// Of returns a frame's image, with the frame's Data.
func Of(f *camdriver.Frame) Image {
	encoding, ok := frameEncodings[f.Profile.Format]
	if !ok {
		encoding = f.Profile.Format.String()
	}
	return Image{Encoding: encoding, Width: f.Width, Height: f.Height, Stride: f.Stride, Data: f.Data}
}
