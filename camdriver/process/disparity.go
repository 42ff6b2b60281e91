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
			toDisparity(rowOf[float32](&d.out, y), d.in.row16(y), d.factor)
		} else {
			toDepth(d.out.row16(y), rowOf[float32](&d.in, y), d.factor)
		}
	}
}

func toDisparity(out []float32, in []uint16, factor float32) {
	out = out[:len(in)]
	for x, d := range in {
		if d == 0 {
			out[x] = 0
			continue
		}
		out[x] = factor / float32(d)
	}
}

// smallestNormal is the least float32 that has all its bits.
const smallestNormal = 0x1p-126

func toDepth(out []uint16, in []float32, factor float32) {
	out = out[:len(in)]
	for x, p := range in {
		f := factor/p + 0.5
		if p >= smallestNormal && f < 1<<16 { // the usual case
			out[x] = uint16(int32(f))
			continue
		}
		out[x] = 0
		if abs := max(p, -p); abs >= smallestNormal && abs <= maxFloat {
			out[x] = low16(f)
		}
	}
}

const maxFloat = 0x1.fffffep127

// low16 is what the processor of the SDK's build makes of a float that may not fit:
// the low half of an int32.
func low16(f float32) uint16 { return uint16(lens.Truncated(f)) }
