package process

import (
	"fmt"

	"rsros/camdriver"
	"rsros/camdriver/process/internal/lens"
)

// PointCloud converts depth to points. It adds an image of format XYZ32F with depth's
// size: x, y, z of each pixel in metres, or 0, 0, 0 if depth is unknown. Use Points to
// read it.
type PointCloud struct {
	block
	texture camdriver.StreamID // AnyStream for none

	geometry *cloudGeometry
	depth    plane
	xyz, uv  []float32 // of the output image
	sinks    []PointSink
	places   bool // sinks need texture coordinates
	units    float32
	occlude  bool
	work     []cloudScratch
}

// cloudScratch is the memory for a row.
type cloudScratch struct{ y, xyz, uv []float32 }

// cloudGeometry is the geometry of a pair of profiles.
type cloudGeometry struct {
	depth, texture *Profile // texture may be nil
	out            *Profile
	rays           *lens.Rays
	view           lens.View
	width, height  float32 // of the texture
	beside         bool    // the texture's camera is beside depth's
}

// NewPointCloud returns a block for points with coordinates in a texture stream: the given
// stream, or else the first of its kind. AnyStream means no texture.
//
// Points that are hidden from the texture's camera become 0, 0, 0 unless Filter Magnitude
// is 1. This needs a texture camera to the right or left of depth's.
func NewPointCloud(res *Resources, texture camdriver.StreamID) *PointCloud {
	p := &PointCloud{block: block{name: "Pointcloud", res: res}, texture: texture, work: make([]cloudScratch, res.workers.slots())}
	p.list = []option{newOption(camdriver.OptionFilterMagnitude, whole, 1, 2, 1, 2, "Occlusion removal: 1 off, 2 on")}
	return p
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
	depth, ok := s.First(camdriver.Depth, camdriver.Z16)
	if !ok {
		return nil
	}
	if err := p.process(s, depth); err != nil {
		s.discard()
		return fmt.Errorf("frame %d of %s: %w", depth.Frame.Number, depth.Frame.Profile, err)
	}
	s.merge()
	return nil
}

func (p *PointCloud) process(s *Set, depth Image) error {
	if err := p.begin(s, depth); err != nil {
		return err
	}
	extra := 0
	if p.geometry.texture != nil {
		extra = 8 * p.depth.width * p.depth.height
	}
	img, err := p.res.frame(depth.Frame, p.geometry.out, extra)
	if err != nil {
		return err
	}
	s.result(img)
	p.xyz, p.uv = Points(img)
	p.share((*cloudRows)(p), p.depth.height)
	p.depth, p.xyz, p.uv = plane{}, nil, nil
	return nil
}

// begin prepares the geometry and options for a set.
func (p *PointCloud) begin(s *Set, depth Image) error {
	var err error
	if p.depth, err = planeOf(depth.Frame); err != nil {
		return err
	}
	if err := p.prepare(depth.Profile, p.textureOf(s)); err != nil {
		return err
	}
	g := p.geometry
	if p.depth.width != g.rays.Width || p.depth.height != g.rays.Height {
		return errSize(depth, g.rays)
	}
	p.units = depth.Frame.DepthUnits
	p.occlude = p.get(camdriver.OptionFilterMagnitude) > 1 && g.texture != nil && g.beside
	for i := range p.work {
		if w := &p.work[i]; len(w.y) < p.depth.width {
			*w = cloudScratch{make([]float32, p.depth.width), make([]float32, 3*p.depth.width), make([]float32, 2*p.depth.width)}
		}
	}
	return nil
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
		return p.geometry.texture
	}
	return nil
}

// prepare computes the geometry of two profiles unless it is the current one.
func (p *PointCloud) prepare(depth, texture *Profile) error {
	if p.geometry != nil && p.geometry.depth == depth && p.geometry.texture == texture {
		return nil
	}
	d := &depth.Intrinsics
	if d.Width == 0 || texture != nil && texture.Intrinsics.Width == 0 {
		return fmt.Errorf("intrinsics of depth or texture: %w", ErrUncalibrated)
	}
	if d.Width != p.depth.width || d.Height != p.depth.height {
		return fmt.Errorf("frame has %d×%d pixels, but intrinsics are for %d×%d: %w", p.depth.width, p.depth.height, d.Width, d.Height, ErrBadFrame)
	}
	g := &cloudGeometry{depth: depth, texture: texture, rays: lens.NewRays(d, d.Width, d.Height, 0)}
	g.out = depth.derived(camdriver.XYZ32F, d.Width, d.Height)
	if texture != nil {
		t := &texture.Intrinsics
		var err error
		if g.view.Turn, err = depth.extrinsics(texture); err != nil {
			return err
		}
		below := g.view.Turn.T[0] < 0.001 && g.view.Turn.T[1] > 0.01 // L500 cameras
		g.beside = !g.view.Turn.Identity() && !below
		g.width, g.height = float32(t.Width), float32(t.Height)
		g.view.Lens = lens.NewLens(t, cloudBending(t.Model))
	}
	p.geometry = g
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
	width, w, g := p.depth.width, &p.work[slot], p.geometry
	for row := from; row < to; row++ {
		xyz := p.xyz[3*row*width:][:3*width]
		if g.texture == nil {
			g.rays.Deproject(xyz, p.depth.row16(row), row, p.units, w.y)
		} else {
			(*PointCloud)(p).points(w, row, xyz, p.uv[2*row*width:][:2*width], true)
		}
	}
	lens.Fence()
}

// points computes the points of a row. It sets uv if places is set and there is a
// texture.
func (p *PointCloud) points(w *cloudScratch, row int, xyz, uv []float32, places bool) {
	g := p.geometry
	depth := p.depth.row16(row)
	x, y := g.rays.Row(row, w.y)
	lens.Deproject(xyz, depth, x, y, p.units)
	if g.texture == nil || !places && !p.occlude {
		return
	}
	g.view.Project(uv, xyz, depth, x, y, p.units)
	if p.occlude {
		occludeRow(xyz, uv)
	}
	if places {
		lens.Divide(uv, g.width, g.height)
	}
}
