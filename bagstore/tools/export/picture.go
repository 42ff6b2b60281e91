package export

import (
	"bufio"
	"fmt"
	"io"

	"rsros/camdriver"
	"rsros/msgs/png"
)

// pixels is a picture as a message or a frame holds it. Data is borrowed.
type pixels struct {
	encoding      string // ROS's name; the SDK's where ROS has none
	width, height int
	stride        int // bytes from row to row
	bigEndian     bool
	data          []byte
}

type pictureKind struct {
	ext    string     // ".png", ".pfm"; everything else is ".raw"
	bytes  int        // a pixel in the bag
	pairs  bool       // two pixels share their colours
	colour png.Colour // of the PNG
	depth  int        // bits a sample of the PNG
	// row makes a row of the PNG: samples in the order red, green, blue, alpha.
	row func(p pixels, from, to []byte)
}

// pictureKinds are the encodings that an image file can hold without loss. YUV is converted to RGB,
// Bayer patterns aren't.
var pictureKinds = map[string]pictureKind{
	"mono8": gray8(), "8UC1": gray8(), "bayer_rggb8": gray8(), "bayer_bggr8": gray8(), "bayer_gbrg8": gray8(), "bayer_grbg8": gray8(),
	"mono16": gray16(), "16UC1": gray16(),
	"rgb8": colour(0, 1, 2), "bgr8": colour(2, 1, 0), "8UC3": colour(2, 1, 0),
	"rgba8": colour(0, 1, 2, 3), "bgra8": colour(2, 1, 0, 3), "8UC4": colour(2, 1, 0, 3),
	"yuyv": yuv(0, 1), "yuv422_yuy2": yuv(0, 1), "uyvy": yuv(1, 0), "yuv422": yuv(1, 0),
	"32FC1": {ext: ".pfm", bytes: 4},
}

var frameEncodings = map[camdriver.Format]string{
	camdriver.Z16: "mono16", camdriver.Y16: "mono16", camdriver.RAW16: "mono16", camdriver.Z16H: "mono16",
	camdriver.Y8: "mono8", camdriver.RAW8: "mono8",
	camdriver.RGB8: "rgb8", camdriver.BGR8: "bgr8", camdriver.RGBA8: "rgba8", camdriver.BGRA8: "bgra8",
	camdriver.YUYV: "yuyv", camdriver.UYVY: "uyvy",
}

// kind says how the picture is stored; as raw bytes if no picture format fits.
func (p pixels) kind() pictureKind {
	k, ok := pictureKinds[p.encoding]
	if !ok || k.pairs && p.width%2 != 0 {
		return pictureKind{ext: ".raw"}
	}
	return k
}

// check checks that the data hold the picture. Encoding relies on it.
func (p pixels) check() error {
	row := p.kind().bytes * p.width
	switch {
	case p.width <= 0 || p.height <= 0 || p.width > 1<<16 || p.height > 1<<16:
		return fmt.Errorf("picture of %d×%d", p.width, p.height)
	case p.stride < row || p.stride > 1<<24:
		return fmt.Errorf("rows of %d bytes for %d pixels of %s", p.stride, p.width, p.encoding)
	case len(p.data) < p.stride*(p.height-1)+row:
		return fmt.Errorf("%d bytes for %d rows of %d", len(p.data), p.height, p.stride)
	}
	return nil
}

func (p pixels) encode(w io.Writer) error {
	switch k := p.kind(); k.ext {
	case ".png":
		var e png.Encoder
		return e.Encode(w, png.Picture{
			Width: p.width, Height: p.height, Colour: k.colour, Depth: k.depth,
			Row: func(y int, to []byte) { k.row(p, p.row(y), to) },
		})
	case ".pfm":
		return p.encodePFM(w)
	}
	_, err := w.Write(p.data)
	return err
}

func (p pixels) row(y int) []byte { return p.data[y*p.stride:][:p.kind().bytes*p.width] }

// encodePFM writes a portable float map: rows from the bottom up, a negative scale for
// little-endian.
func (p pixels) encodePFM(w io.Writer) error {
	scale := -1.0
	if p.bigEndian {
		scale = 1
	}
	buf := bufio.NewWriter(w)
	fmt.Fprintf(buf, "Pf\n%d %d\n%.1f\n", p.width, p.height, scale)
	for y := p.height - 1; y >= 0; y-- {
		if _, err := buf.Write(p.row(y)); err != nil {
			return err
		}
	}
	return buf.Flush()
}

func gray8() pictureKind {
	return pictureKind{ext: ".png", bytes: 1, colour: png.Gray, depth: 8, row: func(_ pixels, from, to []byte) { copy(to, from) }}
}

func gray16() pictureKind {
	return pictureKind{ext: ".png", bytes: 2, colour: png.Gray, depth: 16, row: func(p pixels, from, to []byte) {
		if p.bigEndian { // as PNG has it
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
	return pictureKind{ext: ".png", bytes: size, colour: kind, depth: 8, row: func(_ pixels, from, to []byte) {
		for i := 0; i < len(from); i += size {
			for j, place := range places {
				to[i+j] = from[i+place]
			}
		}
	}}
}

// yuv takes the offsets of luma and chroma in two bytes. Two pixels share their chroma.
func yuv(luma, chroma int) pictureKind {
	return pictureKind{ext: ".png", bytes: 2, pairs: true, colour: png.RGB, depth: 8, row: func(_ pixels, from, to []byte) {
		for i, j := 0, 0; i < len(from); i, j = i+4, j+6 {
			u, v := from[i+chroma], from[i+chroma+2]
			to[j], to[j+1], to[j+2] = rgbOf(from[i+luma], u, v)
			to[j+3], to[j+4], to[j+5] = rgbOf(from[i+luma+2], u, v)
		}
	}}
}

// rgbOf converts BT.601 with the limited range that cameras send.
func rgbOf(y, u, v byte) (r, g, b byte) {
	c, d, e := 298*(int(y)-16), int(u)-128, int(v)-128
	clip := func(x int) byte { return byte(min(max((x+128)>>8, 0), 255)) }
	return clip(c + 409*e), clip(c - 100*d - 208*e), clip(c + 516*d)
}
