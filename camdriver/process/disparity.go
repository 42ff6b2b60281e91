package process

import (
	"rsros/camdriver"
	"rsros/camdriver/process/internal/lens"
)

// Disparity converts between depth and disparity. It doesn't change frames of streams without a stereo baseline.
type Disparity struct {
	block
	from, to camdriver.Format
	factor   float32 // depth in units × disparity
}

// NewDisparity returns a block that converts depth to disparity.
func NewDisparity(res *Resources) *Disparity {
	return &Disparity{block: newBlock(res, "Depth to Disparity"), from: camdriver.Z16, to: camdriver.Disparity32}
}

// NewDepth returns a block that converts disparity to depth.
func NewDepth(res *Resources) *Disparity {
	return &Disparity{block: newBlock(res, "Disparity to Depth"), from: camdriver.Disparity32, to: camdriver.Z16}
}

func (d *Disparity) Process(s *Set) error { return each(s, d.wants, d.apply) }

func (d *Disparity) wants(img Image) bool {
	return img.is(camdriver.Depth, d.from) && img.Profile.Baseline > 0 &&
		img.Profile.Intrinsics.Width > 0 && img.Frame.DepthUnits > 0
}

func (d *Disparity) apply(img Image) (Image, error) {
	out, err := d.convert(img, d.to)
	if err != nil {
		return Image{}, err
	}
	d.factor = disparityFactor(img)
	d.share(d, d.in.height)
	return out, nil
}

// disparityFactor returns the product of depth in units and disparity in 32nds of a pixel.
func disparityFactor(img Image) float32 {
	baseline := float32(img.Profile.Baseline * 0.001)
	return float32(float32(baseline*float32(img.Profile.Intrinsics.Fx))*32) / img.Frame.DepthUnits
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
