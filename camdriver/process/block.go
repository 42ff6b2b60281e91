package process

import (
	"errors"
	"fmt"

	"rsros/camdriver"
)

// Errors that callers decide on.
var (
	ErrUncalibrated = errors.New("unknown calibration")      // intrinsics or extrinsics that a block needs
	ErrNoBuffer     = errors.New("all buffers are held")     // the frame set is to be dropped
	ErrBadFrame     = errors.New("frame contradicts itself") // fewer bytes than its size needs
)

// Block is one step of processing.
type Block interface {
	// Name is the SDK's: "Spatial Filter".
	Name() string
	// Process changes a set in place. A set without anything for the block stays
	// as it is. After an error too: it still owns what it owned.
	Process(*Set) error
	// Reset forgets former frames and gives back those that the block held.
	Reset()
	// Options lists the settings under the SDK's names.
	Options() []camdriver.Option
	// SetOption changes one: ErrNotFound if the block has no such option, or a
	// range error.
	SetOption(id camdriver.OptionID, value float32) error
}

// Chain is blocks in a row.
type Chain []Block

// Process runs all blocks. It stops at the first error; the set then is what the
// blocks before made of it.
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

// block is what all blocks have in common.
type block struct {
	options
	name string
	res  *Resources
	job  job
	same derivations
}

// Name is the SDK's.
func (b *block) Name() string { return b.name }

// Reset of a block without memory does nothing.
func (b *block) Reset() {}

// share runs t over the rows 0 … n-1.
func (b *block) share(t task, n int) { b.res.workers.run(&b.job, t, n, b.res.workers.spread(n)) }

// filter is a block that looks at single images. apply returns a frame with a
// reference for the caller.
type filter interface {
	wants(Image) bool
	apply(Image) (Image, error)
}

// each puts every image of a set that f wants through it.
func each(s *Set, f filter) error {
	for _, img := range s.Images {
		if !f.wants(img) {
			continue
		}
		out, err := f.apply(img)
		if err != nil {
			s.discard()
			return fmt.Errorf("frame %d of %s: %w", img.Frame.Number, img.Frame.Profile, err)
		}
		s.result(out)
	}
	s.merge()
	return nil
}

// depthOrDisparity says whether an image is depth in either form.
func depthOrDisparity(img Image) bool {
	return img.is(camdriver.Depth, camdriver.Z16) || img.is(camdriver.Depth, camdriver.Disparity32)
}

// make prepares a block that works pixel by pixel: a frame of profile p in the size
// of img, and both as planes.
func (b *block) make(img Image, p *Profile, in, out *plane) (Image, error) {
	var err error
	if *in, err = planeOf(img.Frame); err != nil {
		return Image{}, err
	}
	if p.Width != in.width || p.Height != in.height {
		return Image{}, fmt.Errorf("%d×%d pixels in a stream of %d×%d: %w", in.width, in.height, p.Width, p.Height, ErrBadFrame)
	}
	made, err := b.res.frame(img.Frame, p, 0)
	if err != nil {
		return Image{}, err
	}
	*out, err = planeOf(made.Frame)
	return made, err
}

// like prepares a block whose result has the format of img.
func (b *block) like(img Image, in, out *plane) (Image, error) {
	return b.make(img, b.same.of(img.Profile, zeroIndex), in, out)
}

// zeroIndex is what the SDK's filters do to a profile.
func zeroIndex(p *Profile) *Profile {
	q := *p
	q.Stream.Index = 0
	return &q
}
