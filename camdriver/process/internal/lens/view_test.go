package lens

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rsros/camdriver"
)

// odd returns usual or, sometimes, an absurd number.
func odd(r *rand.Rand, usual float64) float64 {
	if r.IntN(40) > 0 {
		return usual
	}
	return []float64{0, -usual, 1e-30, 1e30, math.Inf(1), math.NaN(), float64(math.Float32frombits(r.Uint32()))}[r.IntN(7)]
}

func randomView(r *rand.Rand) (View, *Rays, float32) {
	width, height := 1+r.IntN(70), 1+r.IntN(5)
	in := camdriver.Intrinsics{
		Fx: odd(r, 10+90*r.Float64()), Fy: odd(r, 10+90*r.Float64()), Ppx: odd(r, 40*r.Float64()), Ppy: odd(r, 3*r.Float64()),
		Model: camdriver.Distortion(r.IntN(6)),
	}
	if r.IntN(2) == 0 {
		for i := range in.Coeffs {
			in.Coeffs[i] = odd(r, r.Float64()-0.5)
		}
	}
	e := camdriver.Identity()
	for i := range e.Rotation {
		e.Rotation[i] = odd(r, e.Rotation[i]+0.01*r.Float64())
	}
	for i := range e.Translation {
		e.Translation[i] = odd(r, 0.05*r.Float64())
	}
	return View{NewTransform(e), NewLens(&in, Distortion(r.IntN(4)))}, NewRays(&in, width, height, 0.5), float32(odd(r, 0.001))
}

// reference projects a point with librealsense's arithmetic.
func reference(v *View, d uint16, x, y, units float32) (float32, float32) {
	z := units * float32(d)
	x, y, z = v.Turn.Apply(float32(z*x), float32(z*y), z)
	return v.Lens.Pixel(x/z, y/z)
}

func same(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// FuzzView compares all functions with a simple implementation: with and without
// distortion, with absurd calibration, with and without assembly.
func FuzzView(f *testing.F) {
	for i := range uint64(100) {
		f.Add(i)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		v, rays, units := randomView(r)
		depth := make([]uint16, rays.Width)
		for i := range depth {
			if r.IntN(4) > 0 {
				depth[i] = uint16(r.Uint32() >> r.IntN(32))
			}
		}
		x, y := rays.Row(rays.Height-1, make([]float32, rays.Width))
		us, vs := make([]int32, len(depth)), make([]int32, len(depth))
		xyz, uv := make([]float32, 3*len(depth)), make([]float32, 2*len(depth))
		streamed := make([]float32, 1+3*len(depth))[r.IntN(2):] // not always aligned
		defer func(was bool) { fast = was }(fast)
		for _, fast = range []bool{fast, false} {
			Deproject(xyz, depth, x, y, units)
			clear(streamed)
			rays.Deproject(streamed, depth, rays.Height-1, units, make([]float32, rays.Width))
			Fence()
			if !slices.EqualFunc(streamed[:len(xyz)], xyz, same) {
				t.Fatalf("assembly %v: streamed points are %v, want %v", fast, streamed, xyz)
			}
			for i, d := range depth {
				z := units * float32(d)
				want := [3]float32{z * x[i], z * y[i], z}
				if p := xyz[3*i:]; !same(p[0], want[0]) || !same(p[1], want[1]) || !same(p[2], want[2]) {
					t.Fatalf("assembly %v: point %d of depth %d is %v, want %v", fast, i, d, p[:3], want)
				}
			}
			v.Locate(us, vs, depth, x, y, units)
			v.Project(uv, xyz, depth, x, y, units)
			divided := slices.Clone(uv)
			Divide(divided, 7, 0.3)
			for i, d := range depth {
				a, b := reference(&v, d, x[i], y[i], units)
				wantU, wantV := evenly(a+0.5), evenly(b+0.5)
				if d != 0 && (us[i] != wantU || vs[i] != wantV) {
					t.Fatalf("assembly %v: point %d of depth %d is located at %d, %d, want %d, %d", fast, i, d, us[i], vs[i], wantU, wantV)
				}
				if units*float32(d) == 0 {
					a, b = 0, 0
				}
				if !same(uv[2*i], a) || !same(uv[2*i+1], b) || !same(divided[2*i], a/7) || !same(divided[2*i+1], b/0.3) {
					t.Fatalf("assembly %v: point %d of depth %d projects to %g, %g, want %g, %g", fast, i, d, uv[2*i], uv[2*i+1], a, b)
				}
			}
		}
	})
}

// evenly is NearestEven in double precision.
func evenly(f float32) int32 {
	if r := math.RoundToEven(float64(f)); r >= math.MinInt32 && r <= math.MaxInt32 {
		return int32(r)
	}
	return nowhere
}
