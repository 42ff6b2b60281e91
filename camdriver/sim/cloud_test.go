package sim

import (
	"encoding/binary"
	"math"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/test/need"
)

// moment is a set of depth and colour at time t (s), with the calibration that the
// device reports.
type moment struct {
	world *world
	t     float64
	res   *process.Resources
	set   process.Set
	color camdriver.Intrinsics
	rgb   []byte
}

func newMoment(t *testing.T, o Options, at float64, depth, color camdriver.Profile) *moment {
	t.Helper()
	dev, err := Open(o)
	need.Must(t, err)
	t.Cleanup(func() { _ = dev.Close() })
	m := &moment{world: dev.world, t: at, res: process.NewResources(256<<20, 2), color: intrinsics(color)}
	t.Cleanup(func() { m.set.Release(); m.res.Close() })
	rig := process.NewRig(camdriver.Snapshot(dev, [][]camdriver.Profile{{depth}, {color}, nil}))
	for _, p := range []camdriver.Profile{depth, color} {
		f := camdriver.NewFrame(nil)
		f.Profile, f.Width, f.Height, f.DepthUnits = p, p.Width, p.Height, depthUnits
		f.Data = make([]byte, p.FrameSize())
		f.Stride = len(f.Data) / p.Height
		m.world.render(p, at, normal, f.Data)
		m.set.Add(rig.Image(f))
		m.rgb = f.Data // the last one is colour
	}
	return m
}

func videoProfile(id camdriver.StreamID, f camdriver.Format, width, height int) camdriver.Profile {
	return camdriver.Profile{Stream: id, Format: f, Width: width, Height: height, FPS: 30}
}

// cloud computes the points of the set.
func (m *moment) cloud(t *testing.T) (xyz, uv []float32) {
	t.Helper()
	need.Must(t, process.NewPointCloud(m.res, camdriver.ColorStream).Process(&m.set))
	points, ok := m.set.First(camdriver.Depth, camdriver.XYZ32F)
	if !ok {
		t.Fatal("the set has no points")
	}
	return process.Points(points)
}

// TestCloudLiesOnRoom checks that each point lies on a surface of the room, as near as depth is measured: noise moves points
// along their rays.
func TestCloudLiesOnRoom(t *testing.T) {
	depth, color := videoProfile(camdriver.DepthStream, camdriver.Z16, 848, 480), videoProfile(camdriver.ColorStream, camdriver.RGB8, 848, 480)
	for at, o := range map[float64]Options{0: {Noiseless: true}, 0.2: {Seed: 3}, 1.27: {Noiseless: true}, 1.4: {Seed: 3}} {
		m := newMoment(t, o, at, depth, color)
		xyz, _ := m.cloud(t)
		pose, fx := m.world.path.at(at).pose, intrinsics(depth).Fx
		const every = 7 // points
		points, squares, seen := 0, 0.0, map[int]int{}
		for i := 0; i < len(xyz); i += 3 * every {
			c := [3]float64{float64(xyz[i]), float64(xyz[i+1]), float64(xyz[i+2])}
			if c[2] == 0 {
				continue
			}
			stretch := math.Sqrt(dot(c, c)) / c[2]                                              // ray length per metre of depth
			deviation := float64(m.world.level(disparityNoise)) * c[2] * c[2] / (fx * baseline) // of depth, m
			most := (4*deviation*1.1 + depthUnits/2) * stretch                                  // noise is clamped at 4 and grows with the true depth
			s := surfaceAt(m.world.scene, pose.Apply(c), at)
			if s.distance > most+1e-5 {
				t.Fatalf("t=%g: point %v is %g m from the nearest surface, want at most %g m", at, c, s.distance, most)
			}
			points++
			seen[s.name]++
			squares += s.distance * s.distance / (deviation * deviation * stretch * stretch)
		}
		if all := len(xyz) / 3 / every; points < all*4/5 || len(seen) < 9 {
			t.Errorf("t=%g: %d of %d points, on %d surfaces", at, points, all, len(seen))
		}
		// Oblique surfaces are nearer than along the ray.
		if rms := math.Sqrt(squares / float64(points)); !o.Noiseless && (rms > 1.05 || rms < 0.3) {
			t.Errorf("t=%g: RMS distance is %.2f of the noise's deviation", at, rms)
		}
	}
}

// TestCloudHasRoomsColours checks that the texture of a point on a coloured surface has
// that surface's colour.
func TestCloudHasRoomsColours(t *testing.T) {
	const at = 0.4
	m := newMoment(t, Options{}, at, videoProfile(camdriver.DepthStream, camdriver.Z16, 848, 480), videoProfile(camdriver.ColorStream, camdriver.RGB8, 1280, 720))
	xyz, uv := m.cloud(t)
	pose := m.world.path.at(at).pose
	hits, misses, seen := 0, 0, map[int]int{}
	for i := 0; i < len(uv)/2; i += 3 {
		c := [3]float64{float64(xyz[3*i]), float64(xyz[3*i+1]), float64(xyz[3*i+2])}
		u, v := int(float64(uv[2*i])*float64(m.color.Width)), int(float64(uv[2*i+1])*float64(m.color.Height))
		if c[2] == 0 || u < 0 || v < 0 || u >= m.color.Width || v >= m.color.Height {
			continue
		}
		s := surfaceAt(m.world.scene, pose.Apply(c), at)
		want := m.world.scene.tints[s.tint]
		if s.margin < 0.006+0.01*c[2] || max(want.r, want.g, want.b) < 1.6*min(want.r, want.g, want.b) {
			continue // at a pattern's edge, or grey
		}
		pixel := m.rgb[3*(v*m.color.Width+u):][:3]
		if int(pixel[0])+int(pixel[1])+int(pixel[2]) < 90 {
			continue // too dark: noise dominates the hue
		}
		if sameHue(pixel, want) {
			hits++
			seen[s.name]++
		} else {
			misses++
		}
	}
	if hits < 2500 || misses > hits/25 || len(seen) < 6 {
		t.Errorf("%d points have the colour of the room, %d don't, on %d surfaces", hits, misses, len(seen))
	}
}

// edgeStep is the least difference in depth at an edge, m.
const edgeStep = 0.3

// TestAlignedEdges checks that edges of depth aligned to colour are edges in the colour
// camera's view, within a pixel.
func TestAlignedEdges(t *testing.T) {
	color := videoProfile(camdriver.ColorStream, camdriver.RGB8, 848, 480)
	// These sizes have pixels of about the same angle.
	m := newMoment(t, Options{Noiseless: true}, 0.9, videoProfile(camdriver.DepthStream, camdriver.Z16, 1280, 720), color)
	need.Must(t, process.NewAlign(m.res, camdriver.Color).Process(&m.set))
	aligned, ok := m.set.First(camdriver.Depth, camdriver.Z16)
	if !ok || aligned.Frame.Width != color.Width || aligned.Frame.Height != color.Height {
		t.Fatal("no depth of the size of colour")
	}
	place, _ := fromDepth(camdriver.ColorStream)
	view := newRaster(m.world.scene, place.Inverse().Then(m.world.path.at(m.t).pose), m.color, m.t, normal)
	line := newRow(color.Width)
	near, off := 0, 0
	for y := range color.Height {
		view.cast(y, line)
		depth := func(x int) float64 {
			return float64(binary.LittleEndian.Uint16(aligned.Frame.Data[y*aligned.Frame.Stride+2*x:])) * depthUnits
		}
		for x := 2; x < color.Width-3; x++ {
			a, b := depth(x), depth(x+1)
			if a == 0 || b == 0 || math.Abs(a-b) < edgeStep {
				continue
			}
			if edgeNear(line, x) {
				near++
			} else {
				off++
			}
		}
	}
	if near < 500 || off > near/50 {
		t.Errorf("%d edges of aligned depth are edges of colour, %d aren't", near, off)
	}
}

// edgeNear reports whether the view has an edge between two surfaces within a pixel of
// the step from x to x+1.
func edgeNear(line *row, x int) bool {
	for at := x - 1; at <= x+1; at++ {
		a, b := 1/float64(line.inv[at]), 1/float64(line.inv[at+1])
		if line.id[at] != line.id[at+1] && math.Abs(a-b) > edgeStep/2 {
			return true
		}
	}
	return false
}
