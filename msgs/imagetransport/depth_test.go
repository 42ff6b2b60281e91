package imagetransport

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"rsros/test/need"
)

func depthImage(encoding string, w, h int, data []byte) Image {
	l, _ := layoutOf(encoding)
	return Image{Encoding: encoding, Width: w, Height: h, Step: l.pixel * w, Data: data}
}

func TestDepthWithoutLoss(t *testing.T) {
	var e Encoder
	pixels := noisyDepth(64, 40)
	copy(pixels, words(65535, 10001, 1, 0))
	for _, encoding := range []string{"16UC1", "mono16"} {
		for _, format := range []string{PNG, RVL} {
			t.Run(encoding+" "+format, func(t *testing.T) {
				o := DefaultDepthOptions(encoding)
				o.Format = format
				text, data, err := e.CompressDepth([]byte("x"), depthImage(encoding, 64, 40, pixels), o)
				if want := encoding + "; compressedDepth " + format; err != nil || text != want {
					t.Fatalf("format %q (%v), want %q", text, err, want)
				}
				if !bytes.Equal(data[:1+headSize], append([]byte("x"), make([]byte, headSize)...)) {
					t.Errorf("head %x", data[:1+headSize])
				}
				got, err := DecompressDepth(text, data[1:])
				if err != nil || got.Width != 64 || got.Height != 40 || got.Encoding != encoding || !bytes.Equal(got.Data, pixels) {
					t.Errorf("decompressed %dx%d %s with %d bytes (%v)", got.Width, got.Height, got.Encoding, len(got.Data), err)
				}
			})
		}
	}
}

// Unlike in the plugin, the default DepthMax doesn't limit 16-bit depth.
func TestDepthMax(t *testing.T) {
	var e Encoder
	p := depthImage("16UC1", 5, 1, words(9999, 10000, 10001, 65535, 0))
	for _, c := range []struct {
		max, units float64
		want       []byte
	}{
		{10, 0.001, words(9999, 10000, 0, 0, 0)},
		{1, 0.0001, words(9999, 10000, 0, 0, 0)},
		{10, 0, words(9999, 10000, 0, 0, 0)},
		{65.534, 0.001, words(9999, 10000, 10001, 0, 0)},
		{65.535, 0.001, p.Data},
		{MaxDepthMax, 0.001, p.Data},
	} {
		text, data, err := e.CompressDepth(nil, p, Options{Format: RVL, DepthMax: c.max, Units: c.units})
		need.Must(t, err)
		if got, err := DecompressDepth(text, data); err != nil || !bytes.Equal(got.Data, c.want) {
			t.Errorf("DepthMax %v m, units %v: got %v (%v), want %v", c.max, c.units, got.Data, err, c.want)
		}
	}
}

func TestDepthRowsWithPaddingAndBigEndian(t *testing.T) {
	var e Encoder
	p := Image{Encoding: "16UC1", Width: 2, Height: 2, Step: 6, Data: []byte{1, 2, 3, 4, 99, 99, 5, 6, 7, 8}}
	for _, big := range []bool{false, true} {
		p.BigEndian = big
		want := []byte{1, 2, 3, 4, 5, 6, 7, 8}
		if big {
			want = []byte{2, 1, 4, 3, 6, 5, 8, 7}
		}
		text, data, err := e.CompressDepth(nil, p, DefaultDepthOptions("16UC1"))
		need.Must(t, err)
		if got, err := DecompressDepth(text, data); err != nil || !bytes.Equal(got.Data, want) {
			t.Errorf("big-endian %v: %v (%v), want %v", big, got.Data, err, want)
		}
	}
}

func floats(values ...float64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	return b
}

// The inverse of float depth is quantized. The error is at most half a step of depth²/a.
func TestInverseDepth(t *testing.T) {
	var e Encoder
	in := []float64{0.5, 1, 2.5, 9.99, 10, 1e9, 0, -1, math.NaN(), math.Inf(1), 0.17}
	for _, format := range []string{PNG, RVL} {
		o := DefaultDepthOptions("32FC1")
		o.Format = format
		text, data, err := e.CompressDepth(nil, depthImage("32FC1", len(in), 1, floats(in...)), o)
		if want := "32FC1; compressedDepth " + format; err != nil || text != want {
			t.Fatalf("format %q (%v), want %q", text, err, want)
		}
		if head := floats(100*101, 1-100*101/10.); !bytes.Equal(data[4:headSize], head) {
			t.Errorf("quantization %x, want %x", data[4:headSize], head)
		}
		got, err := DecompressDepth(text, data)
		need.Must(t, err)
		for i, want := range in {
			v := float64(math.Float32frombits(binary.LittleEndian.Uint32(got.Data[4*i:])))
			visible := want > 0 && want < 10
			if visible && math.Abs(v-want) > want*want/(100*101) || !visible && !math.IsNaN(v) {
				t.Errorf("%s: %v became %v", format, want, v)
			}
		}
	}
}

func TestCompressDepthRefuses(t *testing.T) {
	var e Encoder
	for _, encoding := range []string{"rgb8", "mono8", "yuyv", "rgba8"} {
		p := colours(encoding, 4, 4)
		if _, _, err := e.CompressDepth(nil, p, DefaultDepthOptions(encoding)); err == nil {
			t.Errorf("CompressDepth accepted %s", encoding)
		}
	}
	p := depthImage("16UC1", 1, 1, words(1))
	if _, _, err := e.CompressDepth(nil, p, Options{Format: JPEG}); err == nil {
		t.Error("CompressDepth accepted JPEG")
	}
}

func FuzzDecompressDepth(f *testing.F) {
	var e Encoder
	for _, encoding := range []string{"16UC1", "32FC1"} {
		for _, format := range []string{PNG, RVL} {
			data := words(5, 0, 7, 7, 0, 9, 1, 2)
			if encoding == "32FC1" {
				data = floats(1, 2, 0, 4, 5, 6, 7, 8)
			}
			text, out, err := e.CompressDepth(nil, depthImage(encoding, 4, 2, data), Options{Format: format, DepthMax: 10, Quantization: 100})
			need.Must(f, err)
			f.Add(text, out)
			f.Add(text, out[:len(out)-3])
		}
	}
	f.Add("16UC1; compressedDepth rvl", append(make([]byte, headSize), 0xff, 0xff, 0, 0, 0xff, 0xff, 0, 0))
	f.Fuzz(func(t *testing.T, format string, data []byte) {
		p, err := DecompressDepth(format, data)
		if err == nil {
			if _, err := p.check(); err != nil {
				t.Errorf("decompressed an invalid image: %v", err)
			}
		}
	})
}

func BenchmarkCompressDepth(b *testing.B) {
	p := depthImage("16UC1", 1280, 720, noisyDepth(1280, 720))
	for _, o := range []Options{{Format: RVL}, {Format: RVL, DepthMax: 10}, {Format: PNG, PNGLevel: 1}} {
		b.Run(fmt.Sprint(o.Format, o.DepthMax), func(b *testing.B) {
			var e Encoder
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				_, buf, _ = e.CompressDepth(buf[:0], p, o)
			}
		})
	}
}
