package viewer

import (
	"bytes"
	"encoding/binary"
	"testing"

	"rsros/camdriver"
	"rsros/viewer/api"
)

// testFrame returns an image with padded rows and smooth content.
func testFrame(format camdriver.Format, width, height, padding int) *camdriver.Frame {
	f := camdriver.NewFrame(nil)
	f.Profile.Format, f.Width, f.Height, f.Stride = format, width, height, width*format.BitsPerPixel()/8+padding
	f.Data = make([]byte, f.Stride*height)
	for i := range f.Data[:len(f.Data)/2] {
		binary.LittleEndian.PutUint16(f.Data[2*i:], uint16(1000+i/64%64))
	}
	return f
}

// Depth with padded rows survives encoding in bands.
func TestBandsOfPaddedRows(t *testing.T) {
	f := testFrame(camdriver.Z16, 64, 361, 6)
	p := newFrame(new(formMemory), f, 0, 0)
	defer p.Release()
	b := p.body(form{packed: true, divisor: 1})
	if b.Codec != api.RVL {
		t.Fatalf("codec %d", b.Codec)
	}
	got := unpack(t, api.Head{Width: 64, Height: uint16(f.Height)}, b.Data)
	for y := range f.Height {
		if want := f.Data[y*f.Stride:][:2*64]; !bytes.Equal(got[y*2*64:][:2*64], want) {
			t.Fatalf("row %d is %x, want %x", y, got[y*2*64:][:2*64], want)
		}
	}
}

// Each form of an image reuses the memory of the previous image once that is released, and not before.
func TestFramesReuseMemory(t *testing.T) {
	forms := []form{{packed: true, divisor: 1}, {divisor: 2}, {packed: true, divisor: 2}}
	for _, format := range []camdriver.Format{camdriver.Z16, camdriver.RGB8, camdriver.Y8} {
		f := testFrame(format, 320, 240, 0)
		m := new(formMemory)
		first := newFrame(m, f, 0, 0)
		used := map[*byte]form{}
		kept := make([][]byte, len(forms))
		for i, want := range forms {
			b := first.body(want)
			used[&b.Data[0]], kept[i] = want, bytes.Clone(b.Data)
		}
		first.Retain()
		first.Release()
		second := newFrame(m, f, 0, 0)
		for i, want := range forms {
			if b := second.body(want); used[&b.Data[0]] != (form{}) {
				t.Errorf("%v: %v has memory that is in use", format, want)
			}
			if b := first.body(want); !bytes.Equal(b.Data, kept[i]) {
				t.Errorf("%v: %v changed", format, want)
			}
		}
		first.Release()
		third := newFrame(m, f, 0, 0)
		for _, want := range forms {
			if b := third.body(want); used[&b.Data[0]] == (form{}) {
				t.Errorf("%v: %v has memory of its own", format, want)
			}
		}
		second.Release()
		third.Release()
		if m.lent != 0 {
			t.Errorf("%v: %d buffers are missing", format, m.lent)
		}
	}
}
