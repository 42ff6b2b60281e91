package process_test

import (
	"slices"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/process"
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

// checkedCloud checks that a sink gets the same points as an image.
type checkedCloud struct {
	*process.PointCloud
	t     *testing.T
	slots int
}

func (c checkedCloud) Process(s *process.Set) error {
	depth, _ := s.First(camdriver.Depth, camdriver.Z16)
	n := depth.Frame.Width * depth.Frame.Height
	got := &gathered{t: c.t, width: depth.Frame.Width, xyz: make([]float32, 3*n), uv: make([]float32, 2*n), next: make([]int, c.slots), end: make([]int, c.slots)}
	if ok, err := c.Each(s, true, []process.PointSink{got}); !ok || err != nil {
		c.t.Errorf("no points in %v: %v", formats(s), err)
	}
	if err := c.PointCloud.Process(s); err != nil {
		return err
	}
	if xyz, uv := process.Points(s.Images[0]); !slices.Equal(got.xyz, xyz) || !slices.EqualFunc(got.uv[:len(uv)], uv, sameFloat) {
		c.t.Errorf("points of %d slots differ", c.slots)
	}
	return nil
}

func sameFloat(a, b float32) bool { return a == b || a != a && b != b }
