// Package cloud encodes points in the sensor_msgs/PointCloud2 layout of realsense2_camera: x, y, z as float32, four
// unused bytes, and at offset 16 the colour as packed by PCL, or the brightness. It writes zeros where
// realsense2_camera leaves bytes of an earlier message or reads outside of the image. As PCL expects, a missing point
// of an ordered cloud is NaN instead of the origin.
package cloud

import (
	"fmt"

	"rsros/msgs"
)

// Texture is the image with the colours of the points. Data is borrowed.
type Texture struct {
	Width, Height int
	Step          int    // bytes per row, with padding
	Pixel         int    // bytes per pixel
	RGB           [3]int // offsets of red, green and blue; not used if Gray
	Gray          bool   // 8 bits of brightness
	Data          []byte
}

// Shape describes a cloud before its points are computed.
type Shape struct {
	Width, Height int // of the depth image
	// Places means that rows have texture coordinates. Otherwise the texture must have
	// the depth image's size, and a pixel has the colour of the same pixel in it.
	Places  bool
	Texture *Texture // nil for no colours
}

// Options are realsense2_camera's parameters.
type Options struct {
	Ordered        bool // ordered_pc: keep the image's rows, including missing points
	AllowNoTexture bool // allow_no_texture_points: keep points outside of the texture, in black
}

const (
	step         = 20 // size of a point with colour
	stepBare     = 16
	colourOffset = 16
)

func float(name string, offset uint32) msgs.PointField {
	return msgs.PointField{Name: name, Offset: offset, Datatype: msgs.PointFloat32, Count: 1}
}

// maxSide bounds width and height.
const maxSide = 1 << 14

// Check returns an error if sizes are invalid or inconsistent.
func (s *Shape) Check() error {
	if s.Width <= 0 || s.Height <= 0 || s.Width > maxSide || s.Height > maxSide {
		return fmt.Errorf("pack cloud: size is %dx%d, want 1 to %d", s.Width, s.Height, maxSide)
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
		return fmt.Errorf("pack cloud: texture size is %dx%d, want 1 to %d", t.Width, t.Height, maxSide)
	case t.Pixel < least || min(t.RGB[0], t.RGB[1], t.RGB[2]) < 0 || t.Step < row || len(t.Data) < t.Step*(t.Height-1)+row:
		return fmt.Errorf("pack cloud: texture has %d bytes, want %d rows of %d pixels of %d bytes with step %d", len(t.Data),
			t.Height, t.Width, t.Pixel, t.Step)
	case !s.Places && (t.Width != s.Width || t.Height != s.Height):
		return fmt.Errorf("pack cloud: texture size is %dx%d, want %dx%d", t.Width, t.Height, s.Width, s.Height)
	}
	return nil
}
