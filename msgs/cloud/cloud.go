// Package cloud encodes points in the sensor_msgs/PointCloud2 layout of
// realsense2_camera: x, y, z as float32, four unused bytes, and at offset 16 the
// colour, as PCL packs it, or the brightness. Where realsense2_camera leaves bytes of
// an earlier message or reads outside of the image, zeros are written here. A missing
// point is NaN in an ordered cloud, as PCL expects, and not the origin.
package cloud

import (
	"fmt"

	"rsros/msgs"
)

// Texture is the picture that gives the points their colour. Data is borrowed.
type Texture struct {
	Width, Height int
	Step          int    // bytes from row to row
	Pixel         int    // bytes of a pixel
	RGB           [3]int // places of red, green and blue in it; not used if Gray
	Gray          bool   // 8 bits of brightness
	Data          []byte
}

// Shape is what is known of points before they are computed.
type Shape struct {
	Width, Height int // of the depth picture: one point a pixel
	// Places says that rows come with the places of their points in the texture.
	// Without them each pixel's colour is the texture's at the same place, whose size
	// must be the same.
	Places  bool
	Texture *Texture // nil: no colours
}

// Options are realsense2_camera's parameters.
type Options struct {
	Ordered        bool // ordered_pc: keep the picture's rows, points that aren't there as well
	AllowNoTexture bool // allow_no_texture_points: keep points that the texture doesn't show, in black
}

const (
	step         = 20 // bytes of a point with colour
	stepBare     = 16
	colourOffset = 16
)

func float(name string, offset uint32) msgs.PointField {
	return msgs.PointField{Name: name, Offset: offset, Datatype: msgs.PointFloat32, Count: 1}
}

// maxSide bounds width and height.
const maxSide = 1 << 14

// Check returns an error that says which of the sizes don't fit.
func (s *Shape) Check() error {
	if s.Width <= 0 || s.Height <= 0 || s.Width > maxSide || s.Height > maxSide {
		return fmt.Errorf("pack a cloud: %dx%d points, want 1 to %d", s.Width, s.Height, maxSide)
	}
	t := s.Texture
	if t == nil {
		return nil
	}
	row, least := t.Pixel*t.Width, 1
	if !t.Gray {
		least = max(t.RGB[0], t.RGB[1], t.RGB[2]) + 1
	}
	switch {
	case t.Width <= 0 || t.Height <= 0 || t.Width > maxSide || t.Height > maxSide:
		return fmt.Errorf("pack a cloud: a texture of %dx%d, want 1 to %d", t.Width, t.Height, maxSide)
	case t.Pixel < least || min(t.RGB[0], t.RGB[1], t.RGB[2]) < 0 || t.Step < row || len(t.Data) < t.Step*(t.Height-1)+row:
		return fmt.Errorf("pack a cloud: a texture of %d bytes, %d rows of %d pixels of %d bytes every %d", len(t.Data), t.Height, t.Width, t.Pixel, t.Step)
	case !s.Places && (t.Width != s.Width || t.Height != s.Height):
		return fmt.Errorf("pack a cloud: a texture of %dx%d pixels for %dx%d points", t.Width, t.Height, s.Width, s.Height)
	}
	return nil
}
