package process

import (
	"rsros/camdriver"
	"rsros/camdriver/process/internal/smooth"
)

// Spatial is an edge-preserving filter of depth or disparity.
type Spatial struct {
	block
	edges  smooth.Edges
	across bool           // filtering columns, not rows
	lanes  []smooth.Lanes // by slot
	depth  bool           // Z16, not disparity
}

// strip is the number of columns that are filtered together.
const strip = 64

// NewSpatial returns a filter with the SDK's defaults.
func NewSpatial(res *Resources) *Spatial {
	return &Spatial{lanes: make([]smooth.Lanes, res.workers.slots()), block: newBlock(res, "Spatial Filter",
		newOption(camdriver.OptionFilterMagnitude, integral, 1, 5, 1, 2, "Filter iterations"),
		newOption(camdriver.OptionFilterSmoothAlpha, continuous, 0.25, 1, 0.01, 0.5,
			"Alpha factor of Exp.moving average, 1 - no filter, 0.25 - strong filter"),
		newOption(camdriver.OptionFilterSmoothDelta, integral, 1, 50, 1, 20, "Edge-preserving Threshold"),
		newOption(camdriver.OptionHolesFill, integral, 0, 5, 1, 0, "Holes filling mode"))}
}

// holeRadius is the size of holes to fill, by the value of Holes Fill.
var holeRadius = [...]int{0, 2, 4, 8, 16, 255}

func (s *Spatial) Process(set *Set) error { return each(set, isDepthOrDisparity, s.apply) }

func (s *Spatial) apply(img Image) (Image, error) {
	out, err := s.like(img)
	if err != nil {
		return Image{}, err
	}
	in := &s.in
	for y := range in.height {
		copy(s.out.row(y), in.row(y))
	}
	if in.width < 2 || in.height < 2 {
		return out, nil
	}
	s.mu.Lock()
	s.edges = smooth.NewEdges(s.value(camdriver.OptionFilterSmoothAlpha), s.value(camdriver.OptionFilterSmoothDelta),
		holeRadius[int(s.value(camdriver.OptionHolesFill))])
	times := int(s.value(camdriver.OptionFilterMagnitude))
	s.mu.Unlock()
	s.depth = img.Frame.Profile.Format == camdriver.Z16
	for i := range s.lanes {
		s.lanes[i].Fit(in.width, strip)
	}
	for range times {
		s.across = false
		s.share(s, (in.height+smooth.Band-1)/smooth.Band)
		s.across = true
		s.share(s, (in.width+strip-1)/strip)
	}
	if !s.depth && s.edges.Radius > 0 {
		s.fillDisparity()
	}
	return out, nil
}

// fillDisparity fills holes by rows. The last pixel of a row depends on the first one of
// the next row. For the last row, where the SDK reads past the end, this is 0.
func (s *Spatial) fillDisparity() {
	for y := range s.out.height {
		after := float32(0)
		if y+1 < s.out.height {
			after = rowOf[float32](&s.out, y+1)[0]
		}
		s.edges.FillDisparity(rowOf[float32](&s.out, y), after)
	}
}

// rows filters bands of rows or strips of columns.
func (s *Spatial) rows(slot, from, to int) {
	width, height, l := s.out.width, s.out.height, &s.lanes[slot]
	if !s.across {
		first, end := from*smooth.Band*width, min(to*smooth.Band, height)*width
		if s.depth {
			s.edges.Rows(reinterpret[uint16](s.out.data)[first:end], width, l)
		} else {
			s.edges.RowsDisparity(reinterpret[float32](s.out.data)[first:end], width, l)
		}
		return
	}
	for i := from; i < to; i++ {
		left := i * strip
		n := min(strip, width-left)
		first, end := left, (height-1)*width+left+n
		if s.depth {
			s.edges.Columns(reinterpret[uint16](s.out.data)[first:end], width, n)
		} else {
			s.edges.ColumnsDisparity(reinterpret[float32](s.out.data)[first:end], width, n, l)
		}
	}
}
