package process

import "rsros/camdriver"

// Spatial smooths depth or disparity along rows and columns and keeps edges.
type Spatial struct {
	block
	out     plane
	alpha   float32
	beta    float32 // 1 - alpha
	delta   float32
	radius  int // of holes to fill; 0: none
	pass    spatialPass
	work    []spatialScratch
	depth   bool // Z16, not disparity
	columns int  // of a strip
}

// spatialPass is what the rows of a task are.
type spatialPass uint8

const (
	alongRows spatialPass = iota
	alongColumns
	fillRows
)

// spatialScratch is the state of the columns of one strip.
type spatialScratch struct{ state, before []float32 }

// NewSpatial smooths with the SDK's defaults.
func NewSpatial(res *Resources) *Spatial {
	s := &Spatial{block: block{name: "Spatial Filter", res: res}, work: make([]spatialScratch, res.workers.slots())}
	s.list = []option{
		newOption(camdriver.OptionFilterMagnitude, whole, 1, 5, 1, 2, "Filter iterations"),
		newOption(camdriver.OptionFilterSmoothAlpha, smooth, 0.25, 1, 0.01, 0.5, "Alpha factor of Exp.moving average, 1 - no filter, 0.25 - strong filter"),
		newOption(camdriver.OptionFilterSmoothDelta, whole, 1, 50, 1, 20, "Edge-preserving Threshold"),
		newOption(camdriver.OptionHolesFill, whole, 0, 5, 1, 0, "Holes filling mode"),
	}
	return s
}

// holeRadius is how far holes are filled, by the value of Holes Fill.
var holeRadius = [...]int{0, 2, 4, 8, 16, 255}

// Process smooths a set's depth or disparity.
func (s *Spatial) Process(set *Set) error { return each(set, s) }

func (s *Spatial) wants(img Image) bool { return depthOrDisparity(img) }

func (s *Spatial) apply(img Image) (Image, error) {
	var in plane
	out, err := s.like(img, &in, &s.out)
	if err != nil {
		return Image{}, err
	}
	for y := range in.height {
		copy(s.out.row(y), in.row(y))
	}
	if in.width < 2 || in.height < 2 {
		return out, nil
	}
	s.mu.Lock()
	s.alpha, s.delta = s.value(camdriver.OptionFilterSmoothAlpha), s.value(camdriver.OptionFilterSmoothDelta)
	s.radius = holeRadius[int(s.value(camdriver.OptionHolesFill))]
	times := int(s.value(camdriver.OptionFilterMagnitude))
	s.mu.Unlock()
	s.beta = 1 - s.alpha
	s.depth = img.Frame.Profile.Format == camdriver.Z16
	s.columns = 64
	for range times {
		s.pass = alongRows
		s.share(s, in.height)
		s.pass = alongColumns
		s.share(s, (in.width+s.columns-1)/s.columns)
	}
	if !s.depth && s.radius > 0 {
		s.pass = fillRows
		s.fillDisparity()
	}
	return out, nil
}

func (s *Spatial) rows(slot, from, to int) {
	for i := from; i < to; i++ {
		switch {
		case s.pass == alongRows && s.depth:
			s.smoothRow(s.out.row16(i))
		case s.pass == alongRows:
			s.smoothDisparityRow(rowOf[float32](&s.out, i))
		case s.depth:
			s.smoothColumns(i*s.columns, min(i*s.columns+s.columns, s.out.width))
		default:
			s.smoothDisparityColumns(&s.work[slot], i*s.columns, min(i*s.columns+s.columns, s.out.width))
		}
	}
}

// mix blends the value before into a depth, rounded.
func (s *Spatial) mix(depth, before uint16) uint16 {
	return uint16(int32(float32(float32(depth)*s.alpha) + float32(float32(before)*s.beta) + 0.5))
}

func distance(a, b uint16) uint16 {
	if a > b {
		return a - b
	}
	return b - a
}

// smoothRow goes over a row of depth and back.
func (s *Spatial) smoothRow(row []uint16) {
	s.smoothForth(row)
	s.smoothBack(row)
}

// smoothForth leaves the first and the last pixel as they are.
func (s *Spatial) smoothForth(row []uint16) {
	delta, gap := uint16(s.delta), 0
	before := row[0]
	for x := 1; x < len(row)-1; x++ {
		d := row[x]
		if before != 0 {
			if d != 0 {
				gap = 0
				if away := distance(d, before); away != 0 && away <= delta {
					d = s.mix(d, before)
					row[x] = d
				}
			} else if s.radius > 0 {
				if gap++; gap < s.radius {
					d = before
					row[x] = d
				}
			}
		}
		before = d
	}
}

// smoothBack takes a depth of 1 for a hole, as the SDK does.
func (s *Spatial) smoothBack(row []uint16) {
	delta, gap := uint16(s.delta), 0
	before := row[len(row)-1]
	for x := len(row) - 2; x >= 0; x-- {
		d := row[x]
		if before != 0 {
			if d > 1 {
				gap = 0
				if distance(d, before) <= delta {
					d = s.mix(d, before)
					row[x] = d
				}
			} else if s.radius > 0 {
				if gap++; gap < s.radius {
					d = before
					row[x] = d
				}
			}
		}
		before = d
	}
}

// smoothColumns goes down a strip of columns and up again. On the way down it
// doesn't ask whether there is depth: values below delta leak into holes.
func (s *Spatial) smoothColumns(left, right int) {
	delta := uint16(s.delta)
	above := s.out.row16(0)[left:right]
	for y := 1; y < s.out.height; y++ {
		row := s.out.row16(y)[left:right]
		for x, before := range above {
			if d := row[x]; distance(d, before) < delta {
				row[x] = s.mix(d, before)
			}
		}
		above = row
	}
	below := above
	for y := s.out.height - 2; y >= 0; y-- {
		row := s.out.row16(y)[left:right]
		for x, before := range below {
			if d := row[x]; d != 0 && before != 0 && distance(d, before) < delta {
				row[x] = s.mix(d, before)
			}
		}
		below = row
	}
}
