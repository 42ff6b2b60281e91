package process

import (
	"rsros/camdriver"
	"rsros/camdriver/process/internal/lens"
)

// Units adds depth in metres.
type Units struct {
	block
	units float32
}

// NewUnits returns a units transform.
func NewUnits(res *Resources) *Units {
	return &Units{block: block{name: "Units Transform", res: res}}
}

// Process adds an image of format DISTANCE.
func (u *Units) Process(s *Set) error { return each(s, isDepth, u.apply) }

func (u *Units) apply(img Image) (Image, error) {
	out, err := u.convert(img, camdriver.Distance)
	if err != nil {
		return Image{}, err
	}
	u.units = img.Frame.DepthUnits
	u.share(u, u.in.height)
	return out, nil
}

func (u *Units) rows(_, from, to int) {
	for y := from; y < to; y++ {
		lens.Metres(rowOf[float32](&u.out, y), u.in.row16(y), u.units)
	}
}
