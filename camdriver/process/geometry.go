package process

import (
	"fmt"

	"rsros/camdriver/process/internal/lens"
)

// geometry is that between a depth and another profile.
type geometry struct {
	depth, other *Profile // other may be nil
	out          *Profile // of the result
	rays         *lens.Rays
	view         lens.View // of the other camera
}

// calibrated returns an error unless the intrinsics of depth are for an image of p's size.
func calibrated(depth *Profile, p *plane) error {
	in := &depth.Intrinsics
	switch {
	case in.Width == 0:
		return fmt.Errorf("intrinsics of %s: %w", depth.Stream, ErrUncalibrated)
	case in.Width != p.width || in.Height != p.height:
		return fmt.Errorf("depth has %d×%d pixels, but intrinsics are for %d×%d: %w", p.width, p.height,
			in.Width, in.Height, ErrBadFrame)
	}
	return nil
}

// newGeometry returns a geometry without rays and lens. depth must be calibrated.
func newGeometry(depth, other *Profile) (*geometry, error) {
	g := &geometry{depth: depth, other: other}
	if other == nil {
		return g, nil
	}
	if other.Intrinsics.Width == 0 {
		return nil, fmt.Errorf("intrinsics of %s: %w", other.Stream, ErrUncalibrated)
	}
	var err error
	g.view.Turn, err = depth.extrinsics(other)
	return g, err
}
