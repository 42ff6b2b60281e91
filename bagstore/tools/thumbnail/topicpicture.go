package thumbnail

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	_ "image/png" // of compressed images
	"math"
	"strings"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/msgs/imagetransport"
)

const (
	imageType      = "sensor_msgs/Image"
	compressedType = "sensor_msgs/CompressedImage"

	// triedTopics is how many topics are tried for a colour or grey picture.
	triedTopics = 4
	// largestPicture is how many pixels a compressed image may have.
	largestPicture = 1 << 24
	// largestMessage bounds an image's message, in bytes.
	largestMessage = 64 << 20
)

// HasPictures reports whether messages of a type may have a thumbnail.
func HasPictures(typ string) bool { return typ == imageType || typ == compressedType }

// ofTopics returns a small picture of a recording without a device, from the middle of the
// first topic with images. Depth is taken if there is nothing else.
func ofTopics(bag *bagstore.Bag) (out image.Image) {
	tried := 0
	for _, c := range bag.Connections() {
		if !HasPictures(c.Type) {
			continue
		}
		picture, depth := middlePicture(bag, c)
		if picture != nil && !depth {
			return picture
		}
		if out == nil {
			out = picture
		}
		if tried++; tried == triedTopics {
			break
		}
	}
	return out
}

// middlePicture returns the picture in the middle of the recording, or the last before it;
// nil if it can't be shown. depth says that it is one of distances.
func middlePicture(bag *bagstore.Bag, c *bagstore.Connection) (out image.Image, depth bool) {
	it := bag.View(bagstore.Query{Connections: func(other *bagstore.Connection) bool { return other == c }}).Iterator()
	defer it.Close()
	it.Seek(bag.Start() + (bag.End()-bag.Start())/2)
	if !it.Next() && !it.Prev() || len(it.Message().Data) > largestMessage {
		return nil, false
	}
	decode := compressedPicture
	if c.Type == imageType {
		decode = rawPicture
	}
	out, depth, err := decode(it.Message().Data)
	if err != nil {
		return nil, false
	}
	return out, depth
}

// rawPicture makes a small picture of a sensor_msgs/Image.
func rawPicture(data []byte) (out image.Image, depth bool, err error) {
	d := msgs.NewDecoder(data)
	var head msgs.ImageHead
	head.Decode(d)
	if err := d.Err(); err != nil {
		return nil, false, fmt.Errorf("decode an image of %d bytes: %w", len(data), err)
	}
	rest := d.Rest()
	if uint64(head.DataLen) > uint64(len(rest)) || uint64(head.Step)*uint64(head.Height) > uint64(head.DataLen) {
		return nil, false, fmt.Errorf("%d rows of %d bytes, but there are %d", head.Height, head.Step, len(rest))
	}
	return smaller(imagetransport.Picture{
		Encoding: head.Encoding, Width: int(head.Width), Height: int(head.Height), Step: int(head.Step), BigEndian: head.BigEndian, Data: rest,
	})
}

// compressedPicture makes a small picture of a sensor_msgs/CompressedImage: a JPEG, a PNG,
// or compressed depth.
func compressedPicture(data []byte) (out image.Image, depth bool, err error) {
	d := msgs.NewDecoder(data)
	var h msgs.Header
	h.Decode(d)
	format, body := d.String(), d.Bytes()
	if err := d.Err(); err != nil {
		return nil, false, fmt.Errorf("decode a compressed image of %d bytes: %w", len(data), err)
	}
	if strings.Contains(format, "compressedDepth") {
		p, err := imagetransport.DecompressDepth(format, body)
		if err != nil {
			return nil, false, err
		}
		return smaller(p)
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(body))
	if err != nil {
		return nil, false, fmt.Errorf("decode an image of format %.40q: %w", format, err)
	}
	if size.Width <= 0 || size.Height <= 0 || size.Width > largestPicture/size.Height {
		return nil, false, fmt.Errorf("an image of %dx%d, want %d pixels at most", size.Width, size.Height, largestPicture)
	}
	whole, _, err := image.Decode(bytes.NewReader(body))
	if err != nil {
		return nil, false, fmt.Errorf("decode an image of format %.40q: %w", format, err)
	}
	from := whole.Bounds()
	return sampled(from.Dx(), from.Dy(), func(x, y int) color.Color { return whole.At(from.Min.X+x, from.Min.Y+y) }), false, nil
}

// pixel is how the pixels of an encoding are shown.
type pixel struct {
	size  int // bytes
	depth bool
	color func(p []byte, order binary.ByteOrder) color.Color
}

// of are the pixels of data in rows of step bytes.
func (k pixel) of(data []byte, step int, order binary.ByteOrder) func(x, y int) color.Color {
	return func(x, y int) color.Color { return k.color(data[y*step+x*k.size:][:k.size], order) }
}

func rgb(r, g, b int) func([]byte, binary.ByteOrder) color.Color {
	return func(p []byte, _ binary.ByteOrder) color.Color { return color.NRGBA{p[r], p[g], p[b], 255} }
}

func grey(at int) func([]byte, binary.ByteOrder) color.Color {
	return func(p []byte, _ binary.ByteOrder) color.Color { return color.Gray{p[at]} }
}

// pixels are those of the encodings of sensor_msgs/Image. Colours of Bayer patterns and of
// YUV are left out: a thumbnail is small.
var pixels = map[string]pixel{
	"rgb8": {3, false, rgb(0, 1, 2)}, "rgba8": {4, false, rgb(0, 1, 2)},
	"bgr8": {3, false, rgb(2, 1, 0)}, "bgra8": {4, false, rgb(2, 1, 0)}, "8UC3": {3, false, rgb(2, 1, 0)}, "8UC4": {4, false, rgb(2, 1, 0)},
	"mono8": {1, false, grey(0)}, "8UC1": {1, false, grey(0)},
	"bayer_rggb8": {1, false, grey(0)}, "bayer_bggr8": {1, false, grey(0)}, "bayer_gbrg8": {1, false, grey(0)}, "bayer_grbg8": {1, false, grey(0)},
	"yuv422": {2, false, grey(1)}, "uyvy": {2, false, grey(1)}, "yuv422_yuy2": {2, false, grey(0)}, "yuyv": {2, false, grey(0)},
	"mono16": {2, false, func(p []byte, order binary.ByteOrder) color.Color { return color.Gray16{order.Uint16(p)} }},
	"16UC1":  {2, true, func(p []byte, order binary.ByteOrder) color.Color { return color.Gray{nearness(order.Uint16(p))} }},
	"32FC1": {4, true, func(p []byte, order binary.ByteOrder) color.Color {
		millimetres := 1000 * math.Float32frombits(order.Uint32(p))
		if !(millimetres > 0) {
			return color.Gray{}
		}
		return color.Gray{nearness(uint16(min(millimetres, math.MaxUint16)))}
	}},
}

// smaller makes a small picture of a raw one, whose Data has all rows.
func smaller(p imagetransport.Picture) (out image.Image, depth bool, err error) {
	show, ok := pixels[p.Encoding]
	if !ok {
		return nil, false, fmt.Errorf("an image of encoding %.40q can't be shown", p.Encoding)
	}
	if p.Width <= 0 || p.Height <= 0 || p.Width > p.Step/show.size {
		return nil, false, fmt.Errorf("an image of %dx%d in rows of %d bytes", p.Width, p.Height, p.Step)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if p.BigEndian {
		order = binary.BigEndian
	}
	return sampled(p.Width, p.Height, show.of(p.Data, p.Step, order)), show.depth, nil
}

// sampled has every n-th pixel of a picture, so that it is about width wide, and
// not much higher.
func sampled(w, h int, at func(x, y int) color.Color) image.Image {
	n := max(1, w/width, h/(2*width))
	out := image.NewNRGBA(image.Rect(0, 0, max(1, w/n), max(1, h/n)))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.Set(x, y, at(x*n, y*n))
		}
	}
	return out
}
