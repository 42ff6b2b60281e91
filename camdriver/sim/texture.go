package sim

import (
	"math"
	"math/rand/v2"
)

const (
	grainSize = 512 // texels; a power of two

	// The projector's pattern covers x/z in ±dotsSpan, y/z in ±dotsSpan/2.
	dotsWidth, dotsHeight = 1024, 512
	dotsSpan              = 1.3
	dotsScale             = dotsWidth / (2 * dotsSpan)
)

// newGrain returns a texture that wraps around: four octaves of smooth noise, for detail at all distances.
func newGrain(rng *rand.Rand) []uint8 {
	sum := make([]float64, grainSize*grainSize)
	for cell, weight := 64, 14.0; cell >= 2; cell, weight = cell/4, weight*1.15 {
		n := grainSize / cell
		knots := make([]float64, n*n)
		for i := range knots {
			knots[i] = weight * (2*rng.Float64() - 1)
		}
		for y := range grainSize {
			y0, fy := y/cell, smooth(float64(y%cell)/float64(cell))
			for x := range grainSize {
				x0, fx := x/cell, smooth(float64(x%cell)/float64(cell))
				top := mix(knots[y0*n+x0], knots[y0*n+(x0+1)%n], fx)
				bottom := mix(knots[(y0+1)%n*n+x0], knots[(y0+1)%n*n+(x0+1)%n], fx)
				sum[y*grainSize+x] += mix(top, bottom, fy)
			}
		}
	}
	out := make([]uint8, len(sum))
	for i, v := range sum {
		out[i] = uint8(min(max(128+v, 0), 255))
	}
	return out
}

func smooth(f float64) float64    { return f * f * (3 - 2*f) }
func mix(a, b, f float64) float64 { return a + (b-a)*f }

// newDots returns the infrared projector's pattern: random dots with a soft edge.
func newDots(rng *rand.Rand) []uint8 {
	out := make([]uint8, dotsWidth*dotsHeight)
	for range dotsWidth * dotsHeight / 30 {
		x, y := 1+rng.IntN(dotsWidth-2), 1+rng.IntN(dotsHeight-2)
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				at := (y+dy)*dotsWidth + x + dx
				out[at] = max(out[at], uint8(255/(1+dx*dx+dy*dy)))
			}
		}
	}
	return out
}

// noiseSize is the length of the table of pixel noise. Each row starts at a different offset.
const noiseSize = 1 << 15

// newNoise returns normally distributed numbers with deviation 1, clamped to ±4.
func newNoise(rng *rand.Rand) []float32 {
	out := make([]float32, 2*noiseSize) // two copies, so that a row need not wrap
	for i := range noiseSize {
		v := float32(math.Min(math.Max(rng.NormFloat64(), -4), 4))
		out[i], out[i+noiseSize] = v, v
	}
	return out
}
