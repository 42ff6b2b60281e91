package process

import (
	"fmt"

	"rsros/camdriver"
)

// Block is a processing step.
type Block interface {
	// Name returns the SDK's name: "Spatial Filter".
	Name() string
	// Process modifies a set in place. It doesn't change a set that lacks the images
	// that it needs. After an error, the set is unchanged.
	Process(*Set) error
	// Reset forgets previous frames and releases retained ones.
	Reset()
	// Options returns the settings, by the SDK's names.
	Options() []camdriver.Option
	// SetOption changes an option. It returns camdriver.ErrNotFound or an error if the value is out of range.
	SetOption(id camdriver.OptionID, value float32) error
}

// Chain is a sequence of blocks.
type Chain []Block

// Process runs all blocks. It stops at the first error and leaves the set with the result of the blocks before.
func (c Chain) Process(s *Set) error {
	for _, b := range c {
		if err := b.Process(s); err != nil {
			return fmt.Errorf("%s: %w", b.Name(), err)
		}
	}
	return nil
}

// Reset resets all blocks.
func (c Chain) Reset() {
	for _, b := range c {
		b.Reset()
	}
}

// block is the common part of all blocks.
type block struct {
	options
	name     string
	res      *Resources
	job      job
	profiles derivations
	in, out  plane // of the running apply
}

func newBlock(res *Resources, name string, list ...option) block {
	return block{options: options{list: list}, name: name, res: res}
}

func (b *block) Name() string { return b.name }

// Reset implements Block for blocks without history.
func (b *block) Reset() {}

// share runs t over the rows 0 … n-1.
func (b *block) share(t task, n int) { b.res.workers.run(&b.job, t, n, b.res.workers.spread(n)) }

// each calls apply with each image of a set that wants selects. apply returns a frame with a reference.
func each(s *Set, wants func(Image) bool, apply func(Image) (Image, error)) error {
	for _, img := range s.Images {
		if !wants(img) {
			continue
		}
		out, err := apply(img)
		if err != nil {
			s.discard()
			return failed(img, err)
		}
		s.result(out)
	}
	s.merge()
	return nil
}

func failed(img Image, err error) error {
	return fmt.Errorf("frame %d of %s: %w", img.Frame.Number, img.Frame.Profile, err)
}

// eachDepth is each for the set's first depth.
func eachDepth(s *Set, apply func(Image) (Image, error)) error {
	depth, _ := s.First(camdriver.Depth, camdriver.Z16)
	return each(s, func(img Image) bool { return img == depth }, apply)
}

func isDepth(img Image) bool { return img.is(camdriver.Depth, camdriver.Z16) }

func isDepthOrDisparity(img Image) bool {
	return isDepth(img) || img.is(camdriver.Depth, camdriver.Disparity32)
}

// make returns a frame of profile p with the size of img, and sets the planes of both.
func (b *block) make(img Image, p *Profile) (Image, error) {
	var err error
	if b.in, err = planeOf(img.Frame); err != nil {
		return Image{}, err
	}
	if p.Width != b.in.width || p.Height != b.in.height {
		return Image{}, fmt.Errorf("frame has %d×%d pixels in a stream of %d×%d: %w", b.in.width, b.in.height,
			p.Width, p.Height, ErrBadFrame)
	}
	return b.output(img, p)
}

// output returns a frame of profile p for a result of img, and sets its plane.
func (b *block) output(img Image, p *Profile) (Image, error) {
	made, err := b.res.frame(img.Frame, p, 0)
	if err != nil {
		return Image{}, err
	}
	if b.out, err = planeOf(made.Frame); err != nil {
		made.Frame.Release()
		return Image{}, err
	}
	return made, nil
}

// like is make for results in the format of img. As in the SDK, their stream has index 0.
func (b *block) like(img Image) (Image, error) { return b.convert(img, img.Profile.Format) }

// convert is like for results in another format.
func (b *block) convert(img Image, format camdriver.Format) (Image, error) {
	return b.make(img, b.profiles.of(img.Profile, func(p *Profile) *Profile {
		q := *p
		q.Format, q.Stream.Index = format, 0
		return &q
	}))
}
