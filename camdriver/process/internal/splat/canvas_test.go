package splat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// plain draws every rectangle directly.
func plain(width, height int, values []uint16, u0, v0, u1, v1 []int32) []uint16 {
	out := make([]uint16, width*height)
	for i, d := range values {
		for y := max(v0[i], 0); d != 0 && y <= min(v1[i], int32(height)-1); y++ {
			for x := max(u0[i], 0); x <= min(u1[i], int32(width)-1); x++ {
				if o := &out[int(y)*width+int(x)]; *o == 0 || d < *o {
					*o = d
				}
			}
		}
	}
	return out
}

func paint(c *Canvas, width, height, layers int, values []uint16, u0, v0, u1, v1 []int32) []uint16 {
	c.Begin(width, height, layers)
	n := len(values)
	for i := range layers {
		from, to := i*n/layers, (i+1)*n/layers
		c.Layer(i).Rectangles(values[from:to], u0[from:to], v0[from:to], u1[from:to], v1[from:to])
	}
	c.Finish()
	out := make([]uint16, width*height)
	for y := range height {
		c.Row(out[y*width:][:width], y)
	}
	return out
}

// FuzzCanvas compares with plain, from rectangles of a pixel to those of the whole image
// and far outside.
func FuzzCanvas(f *testing.F) {
	for i := range uint64(12) {
		f.Add(i, uint8(5*i+1), uint8(7*i+1), uint16(40*i), uint8(20*i))
		f.Add(i, uint8(3*i), uint8(5*i), uint16(900+i), uint8(i%5)) // small rectangles
	}
	var c Canvas // reused, to detect leftovers
	f.Fuzz(func(t *testing.T, seed uint64, w, h uint8, count uint16, size uint8) {
		r := rand.New(rand.NewPCG(seed, 0))
		width, height, n := 1+int(w)%50, 1+int(h)%40, int(count)%2000
		values := make([]uint16, n)
		corners := [4][]int32{}
		for k := range corners {
			corners[k] = make([]int32, n)
		}
		for i := range values {
			values[i] = uint16(r.Uint32() & r.Uint32())
			u, v := r.Int32N(int32(width)+20)-10, r.Int32N(int32(height)+20)-10
			corners[0][i], corners[1][i] = u, v
			corners[2][i], corners[3][i] = u+r.Int32N(int32(size)+1)-1, v+r.Int32N(int32(size)+1)-1
			if r.IntN(50) == 0 {
				corners[r.IntN(4)][i] = []int32{math.MinInt32, math.MaxInt32}[r.IntN(2)]
			}
		}
		want := plain(width, height, values, corners[0], corners[1], corners[2], corners[3])
		defer func(was bool) { fast = was }(fast)
		for _, fast = range []bool{fast, false} {
			for layers := 1; layers <= 3; layers += 2 {
				got := paint(&c, width, height, layers, values, corners[0], corners[1], corners[2], corners[3])
				if !slices.Equal(got, want) {
					t.Fatalf("assembly %v, %d layers: %d×%d with %d rectangles of %d differ", fast, layers, width, height, n, size)
				}
			}
		}
	})
}

// TestWholeImages draws many rectangles of the whole image, as with absurd intrinsics.
func TestWholeImages(t *testing.T) {
	const width, height = 1280, 720
	n := width * height
	values, low, wide, high := make([]uint16, n), make([]int32, n), make([]int32, n), make([]int32, n)
	for i := range values {
		values[i], low[i], wide[i], high[i] = uint16(i), math.MinInt32, math.MaxInt32, math.MaxInt32
	}
	var c Canvas
	for _, d := range paint(&c, width, height, 2, values, low, low, wide, high) {
		if d != 1 {
			t.Fatalf("pixel is %d, want 1", d)
		}
	}
}
