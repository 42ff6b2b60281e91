package cloud

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"rsros/msgs"
)

// six points in two rows: the second isn't there, the third lies beside the texture,
// the fifth just on its far edge.
func six() Points {
	return Points{
		Width: 3, Height: 2,
		XYZ:     []float32{1, 2, 3, 0, 0, 0, 4, 5, 6, 7, 8, 9, -1, -2, 0.5, 10, 11, 12},
		UV:      []float32{0, 0, 0.5, 0.5, 1.5, 0, 0.5, 0.25, 1, 0, 0.999, 0.999},
		Texture: &Texture{Width: 2, Height: 2, Step: 8, Pixel: 3, RGB: [3]int{0, 1, 2}, Data: []byte{1, 2, 3, 4, 5, 6, 99, 99, 7, 8, 9, 10, 11, 12}},
	}
}

func points(colours bool, values ...float32) []byte {
	var b []byte
	size := 3
	if colours {
		size = 4
	}
	for i := 0; i < len(values); i += size {
		for _, v := range values[i:][:3] {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		b = append(b, 0, 0, 0, 0)
		if colours {
			b = binary.LittleEndian.AppendUint32(b, uint32(values[i+3]))
		}
	}
	return b
}

const (
	first  = 0x010203
	second = 0x040506
	last   = 0x0a0b0c
)

func TestPack(t *testing.T) {
	n := float32(math.NaN())
	bare := six()
	bare.Texture = nil
	gray := six()
	gray.Texture = &Texture{Width: 1, Height: 1, Step: 1, Pixel: 1, Gray: true, Data: []byte{200}}
	same := six()
	same.UV = nil
	same.Texture = &Texture{Width: 3, Height: 2, Step: 12, Pixel: 4, RGB: [3]int{2, 1, 0}, Data: bytes.Repeat([]byte{6, 5, 4, 0}, 6)}
	for name, c := range map[string]struct {
		points Points
		o      Options
		want   []byte
		w, h   uint32
	}{
		"as by default":   {six(), Options{}, points(true, 1, 2, 3, first, 7, 8, 9, second, 10, 11, 12, last), 3, 1},
		"without texture": {six(), Options{AllowNoTexture: true}, points(true, 1, 2, 3, first, 4, 5, 6, 0, 7, 8, 9, second, -1, -2, 0.5, 0, 10, 11, 12, last), 5, 1},
		"ordered":         {six(), Options{Ordered: true}, points(true, 1, 2, 3, first, n, n, n, 0, n, n, n, 0, 7, 8, 9, second, n, n, n, 0, 10, 11, 12, last), 3, 2},
		"ordered, all":    {six(), Options{true, true}, points(true, 1, 2, 3, first, n, n, n, 0, 4, 5, 6, 0, 7, 8, 9, second, -1, -2, 0.5, 0, 10, 11, 12, last), 3, 2},
		"no colours":      {bare, Options{}, points(false, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, 0.5, 10, 11, 12), 5, 1},
		"brightness": {gray, Options{}, points(true, 1, 2, 3, float32(math.Float32bits(200)),
			7, 8, 9, float32(math.Float32bits(200)), 10, 11, 12, float32(math.Float32bits(200))), 3, 1},
		"the texture's own pixels": {same, Options{}, points(true, 1, 2, 3, second, 4, 5, 6, second, 7, 8, 9, second, -1, -2, 0.5, second, 10, 11, 12, second), 5, 1},
	} {
		t.Run(name, func(t *testing.T) {
			head, data, err := Pack([]byte("head"), c.points, c.o)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(data, append([]byte("head"), c.want...)) {
				t.Errorf("points\n%x, want\n%x", data[4:], c.want)
			}
			size := uint32(len(c.want)) / (c.w * c.h)
			if head.Width != c.w || head.Height != c.h || head.PointStep != size || head.RowStep != c.w*size || int(head.DataLen) != len(c.want) {
				t.Errorf("head %+v", head)
			}
		})
	}
}

func TestFields(t *testing.T) {
	head, _, err := Pack(nil, six(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []msgs.PointField{{Name: "x", Datatype: 7, Count: 1}, {Name: "y", Offset: 4, Datatype: 7, Count: 1},
		{Name: "z", Offset: 8, Datatype: 7, Count: 1}, {Name: "rgb", Offset: 16, Datatype: 7, Count: 1}}
	if len(head.Fields) != len(want) {
		t.Fatalf("fields %+v", head.Fields)
	}
	for i, f := range head.Fields {
		if f != want[i] {
			t.Errorf("field %+v, want %+v", f, want[i])
		}
	}
}

func TestPackRefuses(t *testing.T) {
	for name, change := range map[string]func(p *Points){
		"no points":           func(p *Points) { p.Width = 0 },
		"missing coordinates": func(p *Points) { p.XYZ = p.XYZ[1:] },
		"missing places":      func(p *Points) { p.UV = p.UV[1:] },
		"another size":        func(p *Points) { p.UV = nil },
		"an empty texture":    func(p *Points) { p.Texture.Width = 0 },
		"a short texture":     func(p *Points) { p.Texture.Data = p.Texture.Data[1:] },
		"short rows":          func(p *Points) { p.Texture.Step = 5 },
		"places past a pixel": func(p *Points) { p.Texture.RGB = [3]int{0, 1, 3} },
	} {
		t.Run(name, func(t *testing.T) {
			p := six()
			change(&p)
			if _, data, err := Pack([]byte{1}, p, Options{}); err == nil || len(data) != 1 {
				t.Errorf("%d bytes, error %v", len(data), err)
			}
		})
	}
}

// Any texture coordinates stay inside the texture.
func FuzzPack(f *testing.F) {
	f.Add(float32(0.9999999), float32(math.Inf(1)), float32(-0.1), byte(3))
	f.Add(float32(0.99999994), float32(0.99999994), float32(1), byte(255))
	f.Fuzz(func(t *testing.T, u, v, z float32, side byte) {
		n := int(side) + 1
		p := Points{Width: 1, Height: 1, XYZ: []float32{1, 1, z}, UV: []float32{u, v},
			Texture: &Texture{Width: n, Height: n, Step: n, Pixel: 1, Gray: true, Data: make([]byte, n*n)}}
		if _, _, err := Pack(nil, p, Options{}); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkPack(b *testing.B) {
	const w, h = 1280, 720
	p := Points{Width: w, Height: h, XYZ: make([]float32, 3*w*h), UV: make([]float32, 2*w*h),
		Texture: &Texture{Width: w, Height: h, Step: 3 * w, Pixel: 3, RGB: [3]int{0, 1, 2}, Data: make([]byte, 3*w*h)}}
	for i := range w * h {
		p.XYZ[3*i+2] = 1 + float32(i%300)/100
		p.UV[2*i], p.UV[2*i+1] = float32(i%w)/w, float32(i/w)/h
	}
	for _, c := range []string{"uv", "own pixels"} {
		b.Run(c, func(b *testing.B) {
			if c != "uv" {
				p.UV = nil
			}
			_, data, _ := Pack(nil, p, Options{})
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				_, data, _ = Pack(data[:0], p, Options{})
			}
		})
	}
}
