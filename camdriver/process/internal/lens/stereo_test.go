package lens

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"rsros/test/need"
)

// FuzzStereo compares with a simple implementation, with normal and absurd numbers, with
// and without assembly.
func FuzzStereo(f *testing.F) {
	for i := range uint64(60) {
		f.Add(i)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		n, factor := r.IntN(70), float32(odd(r, 1e6*r.Float64()))
		depth, disparity := make([]uint16, n), make([]float32, n)
		for i := range depth {
			if r.IntN(5) > 0 {
				depth[i] = uint16(r.Uint32() >> r.IntN(32))
				disparity[i] = float32(odd(r, 2e4*r.Float64()))
			}
			if r.IntN(60) == 0 {
				disparity[i] = math.Float32frombits(r.Uint32() >> r.IntN(32))
			}
		}
		gotDepth, gotDisparity := make([]uint16, n), make([]float32, n)
		defer func(was bool) { fast = was }(fast)
		for _, fast = range []bool{fast, false} {
			ToDisparity(gotDisparity, depth, factor)
			ToDepth(gotDepth, disparity, factor)
			for i, d := range depth {
				want := factor / float32(d)
				if d == 0 {
					want = 0
				}
				if !same(gotDisparity[i], want) {
					t.Fatalf("assembly %v: %g divided by depth %d is %g, want %g", fast, factor, d, gotDisparity[i], want)
				}
				if want := plainDepth(disparity[i], factor); gotDepth[i] != want {
					t.Fatalf("assembly %v: %g divided by disparity %g is %d, want %d", fast, factor, disparity[i], gotDepth[i], want)
				}
			}
		}
	})
}

// plainDepth is depthOf in double precision.
func plainDepth(p, factor float32) uint16 {
	if a := math.Abs(float64(p)); !(a >= 0x1p-126 && a <= math.MaxFloat32) {
		return 0
	}
	f := math.Trunc(float64(factor/p + 0.5))
	if !(f >= math.MinInt32 && f <= math.MaxInt32) {
		return 0 // the low half of -2³¹
	}
	return uint16(int32(f))
}

// TestUsualDisparity checks that the assembly processes a normal row with holes alone.
func TestUsualDisparity(t *testing.T) {
	switch {
	case fast:
	case runtime.GOARCH == "amd64" && !assembly:
		need.Repeats(t) // the tag purego
	default:
		need.System(t, "this processor has no AVX2")
	}
	in, out := make([]float32, 64), make([]uint16, 64)
	for i := range in {
		if i%5 > 0 {
			in[i] = 1.6e6 / float32(300+1000*i)
		}
	}
	factor := float32(1.6e6)
	if n := toDepthAVX2(&out[0], &in[0], len(in), &factor); n != len(in) {
		t.Errorf("processed %d pixels, want %d", n, len(in))
	}
}
