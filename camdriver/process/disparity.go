package process

import (
	"rsros/camdriver"
	"rsros/camdriver/process/internal/lens"
)

// Disparity turns depth into disparity or back. Frames of a stream without a
// stereo baseline pass as they are.
type Disparity struct {
	block
	from, to camdriver.Format
	profiles derivations
	in, out  plane
	factor   float32 // depth in units × disparity
}

// NewDisparity makes disparity of depth.
func NewDisparity(res *Resources) *Disparity {
	return &Disparity{block: block{name: "Depth to Disparity", res: res}, from: camdriver.Z16, to: camdriver.Disparity32}
}

// NewDepth makes depth of disparity.
func NewDepth(res *Resources) *Disparity {
	return &Disparity{block: block{name: "Disparity to Depth", res: res}, from: camdriver.Disparity32, to: camdriver.Z16}
}

// Process replaces the one by the other.
func (d *Disparity) Process(s *Set) error { return each(s, d) }

func (d *Disparity) wants(img Image) bool {
	return img.is(camdriver.Depth, d.from) && img.Profile.Baseline > 0 && img.Profile.Intrinsics.Width > 0 && img.Frame.DepthUnits > 0
}

func (d *Disparity) apply(img Image) (Image, error) {
	p := d.profiles.of(img.Profile, func(p *Profile) *Profile {
		q := p.derived(d.to, p.Width, p.Height)
		q.Stream.Index = 0
		return q
	})
	out, err := d.make(img, p, &d.in, &d.out)
	if err != nil {
		return Image{}, err
	}
	d.factor = disparityFactor(img)
	d.share(d, d.in.height)
	return out, nil
}

// disparityFactor divided by a depth in units is its disparity in 32nds of a pixel.
func disparityFactor(img Image) float32 {
	return float32(float32(float32(img.Profile.Baseline*0.001)*float32(img.Profile.Intrinsics.Fx))*32) / img.Frame.DepthUnits
}

func (d *Disparity) rows(_, from, to int) {
	for y := from; y < to; y++ {
		if d.to == camdriver.Disparity32 {
			lens.ToDisparity(rowOf[float32](&d.out, y), d.in.row16(y), d.factor)
		} else {
			lens.ToDepth(d.out.row16(y), rowOf[float32](&d.in, y), d.factor)
		}
	}
}
