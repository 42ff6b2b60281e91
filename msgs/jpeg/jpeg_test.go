package jpeg

import (
	"bytes"
	"image"
	stdjpeg "image/jpeg"
	"math"
	"math/rand/v2"
	"testing"

	"rsros/test/need"
)

// scene draws surfaces, edges and noise.
func scene(p *Planes, r *rand.Rand) {
	paint := func(plane []byte, width, height, stride int) {
		level, rise := r.Float64()*255, r.Float64()*4-2
		noise := 1 + r.IntN(40)
		for y := range height {
			for x := range width {
				if r.IntN(200) == 0 {
					level = r.Float64() * 255
				}
				v := level + rise*float64(x-y) + float64(r.IntN(noise))
				plane[y*stride+x] = byte(min(max(v, 0), 255))
			}
		}
	}
	paint(p.Y, p.Width, p.Height, p.Stride)
	if !p.Grey {
		paint(p.Cb, (p.Width+1)/2, (p.Height+1)/2, p.ColourStride)
		paint(p.Cr, (p.Width+1)/2, (p.Height+1)/2, p.ColourStride)
	}
}

// image returns the planes as an image of the standard library.
func (p *Planes) image() image.Image {
	frame := image.Rect(0, 0, p.Width, p.Height)
	if p.Grey {
		return &image.Gray{Pix: bytes.Clone(p.Y), Stride: p.Stride, Rect: frame}
	}
	return &image.YCbCr{Y: bytes.Clone(p.Y), Cb: bytes.Clone(p.Cb), Cr: bytes.Clone(p.Cr),
		YStride: p.Stride, CStride: p.ColourStride, SubsampleRatio: image.YCbCrSubsampleRatio420, Rect: frame}
}

// away returns the mean squared difference of n samples.
func away(t *testing.T, a image.Image, file []byte) (mean float64, n int) {
	t.Helper()
	b, err := stdjpeg.Decode(bytes.NewReader(file))
	need.Must(t, err)
	if a.Bounds() != b.Bounds() {
		t.Fatalf("size %v, want %v", b.Bounds(), a.Bounds())
	}
	sum := 0.0
	plane := func(a, b []byte, width, height, aStride, bStride int) {
		for y := range height {
			for x := range width {
				d := float64(a[y*aStride+x]) - float64(b[y*bStride+x])
				sum += d * d
				n++
			}
		}
	}
	w, h := a.Bounds().Dx(), a.Bounds().Dy()
	switch a := a.(type) {
	case *image.Gray:
		plane(a.Pix, b.(*image.Gray).Pix, w, h, a.Stride, b.(*image.Gray).Stride)
	case *image.YCbCr:
		c := b.(*image.YCbCr)
		if c.SubsampleRatio != image.YCbCrSubsampleRatio420 {
			t.Fatalf("colours are %v", c.SubsampleRatio)
		}
		plane(a.Y, c.Y, w, h, a.YStride, c.YStride)
		plane(a.Cb, c.Cb, (w+1)/2, (h+1)/2, a.CStride, c.CStride)
		plane(a.Cr, c.Cr, (w+1)/2, (h+1)/2, a.CStride, c.CStride)
	}
	return sum / float64(n), n
}

// FuzzEncode decodes images of any size with the standard library and compares quality and
// file size with its encoder.
func FuzzEncode(f *testing.F) {
	for i := range uint64(40) {
		f.Add(i, uint8(3*i+1), uint8(i*i+1), uint8([]int{1, 30, 50, 80, 95, 100}[i%6]), i%3 == 0)
	}
	var e Encoder
	f.Fuzz(func(t *testing.T, seed uint64, width, height, quality uint8, grey bool) {
		if width == 0 || height == 0 {
			return
		}
		q := 1 + int(quality)%100
		p, err := e.Planes(int(width), int(height), grey)
		need.Must(t, err)
		scene(p, rand.New(rand.NewPCG(seed, 0)))
		was := p.image()
		file := e.Append([]byte("before"), q)
		if string(file[:6]) != "before" {
			t.Fatal("Append overwrote the buffer")
		}
		file = file[6:]
		var std bytes.Buffer
		need.Must(t, stdjpeg.Encode(&std, was, &stdjpeg.Options{Quality: q}))
		ours, n := away(t, was, file)
		theirs, _ := away(t, was, std.Bytes())
		// Rounding is random, and that of a coefficient changes all 64 samples of a block. TestEncodeMean compares small images.
		luck := 2/math.Sqrt(float64(n)/64)*theirs + 1000/float64(n)
		if ours > 1.05*theirs+0.1+luck {
			t.Errorf("%dx%d, quality %d: mean squared difference %g, standard library %g", width, height, q, ours, theirs)
		}
		if len(file) > std.Len()*21/20+100 {
			t.Errorf("%dx%d, quality %d: %d bytes, standard library %d", width, height, q, len(file), std.Len())
		}
	})
}

// TestEncodeMean compares many small images, where rounding is as often in our favour as in the standard library's.
func TestEncodeMean(t *testing.T) {
	var e Encoder
	for _, quality := range []int{34, 80} {
		ours, theirs := 0.0, 0.0
		for seed := range uint64(1000) {
			p, err := e.Planes(61, 5, false)
			need.Must(t, err)
			scene(p, rand.New(rand.NewPCG(seed, 0)))
			was := p.image()
			one, _ := away(t, was, e.Append(nil, quality))
			var std bytes.Buffer
			need.Must(t, stdjpeg.Encode(&std, was, &stdjpeg.Options{Quality: quality}))
			other, _ := away(t, was, std.Bytes())
			ours, theirs = ours+one, theirs+other
		}
		if ours > 1.01*theirs {
			t.Errorf("quality %d: mean squared difference %g, standard library %g", quality, ours/1000, theirs/1000)
		}
	}
}

// FuzzTransform compares with and without assembly.
func FuzzTransform(f *testing.F) {
	for i := range uint64(40) {
		f.Add(i, uint8(1+7*i))
	}
	f.Fuzz(func(t *testing.T, seed uint64, quality uint8) {
		r := rand.New(rand.NewPCG(seed, 0))
		var e Encoder
		e.setQuality(1 + int(quality)%100)
		stride := 8 + r.IntN(9)
		samples := make([]byte, 7*stride+8)
		for i := range samples {
			if samples[i] = byte(r.Uint32() >> r.IntN(32)); r.IntN(3) == 0 {
				samples[i] = 255
			}
		}
		defer func(was bool) { fast = was }(fast)
		var got, want coefficients
		kind := r.IntN(2)
		places := transform(&got, samples, stride, &e.scales[kind])
		fast = false
		wantPlaces := transform(&want, samples, stride, &e.scales[kind])
		if got != want || places != wantPlaces {
			t.Fatalf("%v become\n%v, places %x, want\n%v, places %x", samples, got, places, want, wantPlaces)
		}
		for i, v := range want {
			if v != 0 != (wantPlaces>>i&1 != 0) {
				t.Fatalf("places %x of %v", wantPlaces, want)
			}
		}
	})
}

// Test the extremes of brightness and quality.
func TestExtremes(t *testing.T) {
	var e Encoder
	for _, pattern := range []func(x, y int) bool{
		func(x, y int) bool { return (x+y)%2 == 0 },
		func(x, _ int) bool { return x%8 == 0 || x%8 == 3 || x%8 == 4 || x%8 == 7 },
		func(_, y int) bool { return y%8 == 0 || y%8 == 3 || y%8 == 4 || y%8 == 7 },
		func(x, y int) bool { return x/8%2 == y/8%2 },
	} {
		p, err := e.Planes(64, 64, true)
		need.Must(t, err)
		for i := range p.Y {
			if p.Y[i] = 0; pattern(i%64, i/64) {
				p.Y[i] = 255
			}
		}
		was := p.image()
		if d, _ := away(t, was, e.Append(nil, 100)); d > 1 {
			t.Errorf("mean squared difference %g", d)
		}
	}
}

func TestSizes(t *testing.T) {
	var e Encoder
	for _, size := range [][2]int{{0, 1}, {1, 0}, {-1, 1}, {65536, 1}, {1, 65536}} {
		if _, err := e.Planes(size[0], size[1], true); err == nil {
			t.Errorf("size %v: got no error", size)
		}
	}
}

// BenchmarkEncode encodes planes of 1280x720 and compares with the standard library.
func BenchmarkEncode(b *testing.B) {
	var e Encoder
	p, err := e.Planes(1280, 720, false)
	need.Must(b, err)
	scene(p, rand.New(rand.NewPCG(1, 0)))
	was := p.image()
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		file := e.Append(nil, 80)
		for b.Loop() {
			file = e.Append(file[:0], 80)
		}
	})
	b.Run("std", func(b *testing.B) {
		b.ReportAllocs()
		var file bytes.Buffer
		for b.Loop() {
			file.Reset()
			need.Must(b, stdjpeg.Encode(&file, was, &stdjpeg.Options{Quality: 80}))
		}
	})
}
