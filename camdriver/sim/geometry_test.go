package sim

import (
	"encoding/binary"
	"math"
	"testing"

	"rsros/camdriver"
)

// normal is the look of default options.
var normal = look{gain: 1, saturation: 1, laser: 1}

// draw renders an image.
func draw(id camdriver.StreamID, f camdriver.Format, w *world, t float64, k look) (camdriver.Profile, camdriver.Intrinsics, []byte) {
	p := camdriver.Profile{Stream: id, Format: f, Width: 848, Height: 480, FPS: 30}
	pix := make([]byte, p.FrameSize())
	w.render(p, t, k, pix)
	return p, intrinsics(p), pix
}

func quiet() *world { return newWorld(Options{Noiseless: true}.withDefaults()) }

// deproject returns the point of a depth pixel in camera coordinates. ok is false if the
// pixel has no depth.
func deproject(in camdriver.Intrinsics, pix []byte, x, y int) (camera [3]float64, ok bool) {
	z := float64(binary.LittleEndian.Uint16(pix[2*(y*in.Width+x):])) * depthUnits
	return [3]float64{(float64(x) - in.Ppx) / in.Fx * z, (float64(y) - in.Ppy) / in.Fy * z, z}, z > 0
}

// surface is the surface nearest to a world point.
type surface struct {
	distance float64
	name     int     // quads first, then balls
	tint     int     // at that point
	margin   float64 // m to the next field of the pattern
}

// surfaceAt finds the nearest surface from the definitions of the solids, without
// casting rays.
func surfaceAt(sc *scene, p [3]float64, t float64) surface {
	best := surface{distance: math.Inf(1)}
	for i, q := range sc.quads {
		d := add(p, q.centre, -1)
		s, tt, h := dot(d, q.s), dot(d, q.t), dot(d, q.normal)
		out := math.Hypot(max(0, math.Abs(s)-q.halfS), max(0, math.Abs(tt)-q.halfT))
		if dist := math.Hypot(h, out); dist < best.distance {
			best = patterned(q.material, s, tt)
			best.distance, best.name = dist, i
		}
	}
	for i, b := range sc.balls {
		d := add(p, b.at(t, sc.period), -1)
		r := math.Sqrt(dot(d, d))
		if dist := math.Abs(r - b.radius); dist < best.distance {
			best = patterned(b.material, d[0]/r/4, d[1]/r/4)
			best.margin *= 4 * b.radius
			best.distance, best.name = dist, len(sc.quads)+i
		}
	}
	return best
}

// patterned returns tint and margin of a pattern at (s, t) in m.
func patterned(m material, s, t float64) surface {
	field := func(v float64, shift uint8) (int, float64) {
		if shift > 20 {
			return 0, math.Inf(1)
		}
		f := v * texels / float64(int(1)<<shift)
		n := math.Floor(f)
		return int(n), min(f-n, n+1-f) * float64(int(1)<<shift) / texels
	}
	i, a := field(s, m.shiftS)
	j, b := field(t, m.shiftT)
	return surface{tint: int(m.tint) + (i+j)&1, margin: min(a, b)}
}

func sameHue(pix []byte, want tint) bool {
	sum, wantSum := float32(pix[0])+float32(pix[1])+float32(pix[2])+1, want.r+want.g+want.b
	for i, c := range [3]float32{want.r, want.g, want.b} {
		if d := float32(pix[i])/sum - c/wantSum; d > 0.05 || d < -0.05 {
			return false
		}
	}
	return true
}

// TestDisparity finds patches of the left image in the right one by block matching. They
// must be fx·b/z further left.
func TestDisparity(t *testing.T) {
	w := quiet()
	const at, half, search = 0.9, 6, 5
	p, in, depth := draw(camdriver.DepthStream, camdriver.Z16, w, at, normal)
	_, _, left := draw(camdriver.LeftStream, camdriver.Y8, w, at, look{gain: 1.5})
	_, _, right := draw(camdriver.RightStream, camdriver.Y8, w, at, look{gain: 1.5})
	row := func(pix []byte, y int) []byte { return pix[y*p.Width : (y+1)*p.Width] }
	good, bad := 0, 0
	for y := half; y < p.Height-half; y += 7 {
		for x := 80; x < p.Width-half; x += 11 {
			c, ok := deproject(in, depth, x, y)
			if !ok || !flat(in, depth, x, y, half) {
				continue
			}
			want := in.Fx * baseline / c[2]
			best, bestCost := 0, math.MaxInt
			for d := int(want) - search; d <= int(want)+search; d++ {
				cost := 0
				for dy := -half; dy <= half; dy++ {
					for dx := -half; dx <= half && cost < bestCost; dx++ {
						cost += absDiff(row(left, y+dy)[x+dx], row(right, y+dy)[x+dx-d])
					}
				}
				if cost < bestCost {
					best, bestCost = d, cost
				}
			}
			if math.Abs(float64(best)-want) <= 1 {
				good++
			} else {
				bad++
			}
		}
	}
	if good < 1000 || bad > good/20 {
		t.Errorf("%d patches have the expected disparity, %d don't", good, bad)
	}
}

// flat reports whether depth around a pixel changes by less than 2 %.
func flat(in camdriver.Intrinsics, depth []byte, x, y, half int) bool {
	c, _ := deproject(in, depth, x, y)
	for _, d := range [][2]int{{-half, -half}, {half, -half}, {-half, half}, {half, half}} {
		if o, ok := deproject(in, depth, x+d[0], y+d[1]); !ok || math.Abs(o[2]-c[2]) > 0.02*c[2] {
			return false
		}
	}
	return true
}

func absDiff(a, b byte) int { return max(int(a)-int(b), int(b)-int(a)) }

// TestImages checks that the seed alone determines every pixel, and that no image is uniform, too dark or too bright.
func TestImages(t *testing.T) {
	for id, f := range map[camdriver.StreamID]camdriver.Format{
		camdriver.DepthStream: camdriver.Z16, camdriver.LeftStream: camdriver.Y8, camdriver.RightStream: camdriver.Y8, camdriver.ColorStream: camdriver.RGB8,
	} {
		p, _, a := draw(id, f, newWorld(Options{Seed: 7}.withDefaults()), 0.4, normal)
		_, _, b := draw(id, f, newWorld(Options{Seed: 7}.withDefaults()), 0.4, normal)
		_, _, c := draw(id, f, newWorld(Options{Seed: 8}.withDefaults()), 0.4, normal)
		if string(a) != string(b) {
			t.Errorf("%s: two images differ with the same seed", id)
		}
		if string(a) == string(c) {
			t.Errorf("%s: two images are equal with different seeds", id)
		}
		var histogram [4]int
		for i := range p.Width * p.Height {
			histogram[pixel(p, a, i)/64]++
		}
		dim, bright := histogram[0]+histogram[1], histogram[2]+histogram[3]
		if least := p.Width * p.Height / 20; dim < least || bright < least || histogram[0] == dim || histogram[3] == bright {
			t.Errorf("%s: pixels per quarter of the brightness range: %v", id, histogram)
		}
	}
}

// pixel returns the brightness of a pixel. Far depths are bright.
func pixel(p camdriver.Profile, pix []byte, i int) int {
	switch p.Format {
	case camdriver.RGB8:
		return (int(pix[3*i]) + int(pix[3*i+1]) + int(pix[3*i+2])) / 3
	case camdriver.Y8:
		return int(pix[i])
	}
	return min(int(binary.LittleEndian.Uint16(pix[2*i:]))/20, 255) // of 5 m
}
