package anonymise

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// encodings are the known ones of sensor_msgs/Image, with the bytes of a pixel and those of black, for
// two pixels of a row.
var encodings = map[string]struct {
	pixel int
	black []byte
}{
	"mono8": {1, []byte{0, 0}}, "8UC1": {1, []byte{0, 0}}, "bayer_rggb8": {1, []byte{0, 0}}, "bayer_grbg16": {2, make([]byte, 4)},
	"mono16": {2, make([]byte, 4)}, "16UC1": {2, make([]byte, 4)}, "16SC1": {2, make([]byte, 4)}, "32SC2": {8, make([]byte, 16)},
	"rgb8": {3, make([]byte, 6)}, "bgr8": {3, make([]byte, 6)}, "8UC3": {3, make([]byte, 6)}, "8SC1": {1, make([]byte, 2)},
	"rgba8": {4, []byte{0, 0, 0, 9, 0, 0, 0, 9}}, "bgra8": {4, []byte{0, 0, 0, 9, 0, 0, 0, 9}}, "rgb16": {6, make([]byte, 12)},
	"rgba16": {8, []byte{0, 0, 0, 0, 0, 0, 9, 9, 0, 0, 0, 0, 0, 0, 9, 9}},
	"yuyv":   {2, []byte{16, 128, 16, 128}}, "yuv422_yuy2": {2, []byte{16, 128, 16, 128}}, "uyvy": {2, []byte{128, 16, 128, 16}}, "yuv422": {2, []byte{128, 16, 128, 16}},
	"32FC1": {4, nil}, "64FC1": {8, nil}, "32FC3": {12, make([]byte, 24)},
}

// Pixels in a box are hidden; all others, and the padding of rows, stay.
func TestHide(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for name, want := range encodings {
		for _, style := range []Style{Mask, Blur, Pixelate} {
			for _, bigEndian := range []bool{false, true} {
				l, ok := layoutOf(name, bigEndian)
				if !ok {
					t.Fatalf("%s isn't known", name)
				}
				const width, height = 46, 33
				p := bitmap{l, width, height, width*want.pixel + 5, make([]byte, height*(width*want.pixel+5))}
				for i := range p.data {
					p.data[i] = byte(rnd.Uint32())
				}
				if l.alpha {
					setAlpha(p, want.pixel)
				}
				before := slices.Clone(p.data)
				e := editor{style: style}
				if err := e.draw(p, []box{{3.5, 4, 20, 30.1}, {40, -5, 99, 3}}); err != nil {
					t.Fatal(err)
				}
				hidden := func(x, y int) bool { // in the boxes, grown to whole units
					x, y = x/l.cols*l.cols, y/l.rows*l.rows
					return x >= 3/l.cols*l.cols && x < 20 && y >= 4 && y < 31 || x >= 40 && y < 3
				}
				changed, inside := 0, 0
				for i := range before {
					x, y := i%p.step/want.pixel, i/p.step
					if x >= width || !hidden(x, y) {
						if p.data[i] != before[i] {
							t.Fatalf("%s, %s: byte %d of pixel %d, %d was changed", name, style, i, x, y)
						}
						continue
					}
					inside++
					if p.data[i] != before[i] {
						changed++
					}
					if style == Mask && want.black != nil && p.data[i] != want.black[i%p.step%len(want.black)] {
						t.Fatalf("%s: pixel %d, %d is %d", name, x, y, p.data[i])
					}
					if style == Mask && want.black == nil && i%p.step%want.pixel == 0 && !math.IsNaN(l.sample.get(p.data[i:])) {
						t.Fatalf("%s: depth at %d, %d is %v", name, x, y, l.sample.get(p.data[i:]))
					}
				}
				if changed < inside/2 {
					t.Errorf("%s, %s: %d of %d bytes in the boxes were changed", name, style, changed, inside)
				}
			}
		}
	}
}

func setAlpha(p bitmap, pixel int) {
	for y := range p.height {
		for x := range p.width {
			end := y*p.step + (x+1)*pixel
			for i := range p.sample.size {
				p.data[end-1-i] = 9
			}
		}
	}
}

// A blurred or pixelated region of one value keeps the value, also of depth with holes.
func TestEvenRegions(t *testing.T) {
	for _, style := range []Style{Blur, Pixelate} {
		l, _ := layoutOf("32FC1", false)
		p := bitmap{l, 40, 40, 160, make([]byte, 6400)}
		for i := range 1600 {
			v := 1.5
			if i%7 == 0 {
				v = math.NaN()
			}
			l.sample.put(p.data[4*i:], v)
		}
		p.hide(style, []region{{0, 0, 40, 40}})
		for i := range 1600 {
			if v := l.sample.get(p.data[4*i:]); v != 1.5 {
				t.Fatalf("%s: sample %d is %v", style, i, v)
			}
		}
	}
}

// A pixelated region has at most 8 by 8 colours, however large it is; squares have at least 8 pixels.
func TestPixelate(t *testing.T) {
	for _, side := range []int{10, 64, 200} {
		l, _ := layoutOf("mono8", false)
		p := bitmap{l, side, side, side, make([]byte, side*side)}
		for i := range p.data {
			p.data[i] = byte(i * 7 % 251)
		}
		p.hide(Pixelate, []region{{0, 0, side, side}})
		edges := 0
		for x := 1; x < side; x++ {
			if !bytes.Equal(column(p, x), column(p, x-1)) {
				edges++
			}
		}
		if edges >= 8 || side == 10 && edges > 1 {
			t.Errorf("%d pixels: %d squares in a row", side, edges+1)
		}
	}
}

func column(p bitmap, x int) (c []byte) {
	for y := range p.height {
		c = append(c, p.data[y*p.step+x])
	}
	return c
}

// The last row and column of a Bayer image of odd size are masked in all styles.
func TestOddBayer(t *testing.T) {
	l, _ := layoutOf("bayer_bggr8", false)
	p := bitmap{l, 5, 5, 5, bytes.Repeat([]byte{200}, 25)}
	p.hide(Blur, []region{{3, 3, 5, 5}})
	want := []byte{200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 0, 200, 200, 200, 200, 0, 200, 200, 0, 0, 0}
	if !bytes.Equal(p.data, want) {
		t.Errorf("%v, want\n%v", p.data, want)
	}
}

// TestCheckSize checks that rows whose bytes an int of 32 bits doesn't hold aren't accepted.
func TestCheckSize(t *testing.T) {
	p := bitmap{plain(1, 1), 4, 1<<15 + 1, 1 << 24, make([]byte, 16)}
	if err := p.check(); err == nil {
		t.Error("16 bytes are enough for 32769 rows")
	}
	p.height = 1
	if err := p.check(); err != nil {
		t.Error(err)
	}
}

func TestBoxWithin(t *testing.T) {
	for _, c := range []struct {
		b    box
		grow float64
		want region // zero for an error
	}{
		{box{1, 2, 3, 4}, 0, region{1, 2, 3, 4}},
		{box{1.2, 2.9, 3.1, 4}, 0, region{1, 2, 4, 4}},
		{box{-10, -10, 1e6, 1e6}, 0, region{0, 0, 64, 48}},
		{box{10, 10, 20, 30}, 0.5, region{5, 0, 25, 40}},
		{box{64, 0, 70, 9}, 0, region{}},
		{box{64, 0, 70, 9}, 0.5, region{61, 0, 64, 14}},
		{box{0, -9, 9, 0}, 0, region{}},
	} {
		got, err := c.b.within(64, 48, c.grow)
		if (err != nil) != (c.want == region{}) || err == nil && got != c.want {
			t.Errorf("%v grown by %v: %v, %v, want %v", c.b, c.grow, got, err, c.want)
		}
	}
}
