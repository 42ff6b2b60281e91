package process

import (
	"rsros/camdriver"
	"rsros/camdriver/process/internal/lens"
)

// PointCloud converts depth to points. It adds an image of format XYZ32F with depth's size: x, y, z of each pixel in
// metres, or 0, 0, 0 if depth is unknown. Use Points to read it.
type PointCloud struct {
	block
	texture camdriver.StreamID // AnyStream for none

	geometry *geometry
	xyz, uv  []float32 // of the output image
	sinks    []PointSink
	places   bool // sinks need texture coordinates
	units    float32
	occlude  bool
	work     []cloudScratch
}

// cloudScratch is the memory for a row.
type cloudScratch struct{ y, xyz, uv []float32 }

// NewPointCloud returns a block for points with coordinates in a texture stream: the given
// stream, or else the first of its kind. AnyStream means no texture.
//
// Points that are hidden from the texture's camera become 0, 0, 0 unless Filter Magnitude
// is 1. This needs a texture camera to the right or left of depth's.
func NewPointCloud(res *Resources, texture camdriver.StreamID) *PointCloud {
	return &PointCloud{texture: texture, work: make([]cloudScratch, res.workers.slots()),
		block: newBlock(res, "Pointcloud",
			newOption(camdriver.OptionFilterMagnitude, integral, 1, 2, 1, 2, "Occlusion removal: 1 off, 2 on"))}
}

func (p *PointCloud) Reset() { p.geometry = nil }

// Points returns x, y, z and u, v of each point of a PointCloud's image. u and v are
// fractions of the texture's width and height; they may be outside 0 … 1 or NaN. Without
// a texture, uv is empty. The slices are valid as long as the frame.
func Points(img Image) (xyz, uv []float32) {
	f := img.Frame
	n := f.Width * f.Height
	if f.Profile.Format != camdriver.XYZ32F || len(f.Data) != 12*n && len(f.Data) != 20*n {
		return nil, nil
	}
	all := reinterpret[float32](f.Data)
	return all[:3*n], all[3*n:]
}

func (p *PointCloud) Process(s *Set) error {
	texture := p.textureOf(s)
	return eachDepth(s, func(depth Image) (Image, error) {
		if err := p.begin(depth, texture); err != nil {
			return Image{}, err
		}
		extra := 0
		if texture != nil {
			extra = 8 * p.in.width * p.in.height
		}
		img, err := p.res.frame(depth.Frame, p.geometry.out, extra)
		if err != nil {
			return Image{}, err
		}
		p.xyz, p.uv = Points(img)
		p.share((*cloudRows)(p), p.in.height)
		return img, nil
	})
}

// begin prepares the geometry and options for an image.
func (p *PointCloud) begin(depth Image, texture *Profile) error {
	var err error
	if p.in, err = planeOf(depth.Frame); err != nil {
		return err
	}
	if err := calibrated(depth.Profile, &p.in); err != nil {
		return err
	}
	if p.geometry == nil || p.geometry.depth != depth.Profile || p.geometry.other != texture {
		g, err := newGeometry(depth.Profile, texture)
		if err != nil {
			return err
		}
		d := &depth.Profile.Intrinsics
		g.rays, g.out = lens.NewRays(d, d.Width, d.Height, 0), depth.Profile.derived(camdriver.XYZ32F, d.Width, d.Height)
		if texture != nil {
			g.view.Lens = lens.NewLens(&texture.Intrinsics, cloudBending(texture.Intrinsics.Model))
		}
		p.geometry = g
	}
	p.units = depth.Frame.DepthUnits
	p.occlude = p.get(camdriver.OptionFilterMagnitude) > 1 && texture != nil && p.geometry.beside()
	for i := range p.work {
		if w := &p.work[i]; len(w.y) < p.in.width {
			*w = cloudScratch{make([]float32, p.in.width), make([]float32, 3*p.in.width), make([]float32, 2*p.in.width)}
		}
	}
	return nil
}

// beside reports whether the other camera is beside depth's, not below it as in L500 cameras.
func (g *geometry) beside() bool {
	t := &g.view.Turn
	return !t.Identity() && !(t.T[0] < 0.001 && t.T[1] > 0.01)
}

// textureOf returns the profile of the texture, or the previous one if the set has none.
func (p *PointCloud) textureOf(s *Set) *Profile {
	if p.texture.Kind == camdriver.AnyStream {
		return nil
	}
	for _, img := range s.Images {
		if img.Frame.Stream() == p.texture && img.Frame.Profile.Format != camdriver.XYZ32F {
			return img.Profile
		}
	}
	if img, ok := s.First(p.texture.Kind, camdriver.AnyFormat); ok {
		return img.Profile
	}
	if p.geometry != nil {
		return p.geometry.other
	}
	return nil
}

// cloudBending returns the distortion that the SDK's fast path applies for a lens model.
func cloudBending(m camdriver.Distortion) lens.Distortion {
	switch m {
	case camdriver.NoDistortion:
		return lens.Straight
	case camdriver.BrownConrady:
		return lens.Brown
	}
	return lens.Modified
}

// cloudRows computes the points of rows of the image.
type cloudRows PointCloud

func (p *cloudRows) rows(slot, from, to int) {
	width, w, g := p.in.width, &p.work[slot], p.geometry
	for row := from; row < to; row++ {
		xyz := p.xyz[3*row*width:][:3*width]
		if g.other == nil {
			g.rays.Deproject(xyz, p.in.row16(row), row, p.units, w.y)
		} else {
			(*PointCloud)(p).points(w, row, xyz, p.uv[2*row*width:][:2*width], true)
		}
	}
	lens.Fence()
}

// points computes the points of a row. It sets uv if places is set and there is a texture.
func (p *PointCloud) points(w *cloudScratch, row int, xyz, uv []float32, places bool) {
	g := p.geometry
	depth := p.in.row16(row)
	x, y := g.rays.Row(row, w.y)
	lens.Deproject(xyz, depth, x, y, p.units)
	if g.other == nil || !places && !p.occlude {
		return
	}
	g.view.Project(uv, xyz, depth, x, y, p.units)
	if p.occlude {
		occludeRow(xyz, uv)
	}
	if places {
		lens.Divide(uv, float32(g.other.Intrinsics.Width), float32(g.other.Intrinsics.Height))
	}
}
