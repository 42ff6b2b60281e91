package export

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"sync"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/msgs/imagetransport"
	"rsros/msgs/png"
)

// Image is an image as a message or a frame holds it. Data is borrowed. Encoding is the SDK's name where ROS has none.
type Image struct {
	imagetransport.Image
	Stored bool // Encode doesn't compress a PNG: larger, and faster
}

// cvEncodings are encodings without a meaning, and what cv_bridge takes them for.
var cvEncodings = map[string]string{"8UC3": "bgr8", "8UC4": "bgra8"}

// transportImage returns the image with an encoding that has a meaning.
func (p Image) transportImage() *imagetransport.Image {
	p.Encoding = cmp.Or(cvEncodings[p.Encoding], p.Encoding)
	return &p.Image
}

var frameEncodings = map[camdriver.Format]string{
	camdriver.Z16: "mono16", camdriver.Y16: "mono16", camdriver.RAW16: "mono16", camdriver.Z16H: "mono16",
	camdriver.Y8: "mono8", camdriver.RAW8: "mono8",
	camdriver.RGB8: "rgb8", camdriver.BGR8: "bgr8", camdriver.RGBA8: "rgba8", camdriver.BGRA8: "bgra8",
	camdriver.YUYV: "yuyv", camdriver.UYVY: "uyvy",
}

// Check checks that the data hold the image. Encoding relies on it.
func (p Image) Check() error { return p.transportImage().Check() }

// Ext returns the extension of the file: ".png"; ".pfm" for floats; ".raw" for what no image format
// fits. YUV becomes RGB in a PNG, Bayer patterns stay.
func (p Image) Ext() string {
	if p.Encoding == "32FC1" {
		return ".pfm"
	}
	if _, ok := p.PNG(); ok {
		return ".png"
	}
	return ".raw"
}

// PNG returns the image as a PNG; ok is false for other files. Rows must not be read before Check.
func (p Image) PNG() (_ png.Image, ok bool) { return p.transportImage().PNG() }

// Channels returns the samples of a pixel and their bits in a PNG; 0 for other files.
func (p Image) Channels() (n, bits int) {
	img, ok := p.PNG()
	if !ok {
		return 0, 0
	}
	return img.Colour.Channels(), img.Depth
}

// encoders has a megabyte of tables each.
var encoders = sync.Pool{New: func() any { return new(png.Encoder) }}

// Encode writes the file. The image must have passed Check.
func (p Image) Encode(w io.Writer) error {
	if img, ok := p.PNG(); ok {
		if p.Stored {
			img.Level = png.Stored
		}
		e := encoders.Get().(*png.Encoder)
		defer encoders.Put(e)
		return e.Encode(w, img)
	}
	if p.Ext() == ".pfm" {
		return p.encodePFM(w)
	}
	_, err := w.Write(p.Data)
	return err
}

// encodePFM writes a portable float map: rows from the bottom up, a negative scale for little-endian.
func (p Image) encodePFM(w io.Writer) error {
	scale := -1.0
	if p.BigEndian {
		scale = 1
	}
	buf := bufio.NewWriter(w)
	fmt.Fprintf(buf, "Pf\n%d %d\n%.1f\n", p.Width, p.Height, scale)
	for y := p.Height - 1; y >= 0; y-- {
		if _, err := buf.Write(p.Data[y*p.Step:][:4*p.Width]); err != nil {
			return err
		}
	}
	return buf.Flush()
}

// RGB returns the pixels of an image of 8 bits a sample, three bytes each.
func (p Image) RGB() []byte {
	img, _ := p.PNG()
	size := img.Colour.Channels()
	out := make([]byte, 3*p.Width*p.Height)
	row := make([]byte, size*p.Width)
	for y := range p.Height {
		img.Row(y, row)
		for x := range p.Width {
			pixel := row[x*size:][:size]
			copy(out[3*(y*p.Width+x):], []byte{pixel[0], pixel[min(1, size-1)], pixel[min(2, size-1)]})
		}
	}
	return out
}

// DecodeImage returns the header and the image of a sensor_msgs/Image, which has passed Check. It borrows the pixels.
func DecodeImage(data []byte) (msgs.Header, Image, error) {
	d := msgs.NewDecoder(data)
	var h msgs.ImageHead
	h.Decode(d)
	p := Image{Image: imagetransport.Image{Encoding: h.Encoding, Width: int(h.Width), Height: int(h.Height),
		Step: int(h.Step), BigEndian: h.BigEndian, Data: d.Raw(int(h.DataLen))}}
	return h.Header, p, cmp.Or(d.Err(), p.Check())
}

// DecodeCompressed returns the parts of a sensor_msgs/CompressedImage. It borrows the body.
func DecodeCompressed(data []byte) (h msgs.Header, format string, body []byte, err error) {
	d := msgs.NewDecoder(data)
	h.Decode(d)
	format, body = d.String(), d.Bytes()
	return h, format, body, d.Err()
}

// FrameImage returns a frame's image, with the frame's Data.
func FrameImage(f *camdriver.Frame) Image {
	encoding, ok := frameEncodings[f.Profile.Format]
	if !ok {
		encoding = f.Profile.Format.String()
	}
	return Image{Image: imagetransport.Image{
		Encoding: encoding, Width: f.Width, Height: f.Height, Step: f.Stride, Data: f.Data}}
}
