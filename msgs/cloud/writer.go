package cloud

import (
	"encoding/binary"
	"math"
)

// writer appends points.
type writer struct {
	shape   *Shape
	options Options
	to      []byte
	at      int
	size    int
	places  []int32 // memory for a row
}

// row appends the points of a row.
func (w *writer) row(y int, xyz, uv []float32) {
	t := w.shape.Texture
	switch {
	case t == nil:
		w.appendPlain(xyz)
	case !t.Gray && !w.shape.Places:
		w.appendColoured(xyz, t.Data[y*t.Step:][:t.Width*t.Pixel])
	default:
		w.any(y, xyz, uv)
	}
}

// put writes a point without its colour.
func put(to *[stepBare]byte, x, y, z float32) {
	binary.LittleEndian.PutUint64(to[:], uint64(math.Float32bits(x))|uint64(math.Float32bits(y))<<32)
	binary.LittleEndian.PutUint64(to[8:], uint64(math.Float32bits(z)))
}

var nan = float32(math.NaN())

// appendPlain appends points without colours.
func (w *writer) appendPlain(xyz []float32) {
	at := w.at
	for ; len(xyz) >= 3; xyz = xyz[3:] {
		x, y, z := xyz[0], xyz[1], xyz[2]
		if !(z > 0) {
			if !w.options.Ordered {
				continue
			}
			x, y, z = nan, nan, nan
		}
		put((*[stepBare]byte)(w.to[at:]), x, y, z)
		at += stepBare
	}
	w.at = at
}

// appendColoured appends points with the colours of their own pixels. It writes missing points and
// overwrites them, to avoid mispredicted branches.
func (w *writer) appendColoured(xyz []float32, pixels []byte) {
	t := w.shape.Texture
	r, g, b, n := t.RGB[0], t.RGB[1], t.RGB[2], t.Pixel
	done := w.ownFast(xyz, pixels)
	xyz, pixels = xyz[3*done:], pixels[n*done:]
	at, ordered := w.at, w.options.Ordered
	for ; len(xyz) >= 3 && len(pixels) >= n; xyz, pixels = xyz[3:], pixels[n:] {
		x, y, z := xyz[0], xyz[1], xyz[2]
		p := pixels[:n]
		colour := uint32(p[r])<<16 | uint32(p[g])<<8 | uint32(p[b])
		if ordered && !(z > 0) {
			x, y, z, colour = nan, nan, nan, 0
		}
		to := (*[step]byte)(w.to[at:])
		put((*[stepBare]byte)(to[:]), x, y, z)
		binary.LittleEndian.PutUint32(to[colourOffset:], colour)
		if z > 0 || ordered {
			at += step
		}
	}
	w.at = at
}

// any appends points of any shape.
func (w *writer) any(y int, xyz, uv []float32) {
	done := w.anyFast(xyz, uv)
	xyz = xyz[3*done:]
	t, at := w.shape.Texture, w.at
	width, height := float32(t.Width), float32(t.Height)
	for x := done; len(xyz) >= 3; x, xyz = x+1, xyz[3:] {
		px, py, pz := xyz[0], xyz[1], xyz[2]
		var colour uint32
		seen := pz > 0
		if seen {
			place := -1
			if !w.shape.Places {
				place = y*t.Step + x*t.Pixel
			} else {
				// Rounding may make u or v equal to the size.
				u, v := uv[2*x], uv[2*x+1]
				if a, b := u*width, v*height; u >= 0 && a < width && v >= 0 && b < height {
					place = int(int32(b))*t.Step + int(int32(a))*t.Pixel
				}
			}
			if place >= 0 {
				colour = t.colour(place)
			} else {
				seen = w.options.AllowNoTexture
			}
		}
		if !seen {
			if !w.options.Ordered {
				continue
			}
			px, py, pz = nan, nan, nan
		}
		to := (*[step]byte)(w.to[at:])
		put((*[stepBare]byte)(to[:]), px, py, pz)
		binary.LittleEndian.PutUint32(to[colourOffset:], colour)
		at += step
	}
	w.at = at
}

// colour returns the four bytes of the field: 0RGB or a float.
func (t *Texture) colour(at int) uint32 {
	if t.Gray {
		return math.Float32bits(float32(t.Data[at]))
	}
	p := t.Data[at:][:t.Pixel]
	return uint32(p[t.RGB[0]])<<16 | uint32(p[t.RGB[1]])<<8 | uint32(p[t.RGB[2]])
}
