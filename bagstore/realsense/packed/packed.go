// Package packed decodes the compressed images of recordings: those of librealsense since 2.58, and those of a camera
// node (sensor_msgs/CompressedImage). Allocations are bounded by what the compressed bytes can hold.
package packed

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
	"rsros/msgs/imagetransport"
)

const (
	maxDeflate  = 1032 // no byte of deflate stands for more
	depthHeader = 12   // of compressedDepth, before the PNG
)

// Decode returns the pixels of a message of librealsense: PNG, PNG after a header of compressedDepth, or rows in a zstd
// frame, which the message's format tells apart. They are in the byte order of cameras, little-endian, and in the order
// of colours of want, the stream's format; the image has no encoding.
func Decode(format string, data []byte, want camdriver.Format) (imagetransport.Image, error) {
	switch {
	case strings.Contains(format, "; zstd; "):
		return decodeRows(format, data)
	case strings.HasSuffix(format, "compressedDepth png"):
		if len(data) < depthHeader {
			return imagetransport.Image{}, fmt.Errorf("compressedDepth: %d bytes, want a header of %d", len(data), depthHeader)
		}
		return decodePNG(data[depthHeader:], want)
	case strings.Contains(format, "png"):
		return decodePNG(data, want)
	}
	return imagetransport.Image{}, fmt.Errorf("format %.60q of a compressed image: want PNG or zstd", format)
}

// DecodeNode returns the pixels of a camera node's message: JPEG, PNG, or compressed depth as PNG or RVL,
// little-endian. Colours become RGB.
func DecodeNode(format string, data []byte) (p imagetransport.Image, err error) {
	if strings.Contains(format, "compressedDepth") {
		return imagetransport.DecompressDepth(format, data)
	}
	img, err := imagetransport.Decode(data)
	if err != nil {
		return p, fmt.Errorf("image of the format %.60q: %w", format, err)
	}
	p, ok := pixels(img, false)
	if !ok {
		return p, fmt.Errorf("image of the format %.60q: pixels are %T, want grey or colour of 8 bits, or grey of 16",
			format, img)
	}
	return p, nil
}

// pixels copies an image's pixels, little-endian, of colours with red and blue swapped if asked. ok is false if it has
// none of 1 or 2 bytes grey, or 3 or 4 bytes colour.
func pixels(img image.Image, swap bool) (p imagetransport.Image, ok bool) {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	switch img := img.(type) {
	case *image.Gray:
		p = newImage(w, h, 1, "mono8")
		for y := range h {
			copy(p.Data[y*w:], img.Pix[y*img.Stride:][:w])
		}
	case *image.Gray16:
		p = newImage(w, h, 2, "mono16")
		for i := 0; i+1 < len(p.Data); i += 2 { // a PNG's rows have no padding
			binary.LittleEndian.PutUint16(p.Data[i:], binary.BigEndian.Uint16(img.Pix[i:]))
		}
	case *image.YCbCr:
		p = newImage(w, h, 3, "rgb8")
		for y := range h {
			for x := range w {
				luma, chroma := y*img.YStride+x, img.COffset(x, y)
				to := p.Data[3*(y*w+x):][:3]
				to[0], to[1], to[2] = color.YCbCrToRGB(img.Y[luma], img.Cb[chroma], img.Cr[chroma])
			}
		}
	case *image.RGBA: // from a PNG without alpha
		p = newImage(w, h, 3, "rgb8")
		colours(p.Data, 3, img.Pix, swap)
	case *image.NRGBA:
		p = newImage(w, h, 4, "rgba8")
		colours(p.Data, 4, img.Pix, swap)
	default:
		return p, false
	}
	return p, true
}

// decodeRows unpacks a zstd frame of rows; format ends in "zstd; <W>x<H> step=<stride>".
func decodeRows(format string, data []byte) (imagetransport.Image, error) {
	var p imagetransport.Image
	_, size, _ := strings.Cut(format, "; zstd; ")
	if n, err := fmt.Sscanf(size, "%dx%d step=%d", &p.Width, &p.Height, &p.Step); n != 3 {
		return p, fmt.Errorf("format %.60q: want a size and step: %w", format, err)
	}
	most := min(int(memory.Most(0)), memory.ZstdRatio*len(data))
	if p.Width <= 0 || p.Height <= 0 || p.Step <= 0 || p.Height > most/p.Step {
		return p, fmt.Errorf("%d rows of %d bytes can't be in %d bytes of zstd", p.Height, p.Step, len(data))
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
	if n := p.Step * p.Height; head.HasFCS && head.FrameContentSize != uint64(n) {
		return p, fmt.Errorf("zstd: %d bytes, want %d rows of %d", head.FrameContentSize, p.Height, p.Step)
	}
	p.Data, err = dec.DecodeAll(data, make([]byte, 0, p.Step*p.Height))
	if err == nil && len(p.Data) != p.Step*p.Height {
		err = fmt.Errorf("%d bytes, want %d rows of %d", len(p.Data), p.Height, p.Step)
	}
	if err != nil {
		return p, fmt.Errorf("zstd: %w", err)
	}
	return p, nil
}

// decodePNG unpacks a PNG of 1 or 2 bytes grey, or 3 or 4 bytes colour a pixel.
func decodePNG(data []byte, want camdriver.Format) (imagetransport.Image, error) {
	head, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return imagetransport.Image{}, fmt.Errorf("PNG: %w", err)
	}
	size, known := pixelSize[head.ColorModel]
	if !known {
		return imagetransport.Image{}, errors.New("PNG: want grey of 8 or 16 bits, or colour of 8")
	}
	most := min(int(memory.Most(0))/size, maxDeflate*len(data))
	if head.Width <= 0 || head.Height <= 0 || head.Height > most/head.Width {
		return imagetransport.Image{}, fmt.Errorf("PNG: %dx%d pixels of %d bytes, at most %d fit in %d bytes", head.Width,
			head.Height, size, most, len(data))
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return imagetransport.Image{}, fmt.Errorf("PNG: %w", err)
	}
	p, ok := pixels(img, want == camdriver.BGR8 || want == camdriver.BGRA8)
	if !ok {
		return p, fmt.Errorf("PNG of %T", img) // not of a model in pixelSize
	}
	p.Encoding = ""
	return p, nil
}

// pixelSize has the bytes that a pixel of a PNG takes in memory.
var pixelSize = map[color.Model]int{color.GrayModel: 1, color.Gray16Model: 2, color.RGBAModel: 4, color.NRGBAModel: 4}

func newImage(w, h, pixel int, encoding string) imagetransport.Image {
	return imagetransport.Image{Width: w, Height: h, Step: w * pixel, Encoding: encoding, Data: make([]byte, w*h*pixel)}
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
