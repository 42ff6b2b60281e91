package catalog

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"

	"rsros/bagstore"
	"rsros/msgs/imagetransport"
	"rsros/tools/export"
)

const (
	imageType      = "sensor_msgs/Image"
	compressedType = "sensor_msgs/CompressedImage"

	// triedTopics is the number of topics that are tried for a colour or grey image.
	triedTopics = 4
	// largestMessage bounds an image's message, in bytes.
	largestMessage = 64 << 20
)

// HasImages reports whether messages of a type may have a thumbnail.
func HasImages(typ string) bool { return typ == imageType || typ == compressedType }

// ofTopics returns a thumbnail of a recording without a device, from the middle of the
// first topic with images. Depth is taken if there is nothing else.
func ofTopics(bag *bagstore.Recording) (out image.Image) {
	tried := 0
	for _, c := range bag.Connections() {
		if !HasImages(c.Type) {
			continue
		}
		img, depth := middleImage(bag, c)
		if img != nil && !depth {
			return img
		}
		if out == nil {
			out = img
		}
		if tried++; tried == triedTopics {
			break
		}
	}
	return out
}

// middleImage returns the image in the middle of the recording, or the last before it;
// nil if it can't be shown. depth reports whether it shows distances.
func middleImage(bag *bagstore.Recording, c *bagstore.Connection) (out image.Image, depth bool) {
	it := bag.View(bagstore.Query{Connections: func(other *bagstore.Connection) bool { return other == c }}).Iterator()
	defer it.Close()
	it.Seek(bag.Start() + (bag.End()-bag.Start())/2)
	if !it.Next() && !it.Prev() || len(it.Message().Data) > largestMessage {
		return nil, false
	}
	decode := decodeCompressed
	if c.Type == imageType {
		decode = decodeRaw
	}
	out, depth, err := decode(it.Message().Data)
	if err != nil {
		return nil, false
	}
	return out, depth
}

// decodeRaw makes a thumbnail of a sensor_msgs/Image.
func decodeRaw(data []byte) (out image.Image, depth bool, err error) {
	_, p, err := export.DecodeImage(data)
	if err != nil {
		return nil, false, err
	}
	return smaller(p)
}

// decodeCompressed makes a thumbnail of a sensor_msgs/CompressedImage: a JPEG, a PNG, or compressed depth.
func decodeCompressed(data []byte) (out image.Image, depth bool, err error) {
	_, format, body, err := export.DecodeCompressed(data)
	if err != nil {
		return nil, false, fmt.Errorf("decode a compressed image of %d bytes: %w", len(data), err)
	}
	if strings.Contains(format, "compressedDepth") {
		p, err := imagetransport.DecompressDepth(format, body)
		if err != nil {
			return nil, false, err
		}
		return smaller(export.Image{Image: p})
	}
	whole, err := imagetransport.Decode(body)
	if err != nil {
		return nil, false, fmt.Errorf("decode an image of format %.40q: %w", format, err)
	}
	from := whole.Bounds()
	return sampled(from.Dx(), from.Dy(), func(x, y int) color.Color { return whole.At(from.Min.X+x, from.Min.Y+y) }),
		false, nil
}

// smaller makes a thumbnail of an image that has passed Check. Bayer patterns stay grey.
func smaller(p export.Image) (out image.Image, depth bool, err error) {
	var order binary.ByteOrder = binary.LittleEndian
	if p.BigEndian {
		order = binary.BigEndian
	}
	switch p.Encoding {
	case "16UC1":
		return sampled(p.Width, p.Height,
			func(x, y int) color.Color { return color.Gray{nearness(order.Uint16(p.Data[y*p.Step+2*x:]))} }), true, nil
	case "32FC1":
		return sampled(p.Width, p.Height, func(x, y int) color.Color {
			millimetres := 1000 * math.Float32frombits(order.Uint32(p.Data[y*p.Step+4*x:]))
			if !(millimetres > 0) {
				return color.Gray{}
			}
			return color.Gray{nearness(uint16(min(millimetres, math.MaxUint16)))}
		}), true, nil
	}
	img, ok := p.PNG()
	if !ok {
		return nil, false, fmt.Errorf("encoding %.40q is not supported", p.Encoding)
	}
	size := img.Colour.Channels() * img.Depth / 8
	row, last := make([]byte, size*p.Width), -1
	return sampled(p.Width, p.Height, func(x, y int) color.Color {
		if y != last {
			img.Row(y, row)
			last = y
		}
		switch pixel := row[x*size:]; size {
		case 1:
			return color.Gray{pixel[0]}
		case 2:
			return color.Gray16{binary.BigEndian.Uint16(pixel)}
		default:
			return color.NRGBA{pixel[0], pixel[1], pixel[2], 255}
		}
	}), false, nil
}

// sampled returns every n-th pixel of an image, so that it is about width wide, and not much higher.
func sampled(w, h int, at func(x, y int) color.Color) image.Image {
	n := max(1, w/thumbnailWidth, h/(2*thumbnailWidth))
	out := image.NewNRGBA(image.Rect(0, 0, max(1, w/n), max(1, h/n)))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.Set(x, y, at(x*n, y*n))
		}
	}
	return out
}
