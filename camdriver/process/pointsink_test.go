package process_test

import (
	"slices"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/test/need"
)

// gathered is a PointSink that collects rows.
type gathered struct {
	t       *testing.T
	width   int
	xyz, uv []float32
	next    []int // by slot: the next row and the end of the band
	end     []int
}

func (g *gathered) Begin(slot, from, to int) { g.next[slot], g.end[slot] = from, to }

func (g *gathered) Row(slot, row int, xyz, uv []float32) {
	if row != g.next[slot] || row >= g.end[slot] {
		g.t.Errorf("got row %d, want %d, before %d", row, g.next[slot], g.end[slot])
	}
	g.next[slot]++
	copy(g.xyz[3*row*g.width:][:3*g.width], xyz)
	if uv != nil {
		copy(g.uv[2*row*g.width:], uv)
	}
}

func (g *gathered) End(slot int) {
	if g.next[slot] != g.end[slot] {
		g.t.Errorf("band ends at row %d, want %d", g.next[slot], g.end[slot])
	}
}

// TestEach checks that a sink gets the same points as an image.
func TestEach(t *testing.T) {
	depth := profile(camdriver.Depth, camdriver.Z16, 70, 45)
	color := profile(camdriver.Color, camdriver.RGB8, 90, 60)
	color.Extrinsics.Translation[0] = 0.015
	d, c := image(depth, 1, nil), image(color, 1, nil)
	for i := range d.Frame.Data {
		d.Frame.Data[i] = byte(i*i) % 7
	}
	for _, texture := range []camdriver.StreamID{color.Stream, {}} {
		for _, processors := range []int{1, 3} {
			res := newResources(t, processors)
			block := process.NewPointCloud(res, texture)
			var set process.Set
			set.Add(d)
			set.Add(c)
			n := 70 * 45
			got := &gathered{t: t, width: 70, xyz: make([]float32, 3*n), next: make([]int, processors), end: make([]int, processors)}
			if texture == color.Stream {
				got.uv = make([]float32, 2*n)
			}
			if ok, err := block.Each(&set, true, []process.PointSink{got}); !ok || err != nil {
				t.Fatal(ok, err)
			}
			if len(set.Images) != 2 {
				t.Errorf("set has %d images, want 2", len(set.Images))
			}
			need.Must(t, block.Process(&set))
			xyz, uv := process.Points(set.Images[0])
			if !slices.Equal(got.xyz, xyz) || !slices.Equal(got.uv, uv) {
				t.Errorf("texture %v, %d processors: points differ", texture, processors)
			}
			set.Images[0].Frame.Release()
		}
	}
}
