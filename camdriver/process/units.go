package process

import (
	"rsros/camdriver"
	"rsros/camdriver/process/internal/lens"
)

// Units gives depth in metres, beside it.
type Units struct {
	block
	profiles derivations
	in, out  plane
	units    float32
}

// NewUnits makes the units transform.
func NewUnits(res *Resources) *Units {
	return &Units{block: block{name: "Units Transform", res: res}}
}

// Process adds an image of format DISTANCE.
func (u *Units) Process(s *Set) error { return each(s, u) }

func (u *Units) wants(img Image) bool { return img.is(camdriver.Depth, camdriver.Z16) }

func (u *Units) apply(img Image) (Image, error) {
	p := u.profiles.of(img.Profile, func(p *Profile) *Profile {
		q := p.derived(camdriver.Distance, p.Width, p.Height)
		q.Stream.Index = 0
		return q
	})
	out, err := u.make(img, p, &u.in, &u.out)
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
