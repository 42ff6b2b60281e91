package rsbag

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"

	"github.com/klauspost/compress/zstd"

	"rsros/bagstore/internal/memory"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/msgs/imagetransport"
)

// packedImage is an unpacked image in the byte order of cameras: little-endian.
type packedImage struct {
	Width, Height int
	Stride        int // bytes from row to row
	Data          []byte
}

const (
	// No byte of deflate, and none of zstd, stands for more.
	maxDeflate = 1032
	maxZstd    = 1 << 15

	depthHeader = 12 // of compressedDepth, before the PNG
)

// decodePacked decodes the pixels of a sensor_msgs/CompressedImage of librealsense after 2.58: PNG, PNG after a header of
// compressedDepth, or rows in a zstd frame. Allocations are bounded by what the compressed bytes can hold. data is of the
// message's format string. want is the stream's format, for its colour
// order.
func decodePacked(format string, data []byte, want camdriver.Format) (packedImage, error) {
	switch {
	case strings.Contains(format, "; zstd; "):
		return packedRows(format, data)
	case strings.HasSuffix(format, "compressedDepth png"):
		if len(data) < depthHeader {
			return packedImage{}, fmt.Errorf("compressedDepth: %d bytes, want a header of %d", len(data), depthHeader)
		}
		return decodePackedImage(data[depthHeader:], want)
	case strings.Contains(format, "png"):
		return decodePackedImage(data, want)
	}
	return packedImage{}, fmt.Errorf("format %.60q of a compressed image: want PNG or zstd", format)
}

// Decompress returns the pixels of a sensor_msgs/CompressedImage of a camera node.
func Decompress(format string, data []byte) (imagetransport.Image, error) {
	encoding, p, err := decodeNodeImage(format, data)
	return imagetransport.Image{Encoding: encoding, Width: p.Width, Height: p.Height, Step: p.Stride, Data: p.Data}, err
}

// decodeNodeImage decodes the pixels of a camera node's sensor_msgs/CompressedImage: JPEG, PNG, or compressed depth as PNG or
// RVL. Colours become RGB.
func decodeNodeImage(format string, data []byte) (encoding string, p packedImage, err error) {
	if strings.Contains(format, "compressedDepth") {
		img, err := imagetransport.DecompressDepth(format, data)
		return img.Encoding, packedImage{img.Width, img.Height, img.Step, img.Data}, err
	}
	img, err := imagetransport.Decode(data)
	if err != nil {
		return "", p, fmt.Errorf("image of the format %.60q: %w", format, err)
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	switch img := img.(type) {
	case *image.Gray:
		p = newPackedImage(w, h, 1)
		for y := range h {
			copy(p.Data[y*w:], img.Pix[y*img.Stride:][:w])
		}
		return "mono8", p, nil
	case *image.Gray16:
		p = newPackedImage(w, h, 2)
		for i := 0; i+1 < len(p.Data); i += 2 { // a PNG's rows have no padding
			binary.LittleEndian.PutUint16(p.Data[i:], binary.BigEndian.Uint16(img.Pix[i:]))
		}
		return "mono16", p, nil
	case *image.YCbCr:
		p = newPackedImage(w, h, 3)
		for y := range h {
			for x := range w {
				luma, chroma := y*img.YStride+x, img.COffset(x, y)
				to := p.Data[3*(y*w+x):][:3]
				to[0], to[1], to[2] = color.YCbCrToRGB(img.Y[luma], img.Cb[chroma], img.Cr[chroma])
			}
		}
		return "rgb8", p, nil
	case *image.RGBA: // from a PNG without alpha
		p = newPackedImage(w, h, 3)
		colours(p.Data, 3, img.Pix, false)
		return "rgb8", p, nil
	case *image.NRGBA:
		p = newPackedImage(w, h, 4)
		colours(p.Data, 4, img.Pix, false)
		return "rgba8", p, nil
	}
	return "", p, fmt.Errorf("image of the format %.60q: pixels are %T, want grey or colour of 8 bits, or grey of 16", format, img)
}

// compressedImage takes a sensor_msgs/CompressedImage apart.
func compressedImage(d *msgs.Decoder) (head msgs.Header, format string, data []byte, err error) {
	head.Decode(d)
	format, data = d.String(), d.Raw(int(d.U32()))
	return head, format, data, d.Err()
}

// unpackFirst describes the first image of a stream of compressed ones.
func (s *stream) unpackFirst(d *msgs.Decoder) (h msgs.ImageHead, err error) {
	head, format, data, err := compressedImage(d)
	if err != nil {
		return h, err
	}
	encoding, p, err := decodeNodeImage(format, data)
	h = msgs.ImageHead{Header: head, Encoding: encoding, Width: uint32(p.Width), Height: uint32(p.Height)}
	s.first = &h
	return h, err
}

// packedRows unpacks a zstd frame of rows; format ends in "zstd; <W>x<H> step=<stride>".
func packedRows(format string, data []byte) (packedImage, error) {
	var p packedImage
	_, size, _ := strings.Cut(format, "; zstd; ")
	if n, err := fmt.Sscanf(size, "%dx%d step=%d", &p.Width, &p.Height, &p.Stride); n != 3 {
		return p, fmt.Errorf("format %.60q: want a size and step: %w", format, err)
	}
	most := min(int(memory.Most(0)), maxZstd*len(data))
	if p.Width <= 0 || p.Height <= 0 || p.Stride <= 0 || p.Height > most/p.Stride {
		return p, fmt.Errorf("%d rows of %d bytes can't be in %d bytes of zstd", p.Height, p.Stride, len(data))
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return p, err
	}
	defer dec.Close()
	var head zstd.Header
	if err := head.Decode(data); err != nil {
		return p, fmt.Errorf("zstd: %w", err)
	}
	if n := p.Stride * p.Height; head.HasFCS && head.FrameContentSize != uint64(n) {
		return p, fmt.Errorf("zstd: %d bytes, want %d rows of %d", head.FrameContentSize, p.Height, p.Stride)
	}
	p.Data, err = dec.DecodeAll(data, make([]byte, 0, p.Stride*p.Height))
	if err == nil && len(p.Data) != p.Stride*p.Height {
		err = fmt.Errorf("%d bytes, want %d rows of %d", len(p.Data), p.Height, p.Stride)
	}
	if err != nil {
		return p, fmt.Errorf("zstd: %w", err)
	}
	return p, nil
}

// decodePackedImage unpacks a PNG of 1 or 2 bytes grey, or 3 or 4 bytes colour a pixel.
func decodePackedImage(data []byte, want camdriver.Format) (packedImage, error) {
	head, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return packedImage{}, fmt.Errorf("PNG: %w", err)
	}
	size, known := pixelSize[head.ColorModel]
	if !known {
		return packedImage{}, errors.New("PNG: want grey of 8 or 16 bits, or colour of 8")
	}
	most := min(int(memory.Most(0))/size, maxDeflate*len(data))
	if head.Width <= 0 || head.Height <= 0 || head.Height > most/head.Width {
		return packedImage{}, fmt.Errorf("PNG: %dx%d pixels of %d bytes, at most %d fit in %d bytes", head.Width, head.Height, size, most, len(data))
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return packedImage{}, fmt.Errorf("PNG: %w", err)
	}
	swap := want == camdriver.BGR8 || want == camdriver.BGRA8
	switch img := img.(type) {
	case *image.Gray16:
		p := newPackedImage(head.Width, head.Height, 2)
		for i := 0; i+1 < len(p.Data); i += 2 {
			binary.LittleEndian.PutUint16(p.Data[i:], binary.BigEndian.Uint16(img.Pix[i:]))
		}
		return p, nil
	case *image.Gray:
		p := newPackedImage(head.Width, head.Height, 1)
		copy(p.Data, img.Pix)
		return p, nil
	case *image.RGBA: // from a PNG without alpha
		p := newPackedImage(head.Width, head.Height, 3)
		colours(p.Data, 3, img.Pix, swap)
		return p, nil
	case *image.NRGBA:
		p := newPackedImage(head.Width, head.Height, 4)
		colours(p.Data, 4, img.Pix, swap)
		return p, nil
	}
	return packedImage{}, fmt.Errorf("PNG of %T", img) // not of a model in pixelSize
}

// pixelSize has the bytes that a pixel of a PNG takes in memory.
var pixelSize = map[color.Model]int{color.GrayModel: 1, color.Gray16Model: 2, color.RGBAModel: 4, color.NRGBAModel: 4}

func newPackedImage(w, h, pixel int) packedImage {
	return packedImage{Width: w, Height: h, Stride: w * pixel, Data: make([]byte, w*h*pixel)}
}

// colours copies pixels of 4 bytes to pixels of n, with red and blue swapped if asked.
func colours(to []byte, n int, from []byte, swap bool) {
	for i, j := 0, 0; i+n <= len(to) && j+4 <= len(from); i, j = i+n, j+4 {
		copy(to[i:i+n], from[j:])
		if swap {
			to[i], to[i+2] = to[i+2], to[i]
		}
	}
}
