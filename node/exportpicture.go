package node

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"io"

	"rsros/camdriver"
)

// pixels is a picture as a message or a frame holds it. Data is borrowed.
type pixels struct {
	encoding      string // ROS's name; the SDK's where ROS has none
	width, height int
	stride        int // bytes from row to row
	bigEndian     bool
	data          []byte
}

// pictureKind says how an encoding is stored in a file.
type pictureKind struct {
	ext   string // ".png", ".pfm"; everything else is ".raw"
	bytes int    // a pixel
	image func(pixels) image.Image
	pairs bool // two pixels share their colours
}

// pictureKinds are the encodings that a picture file can hold without loss; YUV
// is converted to RGB as cameras mean it.
var pictureKinds = map[string]pictureKind{
	"mono8": {".png", 1, gray, false}, "8UC1": {".png", 1, gray, false},
	"bayer_rggb8": {".png", 1, gray, false}, "bayer_bggr8": {".png", 1, gray, false}, // the sensor's mosaic as it is
	"bayer_gbrg8": {".png", 1, gray, false}, "bayer_grbg8": {".png", 1, gray, false},
	"mono16": {".png", 2, gray16, false}, "16UC1": {".png", 2, gray16, false},
	"rgb8": {".png", 3, colour(0, 1, 2, -1), false}, "bgr8": {".png", 3, colour(2, 1, 0, -1), false}, "8UC3": {".png", 3, colour(2, 1, 0, -1), false},
	"rgba8": {".png", 4, colour(0, 1, 2, 3), false}, "bgra8": {".png", 4, colour(2, 1, 0, 3), false}, "8UC4": {".png", 4, colour(2, 1, 0, 3), false},
	"yuyv": {".png", 2, yuv(0, 1), true}, "yuv422_yuy2": {".png", 2, yuv(0, 1), true},
	"uyvy": {".png", 2, yuv(1, 0), true}, "yuv422": {".png", 2, yuv(1, 0), true},
	"32FC1": {".pfm", 4, nil, false},
}

// frameEncodings are ROS's names of the SDK's formats.
var frameEncodings = map[camdriver.Format]string{
	camdriver.Z16: "mono16", camdriver.Y16: "mono16", camdriver.RAW16: "mono16", camdriver.Z16H: "mono16",
	camdriver.Y8: "mono8", camdriver.RAW8: "mono8",
	camdriver.RGB8: "rgb8", camdriver.BGR8: "bgr8", camdriver.RGBA8: "rgba8", camdriver.BGRA8: "bgra8",
	camdriver.YUYV: "yuyv", camdriver.UYVY: "uyvy",
}

// kind says how the picture is stored: as its bytes where nothing better is known.
func (p pixels) kind() pictureKind {
	k, ok := pictureKinds[p.encoding]
	if !ok || k.pairs && p.width%2 != 0 {
		return pictureKind{ext: ".raw"}
	}
	return k
}

// check looks whether the data hold the picture: what follows relies on it.
func (p pixels) check() error {
	row := p.kind().bytes * p.width
	switch {
	case p.width <= 0 || p.height <= 0 || p.width > 1<<16 || p.height > 1<<16:
		return fmt.Errorf("a picture of %d×%d", p.width, p.height)
	case p.stride < row || p.stride > 1<<24:
		return fmt.Errorf("rows of %d bytes for %d pixels of %s", p.stride, p.width, p.encoding)
	case len(p.data) < p.stride*(p.height-1)+row:
		return fmt.Errorf("%d bytes for %d rows of %d", len(p.data), p.height, p.stride)
	}
	return nil
}

// encode writes the picture, which check has passed.
func (p pixels) encode(w io.Writer) error {
	k := p.kind()
	switch k.ext {
	case ".png":
		buf := bufio.NewWriterSize(w, 64<<10)
		enc := png.Encoder{CompressionLevel: png.BestSpeed}
		if err := enc.Encode(buf, k.image(p)); err != nil {
			return err
		}
		return buf.Flush()
	case ".pfm":
		return p.encodePFM(w)
	}
	_, err := w.Write(p.data)
	return err
}

// encodePFM writes float pixels as a portable float map: rows from the bottom up,
// a negative scale for little-endian.
func (p pixels) encodePFM(w io.Writer) error {
	scale := -1.0
	if p.bigEndian {
		scale = 1
	}
	buf := bufio.NewWriter(w)
	fmt.Fprintf(buf, "Pf\n%d %d\n%.1f\n", p.width, p.height, scale)
	for y := p.height - 1; y >= 0; y-- {
		if _, err := buf.Write(p.data[y*p.stride:][:4*p.width]); err != nil {
			return err
		}
	}
	return buf.Flush()
}

func (p pixels) bounds() image.Rectangle { return image.Rect(0, 0, p.width, p.height) }

func gray(p pixels) image.Image {
	return &image.Gray{Pix: p.data, Stride: p.stride, Rect: p.bounds()}
}

func gray16(p pixels) image.Image {
	if p.bigEndian { // as PNG has it
		return &image.Gray16{Pix: p.data, Stride: p.stride, Rect: p.bounds()}
	}
	out := image.NewGray16(p.bounds())
	for y := range p.height {
		from, to := p.data[y*p.stride:][:2*p.width], out.Pix[y*out.Stride:]
		for i := 0; i < len(from); i += 2 {
			binary.BigEndian.PutUint16(to[i:], binary.LittleEndian.Uint16(from[i:]))
		}
	}
	return out
}

// colour takes the places of red, green, blue and alpha in a pixel; alpha below
// 0 is opaque, and the file has none.
func colour(r, g, b, a int) func(pixels) image.Image {
	size := 3
	if a >= 0 {
		size = 4
	}
	return func(p pixels) image.Image {
		out := image.NewNRGBA(p.bounds())
		for y := range p.height {
			from, to := p.data[y*p.stride:][:size*p.width], out.Pix[y*out.Stride:]
			for i, j := 0, 0; i < len(from); i, j = i+size, j+4 {
				to[j], to[j+1], to[j+2], to[j+3] = from[i+r], from[i+g], from[i+b], 0xff
				if a >= 0 {
					to[j+3] = from[i+a]
				}
			}
		}
		return out
	}
}

// yuv takes the places of brightness and colour in two bytes; two pixels share
// their colours.
func yuv(luma, chroma int) func(pixels) image.Image {
	return func(p pixels) image.Image {
		out := image.NewNRGBA(p.bounds())
		for y := range p.height {
			from, to := p.data[y*p.stride:][:2*p.width], out.Pix[y*out.Stride:]
			for x := range p.width {
				pair := from[x/2*4:][:4]
				to[4*x], to[4*x+1], to[4*x+2] = rgbOf(from[2*x+luma], pair[chroma], pair[chroma+2])
				to[4*x+3] = 0xff
			}
		}
		return out
	}
}

// rgbOf converts BT.601 with the limited range that cameras send.
func rgbOf(y, u, v byte) (r, g, b byte) {
	c, d, e := 298*(int(y)-16), int(u)-128, int(v)-128
	clip := func(x int) byte { return byte(min(max((x+128)>>8, 0), 255)) }
	return clip(c + 409*e), clip(c - 100*d - 208*e), clip(c + 516*d)
}
