package process

import (
	"math"
	"slices"

	"rsros/camdriver"
	"rsros/camdriver/process/internal/lens"
	"rsros/camdriver/process/internal/splat"
)

// Align maps depth to the view of another stream, or other streams to the view of depth.
type Align struct {
	block
	to camdriver.StreamKind

	pairs  []*pair // one, or one per other stream if aligning to depth
	now    *pair
	depth  Image
	other  *Profile // to align depth to
	from   plane    // image to map to depth
	units  float32
	work   []alignScratch // by slot
	canvas splat.Canvas
}

// alignScratch is the memory for a row.
type alignScratch struct {
	y              []float32 // of rays
	u0, v0, u1, v1 []int32
}

// pair is a geometry in which the rays are those of the top left corners of depth's pixels.
type pair struct {
	*geometry
	bottomRight *lens.Rays // nil if a pixel maps to a single pixel
}

// NewAlign returns a block that aligns depth to the first image of a stream kind, or all
// other images to depth if that is the kind.
func NewAlign(res *Resources, to camdriver.StreamKind) *Align {
	return &Align{block: newBlock(res, "Align"), to: to, work: make([]alignScratch, res.workers.slots())}
}

func (a *Align) Reset() { a.pairs = nil }

// Process requires depth and the target.
func (a *Align) Process(s *Set) error {
	var ok bool
	if a.depth, ok = s.First(camdriver.Depth, camdriver.Z16); !ok {
		return nil
	}
	a.units = a.depth.Frame.DepthUnits
	if a.to == camdriver.Depth {
		return each(s, func(img Image) bool {
			kind := img.Frame.Stream().Kind
			return kind != camdriver.Depth && kind.Video()
		}, a.otherToDepth)
	}
	target, ok := s.First(a.to, camdriver.AnyFormat)
	if !ok {
		return nil
	}
	a.other = target.Profile
	return eachDepth(s, a.depthToOther)
}

// pair returns the geometry of two profiles, which it caches.
func (a *Align) pair(depth, other *Profile) (*pair, error) {
	for _, p := range a.pairs {
		if p.depth == depth && p.other == other {
			return p, nil
		}
	}
	p, err := a.newPair(depth, other)
	if err != nil {
		return nil, err
	}
	// Drop the pairs of an earlier run of the streams.
	a.pairs = slices.DeleteFunc(a.pairs, func(old *pair) bool {
		return old.depth != depth || old.other.Stream == other.Stream || a.to != camdriver.Depth
	})
	a.pairs = append(a.pairs, p)
	return p, nil
}

func (a *Align) newPair(depth, other *Profile) (*pair, error) {
	g, err := newGeometry(depth, other)
	if err != nil {
		return nil, err
	}
	p := &pair{geometry: g}
	if a.to == camdriver.Depth {
		p.towardsDepth()
	} else {
		p.towardsOther()
	}
	return p, nil
}

// towardsOther prepares mapping depth to the other image. If that has a finer resolution,
// a depth pixel fills the rectangle that it covers.
func (p *pair) towardsOther() {
	d, o := &p.depth.Intrinsics, &p.other.Intrinsics
	p.rays = lens.NewRays(d, d.Width, d.Height, -0.5)
	if finer(d, o) {
		p.bottomRight = lens.NewRays(d, d.Width, d.Height, 0.5)
	}
	bent := lens.Straight
	if o.Model == camdriver.ModifiedBrownConrady {
		bent = lens.Slipped
	}
	p.view.Lens = lens.NewLens(o, bent)
	p.out = p.depth.derived(camdriver.Z16, o.Width, o.Height)
	p.out.Intrinsics, p.out.Extrinsics = *o, p.other.Extrinsics
}

// towardsDepth prepares mapping the other image to depth. The corner of a depth pixel determines its colour. If the
// other image is smaller, this is the bottom right corner, a bug of the SDK.
func (p *pair) towardsDepth() {
	d, o := &p.depth.Intrinsics, &p.other.Intrinsics
	corner := float32(-0.5)
	if o.Width < d.Width && o.Height < d.Height {
		corner = 0.5
	}
	p.rays = lens.NewRays(d, d.Width, d.Height, corner)
	bent := lens.Straight
	if o.Model == camdriver.ModifiedBrownConrady || o.Model == camdriver.InverseBrownConrady {
		bent = lens.Slipped
	}
	p.view.Lens = lens.NewLens(o, bent)
	p.out = p.other.derived(p.other.Format, d.Width, d.Height)
	p.out.Intrinsics, p.out.Extrinsics = *d, p.depth.Extrinsics
}

// finer reports whether o has more pixels per degree than d, horizontally or vertically.
func finer(d, o *camdriver.Intrinsics) bool {
	if d.Width == 640 && (d.Height == 240 && o.Width == 320 && o.Height == 180 ||
		d.Height == 480 && o.Width == 640 && o.Height == 360) {
		return true
	}
	return perDegree(d.Width, d.Ppx, d.Fx) < perDegree(o.Width, o.Ppx, o.Fx) ||
		perDegree(d.Height, d.Ppy, d.Fy) < perDegree(o.Height, o.Ppy, o.Fy)
}

func perDegree(size int, ppx, fx float64) float32 {
	p, f := float32(ppx)+0.5, float32(fx)
	angle := float32(math.Atan2(float64(p), float64(f))) + float32(math.Atan2(float64(float32(size)-p), float64(f)))
	return float32(size) / float32(angle*57.2957795)
}

// begin returns an image with the data of from for the geometry of depth and another profile.
func (a *Align) begin(other *Profile, from Image) (Image, error) {
	var err error
	if a.in, err = planeOf(a.depth.Frame); err != nil {
		return Image{}, err
	}
	if err := calibrated(a.depth.Profile, &a.in); err != nil {
		return Image{}, err
	}
	if a.now, err = a.pair(a.depth.Profile, other); err != nil {
		return Image{}, err
	}
	width := a.in.width
	for i := range a.work {
		if w := &a.work[i]; len(w.u0) < width {
			w.y = make([]float32, width)
			w.u0, w.v0, w.u1, w.v1 = make([]int32, width), make([]int32, width), make([]int32, width), make([]int32, width)
		}
	}
	return a.output(from, a.now.out)
}
