package cloud

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"rsros/msgs"
	"rsros/test/need"
)

// points are a shape and the points of its rows.
type points struct {
	Shape
	xyz, uv []float32
}

// pack packs all rows in bands by several goroutines.
func pack(p points, o Options, goroutines, rows int) (msgs.PointCloudHead, []byte, error) {
	if err := p.Check(); err != nil {
		return msgs.PointCloudHead{}, nil, err
	}
	k := NewPacker(goroutines)
	if err := k.Start(make([]byte, p.Size()), p.Shape, o); err != nil {
		return msgs.PointCloudHead{}, nil, err
	}
	var mu sync.Mutex
	var done sync.WaitGroup
	next := 0
	for slot := range goroutines {
		done.Go(func() {
			for {
				mu.Lock()
				from := next
				next += rows
				mu.Unlock()
				if from >= p.Height {
					return
				}
				to := min(from+rows, p.Height)
				k.Begin(slot, from, to)
				for y := from; y < to; y++ {
					var uv []float32
					if p.Places {
						uv = p.uv[2*y*p.Width:][:2*p.Width]
					}
					k.Row(slot, y, p.xyz[3*y*p.Width:][:3*p.Width], uv)
				}
				k.End(slot)
			}
		})
	}
	done.Wait()
	head, data := k.Finish()
	return head, data, nil
}

// six points in two rows: the second is missing, the third is outside of the texture, and
// the fifth is at its far edge.
func six() points {
	return points{
		xyz:   []float32{1, 2, 3, 0, 0, 0, 4, 5, 6, 7, 8, 9, -1, -2, 0.5, 10, 11, 12},
		uv:    []float32{0, 0, 0.5, 0.5, 1.5, 0, 0.5, 0.25, 1, 0, 0.999, 0.999},
		Shape: Shape{Width: 3, Height: 2, Places: true, Texture: &Texture{Width: 2, Height: 2, Step: 8, Pixel: 3, RGB: [3]int{0, 1, 2}, Data: []byte{1, 2, 3, 4, 5, 6, 99, 99, 7, 8, 9, 10, 11, 12}}},
	}
}

func packed(colours bool, values ...float32) []byte {
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
	same.Places = false
	same.Texture = &Texture{Width: 3, Height: 2, Step: 12, Pixel: 4, RGB: [3]int{2, 1, 0}, Data: bytes.Repeat([]byte{6, 5, 4, 0}, 6)}
	for name, c := range map[string]struct {
		points points
		o      Options
		want   []byte
		w, h   uint32
	}{
		"as by default":   {six(), Options{}, packed(true, 1, 2, 3, first, 7, 8, 9, second, 10, 11, 12, last), 3, 1},
		"without texture": {six(), Options{AllowNoTexture: true}, packed(true, 1, 2, 3, first, 4, 5, 6, 0, 7, 8, 9, second, -1, -2, 0.5, 0, 10, 11, 12, last), 5, 1},
		"ordered":         {six(), Options{Ordered: true}, packed(true, 1, 2, 3, first, n, n, n, 0, n, n, n, 0, 7, 8, 9, second, n, n, n, 0, 10, 11, 12, last), 3, 2},
		"ordered, all":    {six(), Options{true, true}, packed(true, 1, 2, 3, first, n, n, n, 0, 4, 5, 6, 0, 7, 8, 9, second, -1, -2, 0.5, 0, 10, 11, 12, last), 3, 2},
		"no colours":      {bare, Options{}, packed(false, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, 0.5, 10, 11, 12), 5, 1},
		"brightness": {gray, Options{}, packed(true, 1, 2, 3, float32(math.Float32bits(200)),
			7, 8, 9, float32(math.Float32bits(200)), 10, 11, 12, float32(math.Float32bits(200))), 3, 1},
		"the texture's own pixels": {same, Options{}, packed(true, 1, 2, 3, second, 4, 5, 6, second, 7, 8, 9, second, -1, -2, 0.5, second, 10, 11, 12, second), 5, 1},
	} {
		t.Run(name, func(t *testing.T) {
			head, data, err := pack(c.points, c.o, 2, 1)
			need.Must(t, err)
			if !bytes.Equal(data, c.want) {
				t.Errorf("points\n%x, want\n%x", data, c.want)
			}
			size := uint32(len(c.want)) / (c.w * c.h)
			if head.Width != c.w || head.Height != c.h || head.PointStep != size || head.RowStep != c.w*size || int(head.DataLen) != len(c.want) {
				t.Errorf("head %+v", head)
			}
			want := []msgs.PointField{{Name: "x", Datatype: 7, Count: 1}, {Name: "y", Offset: 4, Datatype: 7, Count: 1},
				{Name: "z", Offset: 8, Datatype: 7, Count: 1}, {Name: "rgb", Offset: 16, Datatype: 7, Count: 1}}
			switch t := c.points.Texture; {
			case t == nil:
				want = want[:3]
			case t.Gray:
				want[3].Name = "intensity"
			}
			if !slices.Equal(head.Fields, want) {
				t.Errorf("fields %+v, want %+v", head.Fields, want)
			}
		})
	}
}

func TestPackRefuses(t *testing.T) {
	for name, change := range map[string]func(s *Shape){
		"no points":           func(s *Shape) { s.Width = 0 },
		"another size":        func(s *Shape) { s.Places = false },
		"an empty texture":    func(s *Shape) { s.Texture.Width = 0 },
		"a short texture":     func(s *Shape) { s.Texture.Data = s.Texture.Data[1:] },
		"short rows":          func(s *Shape) { s.Texture.Step = 5 },
		"places past a pixel": func(s *Shape) { s.Texture.RGB = [3]int{0, 1, 3} },
	} {
		t.Run(name, func(t *testing.T) {
			p := six()
			change(&p.Shape)
			if err := NewPacker(1).Start(make([]byte, 1000), p.Shape, Options{}); err == nil {
				t.Error("got no error")
			}
		})
	}
	if err := NewPacker(1).Start(make([]byte, 119), six().Shape, Options{}); err == nil {
		t.Error("Start accepted a buffer of 119 bytes for 120")
	}
}

// want packs the cloud point by point.
func want(p points, o Options) (out []byte) {
	t := p.Texture
	for i := range p.Width * p.Height {
		x, y, z := p.xyz[3*i], p.xyz[3*i+1], p.xyz[3*i+2]
		colour, seen := uint32(0), z > 0
		if seen && t != nil {
			at := i/p.Width*t.Step + i%p.Width*t.Pixel
			if p.Places {
				u, v := p.uv[2*i]*float32(t.Width), p.uv[2*i+1]*float32(t.Height)
				inside := p.uv[2*i] >= 0 && p.uv[2*i+1] >= 0 && u < float32(t.Width) && v < float32(t.Height)
				at = -1
				if inside {
					at = int(v)*t.Step + int(u)*t.Pixel
				}
				seen = inside || o.AllowNoTexture
			}
			switch {
			case at < 0:
			case t.Gray:
				colour = math.Float32bits(float32(t.Data[at]))
			default:
				colour = uint32(t.Data[at+t.RGB[0]])<<16 | uint32(t.Data[at+t.RGB[1]])<<8 | uint32(t.Data[at+t.RGB[2]])
			}
		}
		if !seen {
			if !o.Ordered {
				continue
			}
			x, y, z, colour = nan, nan, nan, 0
		}
		for _, f := range []float32{x, y, z, 0} {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(f))
		}
		if t != nil {
			out = binary.LittleEndian.AppendUint32(out, colour)
		}
	}
	return out
}

// FuzzPack compares images of any size in any bands, with any texture coordinates, with
// want.
func FuzzPack(f *testing.F) {
	for i := range uint64(60) {
		f.Add(i, float32(0.99999994), float32(math.Inf(1)))
	}
	f.Fuzz(func(t *testing.T, seed uint64, u, v float32) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := points{Shape: Shape{Width: 1 + r.IntN(40), Height: 1 + r.IntN(30), Places: r.IntN(2) == 0}}
		if r.IntN(5) > 0 {
			x := &Texture{Width: p.Width, Height: p.Height, Pixel: 3 + r.IntN(2), RGB: [3]int{2, 1, 0}, Gray: r.IntN(3) == 0}
			if r.IntN(2) == 0 {
				x.RGB = [3]int{0, 1, 2}
			}
			if p.Places {
				x.Width, x.Height = 1+r.IntN(30), 1+r.IntN(30)
			}
			x.Step = x.Width*x.Pixel + r.IntN(3)
			x.Data = make([]byte, x.Step*(x.Height-1)+x.Width*x.Pixel)
			for i := range x.Data {
				x.Data[i] = byte(r.Uint32())
			}
			p.Texture = x
		}
		for range p.Width * p.Height {
			z := max(r.Float32()-0.3, 0)
			p.xyz = append(p.xyz, z*r.Float32(), -z*r.Float32(), z)
			a, b := 1.4*r.Float32()-0.2, 1.4*r.Float32()-0.2
			if r.IntN(10) == 0 {
				a, b = u, v
			}
			p.uv = append(p.uv, a, b)
		}
		o := Options{Ordered: r.IntN(3) == 0, AllowNoTexture: r.IntN(2) == 0}
		goroutines, rows, want := 1+r.IntN(3), 1+r.IntN(9), want(p, o)
		defer func(was bool) { fast = was }(fast)
		for _, fast = range []bool{fast, false} {
			head, got, err := pack(p, o, goroutines, rows)
			need.Must(t, err)
			if !slices.Equal(got, want) || head.Width*head.Height*head.PointStep != uint32(len(want)) {
				t.Fatalf("assembly %v, %+v of %dx%d, %+v:\n%x, want\n%x", fast, head, p.Width, p.Height, o, got, want)
			}
		}
	})
}

// BenchmarkPack measures packing of computed points.
func BenchmarkPack(b *testing.B) {
	const w, h = 1280, 720
	p := points{xyz: make([]float32, 3*w*h), uv: make([]float32, 2*w*h), Shape: Shape{Width: w, Height: h, Places: true,
		Texture: &Texture{Width: w, Height: h, Step: 3 * w, Pixel: 3, RGB: [3]int{0, 1, 2}, Data: make([]byte, 3*w*h)}}}
	for i := range w * h {
		p.xyz[3*i+2] = 1 + float32(i%300)/100
		p.uv[2*i], p.uv[2*i+1] = float32(i%w)/w, float32(i/w)/h
	}
	data := make([]byte, p.Size())
	for _, places := range []bool{true, false} {
		b.Run(fmt.Sprintf("places=%v", places), func(b *testing.B) {
			p.Places = places
			k := NewPacker(1)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				need.Must(b, k.Start(data, p.Shape, Options{}))
				k.Begin(0, 0, h)
				for y := range h {
					k.Row(0, y, p.xyz[3*y*w:][:3*w], p.uv[2*y*w:][:2*w])
				}
				k.End(0)
				k.Finish()
			}
		})
	}
}
