package png

import (
	"fmt"
	"image"
	stdpng "image/png"
	"math/rand/v2"
	"testing"

	"rsros/test/need"
)

// count counts bytes.
type count int

func (c *count) Write(b []byte) (int, error) {
	*c += count(len(b))
	return len(b), nil
}

// buffers keeps one compressor for image/png.
type buffers struct{ b *stdpng.EncoderBuffer }

func (p *buffers) Get() *stdpng.EncoderBuffer  { return p.b }
func (p *buffers) Put(b *stdpng.EncoderBuffer) { p.b = b }

// scene is a slanted plane with noise, as cameras see it: depth in steps of
// millimetres, or brightness.
func scene(i, x, y, noise int, r *rand.Rand) int { return 40*i + x/4 + y/3 + r.IntN(noise) }

// BenchmarkEncode compares with image/png: depth of 848x480 and colours of
// 1280x720 pixels.
func BenchmarkEncode(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	depth := image.NewGray16(image.Rect(0, 0, 848, 480))
	for i := 0; i < len(depth.Pix); i += 2 {
		v := 1000 + scene(0, i/2%848, i/2/848, 4, r)
		depth.Pix[i], depth.Pix[i+1] = byte(v>>8), byte(v)
	}
	colour := image.NewNRGBA(image.Rect(0, 0, 1280, 720))
	rgb := make([]byte, 3*1280*720)
	for i := 0; i < len(colour.Pix); i += 4 {
		for c := range 3 {
			v := byte(min(scene(c, i/4%1280, i/4/1280, 6, r)/4, 255))
			colour.Pix[i+c], rgb[i/4*3+c] = v, v
		}
		colour.Pix[i+3] = 255
	}
	for name, p := range map[string]struct {
		ours    Image
		theirs  image.Image
		samples []byte
	}{
		"Z16":  {Image{Width: 848, Height: 480, Colour: Gray, Depth: 16}, depth, depth.Pix},
		"RGB8": {Image{Width: 1280, Height: 720, Colour: RGB, Depth: 8}, colour, rgb},
	} {
		run := func(encoder string, encode func(*count) error) {
			b.Run(fmt.Sprintf("%s/%s", name, encoder), func(b *testing.B) {
				b.SetBytes(int64(len(p.samples)))
				b.ReportAllocs()
				var size count
				for b.Loop() {
					size = 0
					need.Must(b, encode(&size))
				}
				b.ReportMetric(float64(size), "bytes/picture")
			})
		}
		row := len(p.samples) / p.ours.Height
		p.ours.Row = func(y int, to []byte) { copy(to, p.samples[y*row:]) }
		var e Encoder
		for _, level := range []int{1, 6} {
			p.ours.Level = level
			run(fmt.Sprint("level", level), func(w *count) error { return e.Encode(w, p.ours) })
		}
		for level, word := range map[stdpng.CompressionLevel]string{stdpng.BestSpeed: "std-fast", stdpng.DefaultCompression: "std-default"} {
			std := stdpng.Encoder{CompressionLevel: level, BufferPool: &buffers{}}
			run(word, func(w *count) error { return std.Encode(w, p.theirs) })
		}
	}
}
