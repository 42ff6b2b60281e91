package png

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	stdpng "image/png"
	"testing"

	"rsros/test/need"
)

func TestEncode(t *testing.T) {
	var e Encoder
	for _, colour := range []Colour{Gray, RGB, RGBA} {
		for _, depth := range []int{8, 16} {
			for _, level := range []int{Stored, 0, 1, 9} {
				t.Run(fmt.Sprint(colour, depth, level), func(t *testing.T) {
					const w, h = 37, 5
					sample := func(i, y int) byte { return byte(31*i + 7*y) }
					p := Image{Width: w, Height: h, Colour: colour, Depth: depth, Level: level, Row: func(y int, to []byte) {
						for i := range to {
							to[i] = sample(i, y)
						}
					}}
					var b bytes.Buffer
					need.Must(t, e.Encode(&b, p))
					m, err := stdpng.Decode(&b)
					need.Must(t, err)
					if m.Bounds() != image.Rect(0, 0, w, h) {
						t.Fatalf("bounds %v", m.Bounds())
					}
					for y := range h {
						for x := range w {
							wantPixel(t, m.At(x, y), colour, depth, func(i int) byte { return sample(x*colour.Channels()*depth/8+i, y) })
						}
					}
				})
			}
		}
	}
}

func wantPixel(t *testing.T, c color.Color, colour Colour, depth int, at func(i int) byte) {
	t.Helper()
	got := color.NRGBA64Model.Convert(c).(color.NRGBA64)
	samples := []uint16{got.R, got.G, got.B, got.A}
	for i := range colour.Channels() {
		want := uint16(at(i)) * 257
		if depth == 16 {
			want = uint16(at(2*i))<<8 | uint16(at(2*i+1))
		}
		// Colours are premultiplied with alpha, which rounds.
		if d := int(samples[i]) - int(want); samples[3] == 0xffff && d != 0 || i == 3 && d != 0 {
			t.Fatalf("sample %d is %d, want %d", i, samples[i], want)
		}
	}
}

// full is a writer that fails after some bytes.
type full int

var errFull = errors.New("full")

func (f *full) Write(b []byte) (int, error) {
	if int(*f) < len(b) {
		return 0, errFull
	}
	*f -= full(len(b))
	return len(b), nil
}

func TestEncodeFails(t *testing.T) {
	var e Encoder
	row := func(_ int, to []byte) { clear(to) }
	for room := range full(60) {
		if err := e.Encode(&room, Image{Width: 4, Height: 4, Depth: 8, Row: row}); !errors.Is(err, errFull) {
			t.Errorf("got error %v, want the writer's", err)
		}
	}
	for _, p := range []Image{{Height: 1, Depth: 8}, {Width: 1, Depth: 8}, {Width: 1, Height: 1, Depth: 4}, {Width: 1, Height: 1, Depth: 8, Level: 10}} {
		if err := e.Encode(&bytes.Buffer{}, p); err == nil {
			t.Errorf("Encode accepted %+v", p)
		}
	}
}
