package imagetransport

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	stdpng "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"rsros/test/need"
)

// colours returns an image with smooth colours and padded rows.
func colours(encoding string, w, h int) Image {
	l, _ := layoutOf(encoding)
	p := Image{Encoding: encoding, Width: w, Height: h, Step: l.pixel*w + 4}
	p.Data = make([]byte, p.Step*h)
	for y := range h {
		for x := range w {
			px := p.Data[y*p.Step+x*l.pixel:][:l.pixel]
			r, g, b := colourAt(x, y)
			switch {
			case l.yuv: // r, g, b of the first pixel of a pair
				r, g, b = colourAt(x&^1, y)
				luma := (66*int(r) + 129*int(g) + 25*int(b) + 128) >> 8
				u, v := (-38*int(r)-74*int(g)+112*int(b)+128)>>8, (112*int(r)-94*int(g)-18*int(b)+128)>>8
				px[l.rgb[0]], px[1-l.rgb[0]] = byte(luma+16), byte([]int{u, v}[x%2]+128)
			case l.colour():
				px[l.rgb[0]], px[l.rgb[1]], px[l.rgb[2]] = r, g, b
			case l.bits == 16:
				px[0], px[1] = byte(x), byte(y)
			default:
				px[0] = g
			}
		}
	}
	return p
}

func colourAt(x, y int) (r, g, b byte) { return byte(40 + 3*x), byte(200 - 2*y), byte(60 + x + y) }

// near reports whether two samples differ by at most slack.
func near(a, b uint32, slack int) bool { d := int(a>>8) - int(b>>8); return d <= slack && -d <= slack }

var compressedCases = []struct {
	encoding, format string
	want             string // the message's format
	slack            int    // of a decoded sample
}{
	{"rgb8", JPEG, "rgb8; jpeg compressed bgr8", 10},
	{"bgr8", JPEG, "bgr8; jpeg compressed bgr8", 10},
	{"rgba8", JPEG, "rgba8; jpeg compressed bgr8", 10},
	{"bgra8", JPEG, "bgra8; jpeg compressed bgr8", 10},
	{"yuv422_yuy2", JPEG, "rgb8; jpeg compressed bgr8", 14},
	{"uyvy", JPEG, "rgb8; jpeg compressed bgr8", 14},
	{"mono8", JPEG, "mono8; jpeg compressed ", 4},
	{"16UC1", JPEG, "16UC1; png compressed ", 0},
	{"rgb8", PNG, "rgb8; png compressed bgr8", 0},
	{"bgr8", PNG, "bgr8; png compressed bgr8", 0},
	{"bgra8", PNG, "bgra8; png compressed bgr8", 0},
	{"yuyv", PNG, "rgb8; png compressed bgr8", 6},
	{"mono8", PNG, "mono8; png compressed ", 0},
	{"mono16", PNG, "mono16; png compressed ", 0},
	{"16UC1", PNG, "16UC1; png compressed ", 0},
	{"bayer_rggb8", PNG, "bayer_rggb8; png compressed ", 0},
}

func TestCompress(t *testing.T) {
	var e Encoder
	for _, c := range compressedCases {
		for _, size := range [][2]int{{48, 32}, {50, 17}, {2, 1}} {
			t.Run(fmt.Sprintf("%s %s %v", c.encoding, c.format, size), func(t *testing.T) {
				p := colours(c.encoding, size[0], size[1])
				format, data, err := e.Compress([]byte("head"), p, Options{Format: c.format, JPEGQuality: 95, PNGLevel: 6})
				if err != nil || format != c.want {
					t.Fatalf("format %q (%v), want %q", format, err, c.want)
				}
				if !bytes.HasPrefix(data, []byte("head")) {
					t.Fatal("Compress overwrote the buffer")
				}
				wantImage(t, data[4:], p, c.slack)
			})
		}
	}
}

func wantImage(t *testing.T, data []byte, p Image, slack int) {
	t.Helper()
	m, kind, err := image.Decode(bytes.NewReader(data))
	need.Must(t, err)
	if m.Bounds() != image.Rect(0, 0, p.Width, p.Height) {
		t.Fatalf("%s has bounds %v, want %dx%d", kind, m.Bounds(), p.Width, p.Height)
	}
	l, _ := layoutOf(p.Encoding)
	for y := range p.Height {
		for x := range p.Width {
			r, g, b, _ := m.At(x, y).RGBA()
			wr, wg, wb := colourAt(x, y)
			if l.yuv {
				wr, wg, wb = colourAt(x&^1, y)
			}
			switch {
			case l.bits == 16:
				if want := uint32(x | y<<8); g != want {
					t.Fatalf("%d,%d is %d, want %d", x, y, g, want)
				}
			case !l.colour():
				wr, wb = wg, wg
				fallthrough
			default:
				if !near(r, uint32(wr)<<8, slack) || !near(g, uint32(wg)<<8, slack) || !near(b, uint32(wb)<<8, slack) {
					t.Fatalf("%d,%d is %d %d %d, want %d %d %d", x, y, r>>8, g>>8, b>>8, wr, wg, wb)
				}
			}
		}
	}
}

func TestCompressRefuses(t *testing.T) {
	var e Encoder
	good := colours("rgb8", 4, 4)
	for name, change := range map[string]func(p *Image, o *Options){
		"an unknown encoding": func(p *Image, _ *Options) { p.Encoding = "64FC1" },
		"float pixels":        func(p *Image, _ *Options) { p.Encoding, p.Width = "32FC1", 3 },
		"no rows":             func(p *Image, _ *Options) { p.Height = 0 },
		"too wide for JPEG":   func(p *Image, _ *Options) { p.Width = 1 << 16 },
		"short rows":          func(p *Image, _ *Options) { p.Step = 11 },
		"short data":          func(p *Image, _ *Options) { p.Data = p.Data[:len(p.Data)-5] },
		"more than 32 bits":   func(p *Image, _ *Options) { p.Step, p.Height = 1<<24, 1<<15+1 },
		"half a YUV pair":     func(p *Image, _ *Options) { p.Encoding, p.Width = "yuyv", 3 },
		"an unknown format":   func(_ *Image, o *Options) { o.Format = "theora" },
	} {
		t.Run(name, func(t *testing.T) {
			p, o := good, DefaultOptions("rgb8")
			change(&p, &o)
			if _, data, err := e.Compress([]byte{7}, p, o); err == nil || len(data) != 1 {
				t.Errorf("%d bytes, error %v", len(data), err)
			}
		})
	}
}

// Pillow uses libjpeg-turbo and libpng, like ROS's subscribers.
func TestPillowReads(t *testing.T) {
	python := need.Python(t, "PIL")
	var e Encoder
	dir := t.TempDir()
	for i, c := range compressedCases {
		p := colours(c.encoding, 50, 34)
		_, data, err := e.Compress(nil, p, Options{Format: c.format, JPEGQuality: 95, PNGLevel: 1})
		need.Must(t, err)
		name := filepath.Join(dir, fmt.Sprint(i))
		need.Must(t, os.WriteFile(name, data, 0o600))
		out, err := exec.Command(python, "-c", `
import sys
from PIL import Image
m = Image.open(sys.argv[1]); m.load()
m.save(sys.argv[1] + ".png")`, name).CombinedOutput()
		if err != nil {
			t.Fatalf("%s as %s: %v\n%s", c.encoding, c.format, err, out)
		}
		read, err := os.ReadFile(name + ".png")
		need.Must(t, err)
		wantImage(t, read, p, c.slack)
	}
}

func TestCompressAllocatesNothingLarge(t *testing.T) {
	var e Encoder
	p := colours("rgb8", 320, 240)
	var buf []byte
	perRun := testing.AllocsPerRun(10, func() {
		_, data, err := e.Compress(buf[:0], p, DefaultOptions("rgb8"))
		need.Must(t, err)
		buf = data
	})
	if perRun > 8 {
		t.Errorf("%v allocations per image", perRun)
	}
}

func BenchmarkCompress(b *testing.B) {
	for _, c := range []struct{ encoding, format string }{{"rgb8", JPEG}, {"mono8", JPEG}, {"16UC1", PNG}} {
		b.Run(c.encoding+" "+c.format, func(b *testing.B) {
			var e Encoder
			p := colours(c.encoding, 1280, 720)
			if c.encoding == "16UC1" {
				p = Image{Encoding: "16UC1", Width: 1280, Height: 720, Step: 2560, Data: noisyDepth(1280, 720)}
			}
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				_, buf, _ = e.Compress(buf[:0], p, Options{Format: c.format, JPEGQuality: 80, PNGLevel: 1})
			}
		})
	}
}

var _ = []any{jpeg.Decode, stdpng.Decode} // their imports register the formats
