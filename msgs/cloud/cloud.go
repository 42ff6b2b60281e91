// Package cloud encodes points in the sensor_msgs/PointCloud2 layout of
// realsense2_camera: x, y, z as float32, four unused bytes, and at offset 16 the
// colour, as PCL packs it, or the brightness. Where realsense2_camera leaves bytes of
// an earlier message or reads outside of the image, zeros are written here. A missing
// point is NaN in an ordered cloud, as PCL expects, and not the origin.
package cloud

import (
	"encoding/binary"
	"fmt"
	"math"

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

// Points are those of a depth picture, one a pixel.
type Points struct {
	Width, Height int
	XYZ           []float32 // 3 a pixel, in metres; z = 0 where nothing was seen
	// UV are 2 a pixel, where it lies in the texture: 0 … 1. Without them each
	// pixel's colour is the texture's at the same place, whose size must be the same.
	UV      []float32
	Texture *Texture // nil: no colours
}

// Options are realsense2_camera's parameters.
type Options struct {
	Ordered        bool // ordered_pc: keep the picture's rows, points that aren't there as well
	AllowNoTexture bool // allow_no_texture_points: keep points that the texture doesn't show, in black
}

// MaxStep is how many bytes a point takes at most.
const MaxStep = step

const (
	step         = 20 // bytes of a point with colour
	stepBare     = 16
	colourOffset = 16
)

// Pack appends the points to dst and returns the message's head, but its header,
// and dst. A cloud that isn't ordered is dense. Errors say which of the sizes
// don't fit.
func Pack(dst []byte, p Points, o Options) (head msgs.PointCloudHead, data []byte, err error) {
	if err := p.check(); err != nil {
		return head, dst, err
	}
	size := stepBare
	head.Fields = []msgs.PointField{float("x", 0), float("y", 4), float("z", 8)}
	if t := p.Texture; t != nil {
		size = step
		name := "rgb"
		if t.Gray {
			name = "intensity"
		}
		head.Fields = append(head.Fields, float(name, colourOffset))
	}
	start, n := len(dst), p.Width*p.Height
	dst = grow(dst, n*size)
	w := writer{to: dst[start:], size: size, Points: p, Options: o}
	for y := range p.Height {
		w.row(y)
	}
	head.Width, head.Height = uint32(w.at/size), 1
	if o.Ordered {
		head.Width, head.Height = uint32(p.Width), uint32(p.Height)
	}
	head.PointStep = uint32(size)
	head.RowStep = head.Width * head.PointStep
	head.DataLen = uint32(w.at)
	return head, dst[:start+w.at], nil
}

func float(name string, offset uint32) msgs.PointField {
	return msgs.PointField{Name: name, Offset: offset, Datatype: msgs.PointFloat32, Count: 1}
}

func grow(dst []byte, n int) []byte {
	if cap(dst) < len(dst)+n {
		dst = append(make([]byte, 0, len(dst)+n), dst...)
	}
	return dst[:len(dst)+n]
}

// maxSide bounds width and height.
const maxSide = 1 << 14

func (p *Points) check() error {
	n := p.Width * p.Height
	if p.Width <= 0 || p.Height <= 0 || p.Width > maxSide || p.Height > maxSide {
		return fmt.Errorf("pack a cloud: %dx%d points, want 1 to %d", p.Width, p.Height, maxSide)
	}
	if len(p.XYZ) < 3*n {
		return fmt.Errorf("pack a cloud: %d coordinates, %d points need %d", len(p.XYZ), n, 3*n)
	}
	t := p.Texture
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
	case p.UV == nil && (t.Width != p.Width || t.Height != p.Height):
		return fmt.Errorf("pack a cloud: a texture of %dx%d pixels for %dx%d points", t.Width, t.Height, p.Width, p.Height)
	case p.UV != nil && len(p.UV) < 2*n:
		return fmt.Errorf("pack a cloud: %d texture coordinates, %d points need %d", len(p.UV), n, 2*n)
	}
	return nil
}

// writer appends points.
type writer struct {
	Points
	Options
	to   []byte
	at   int
	size int
}

// row appends the points of a row.
func (w *writer) row(y int) {
	xyz := w.XYZ[3*y*w.Width:][:3*w.Width]
	colours := w.colours(y)
	at, size := w.at, w.size
	for x := 0; len(xyz) >= 3; x++ {
		px, py, pz := xyz[0], xyz[1], xyz[2]
		xyz = xyz[3:]
		var colour uint32
		seen := pz > 0
		if seen && colours.texture != nil {
			if place := colours.place(x); place >= 0 {
				colour = colours.texture.colour(place)
			} else {
				seen = w.AllowNoTexture
			}
		}
		if !seen {
			if !w.Ordered {
				continue
			}
			px, py, pz = nan, nan, nan
		}
		to := w.to[at:][:size]
		at += size
		binary.LittleEndian.PutUint64(to, uint64(math.Float32bits(px))|uint64(math.Float32bits(py))<<32)
		binary.LittleEndian.PutUint64(to[8:], uint64(math.Float32bits(pz)))
		if size == step {
			binary.LittleEndian.PutUint32(to[colourOffset:], colour)
		}
	}
	w.at = at
}

var nan = float32(math.NaN())

// rowColours finds the colours of a row's points.
type rowColours struct {
	texture    *Texture // nil: there are none
	uv         []float32
	width      float32 // of the texture, as height
	height     float32
	start      int // without uv: of the row in the texture's data
	step, size int // of the texture
}

func (w *writer) colours(y int) rowColours {
	t := w.Texture
	if t == nil {
		return rowColours{}
	}
	c := rowColours{texture: t, step: t.Step, size: t.Pixel, start: y * t.Step}
	if w.UV != nil {
		c.uv = w.UV[2*y*w.Width:][:2*w.Width]
		c.width, c.height = float32(t.Width), float32(t.Height)
	}
	return c
}

// place is where in the texture's data the colour of the row's point x is; -1 if it
// lies outside.
func (c *rowColours) place(x int) int {
	if c.uv == nil {
		return c.start + x*c.size
	}
	u, v := c.uv[2*x], c.uv[2*x+1]
	px, py := u*c.width, v*c.height // rounding may lift one to the size itself
	if !(u >= 0 && px < c.width && v >= 0 && py < c.height) {
		return -1
	}
	return int(py)*c.step + int(px)*c.size
}

// colour is the field's four bytes: 0RGB, or a float's.
func (t *Texture) colour(at int) uint32 {
	if t.Gray {
		return math.Float32bits(float32(t.Data[at]))
	}
	p := t.Data[at:][:t.Pixel]
	return uint32(p[t.RGB[0]])<<16 | uint32(p[t.RGB[1]])<<8 | uint32(p[t.RGB[2]])
}
