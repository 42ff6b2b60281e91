package process

import (
	"errors"
	"fmt"

	"rsros/camdriver"
)

// Errors of blocks.
var (
	ErrUncalibrated = errors.New("unknown calibration") // intrinsics or extrinsics are missing
	ErrNoBuffer     = errors.New("all buffers in use")  // drop the frame set
	ErrBadFrame     = errors.New("inconsistent frame")  // for example, too few bytes for its size
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
	// SetOption changes an option. It returns camdriver.ErrNotFound or an error if the
	// value is out of range.
	SetOption(id camdriver.OptionID, value float32) error
}

// Chain is a sequence of blocks.
type Chain []Block

// Process runs all blocks. It stops at the first error and leaves the set with the result
// of the blocks before.
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
	name string
	res  *Resources
	job  job
	same derivations
}

func (b *block) Name() string { return b.name }

// Reset implements Block for blocks without history.
func (b *block) Reset() {}

// share runs t over the rows 0 … n-1.
func (b *block) share(t task, n int) { b.res.workers.run(&b.job, t, n, b.res.workers.spread(n)) }

// each calls apply with each image of a set that wants selects. apply returns a frame
// with a reference.
func each(s *Set, wants func(Image) bool, apply func(Image) (Image, error)) error {
	for _, img := range s.Images {
		if !wants(img) {
			continue
		}
		out, err := apply(img)
		if err != nil {
			s.discard()
			return fmt.Errorf("frame %d of %s: %w", img.Frame.Number, img.Frame.Profile, err)
		}
		s.result(out)
	}
	s.merge()
	return nil
}

func isDepth(img Image) bool { return img.is(camdriver.Depth, camdriver.Z16) }

func isDepthOrDisparity(img Image) bool {
	return isDepth(img) || img.is(camdriver.Depth, camdriver.Disparity32)
}

// make returns a frame of profile p with the size of img, and the planes of both.
func (b *block) make(img Image, p *Profile, in, out *plane) (Image, error) {
	var err error
	if *in, err = planeOf(img.Frame); err != nil {
		return Image{}, err
	}
	if p.Width != in.width || p.Height != in.height {
		return Image{}, fmt.Errorf("frame has %d×%d pixels in a stream of %d×%d: %w", in.width, in.height, p.Width, p.Height, ErrBadFrame)
	}
	return b.output(img, p, out)
}

// output returns a frame of profile p for a result of img, and its plane.
func (b *block) output(img Image, p *Profile, out *plane) (Image, error) {
	made, err := b.res.frame(img.Frame, p, 0)
	if err != nil {
		return Image{}, err
	}
	if *out, err = planeOf(made.Frame); err != nil {
		made.Frame.Release()
		return Image{}, err
	}
	return made, nil
}

// like is make for results in the format of img.
func (b *block) like(img Image, in, out *plane) (Image, error) {
	return b.make(img, b.same.of(img.Profile, zeroIndex), in, out)
}

// convert is make for results in another format.
func (b *block) convert(img Image, format camdriver.Format, in, out *plane) (Image, error) {
	p := b.same.of(img.Profile, func(p *Profile) *Profile { return zeroIndex(p.derived(format, p.Width, p.Height)) })
	return b.make(img, p, in, out)
}

// zeroIndex returns p with stream index 0, as the SDK's filters do.
func zeroIndex(p *Profile) *Profile {
	q := *p
	q.Stream.Index = 0
	return &q
}
