package export

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"rsros/camdriver"
)

// clouds makes a point cloud of each depth frame, coloured by the colour frame
// nearest in time, where the recording has calibration for both.
type clouds struct {
	r       *recordingExport
	depth   camdriver.Intrinsics
	colour  *camdriver.Intrinsics // nil: no colour
	toColor camdriver.Extrinsics  // from the depth stream to the colour stream
	last    timedFrame            // of colour
	waiting []timedFrame          // depth frames that the next colour frame may fit better
}

type timedFrame struct {
	entry manifestFile
	frame *camdriver.Frame // retained
}

// maxWaiting bounds the depth frames that wait where colour is slow or ended.
const maxWaiting = 8

// newClouds is nil where depth isn't calibrated.
func newClouds(r *recordingExport) *clouds {
	c := &clouds{r: r}
	var depth, colour *camdriver.StreamSnapshot
	for i := range r.snap.Streams {
		switch s := &r.snap.Streams[i]; {
		case s.Video == nil:
		case s.Profile.Stream.Kind == camdriver.Depth && depth == nil:
			depth = s
		case s.Profile.Stream.Kind == camdriver.Color && colour == nil:
			colour = s
		}
	}
	if depth == nil {
		r.o.Log.Warn().Msg("no point clouds: the recording has no depth with intrinsics")
		return nil
	}
	c.depth = *depth.Video
	if colour != nil && colour.Extrinsic != nil && depth.Extrinsic != nil {
		c.colour, c.toColor = colour.Video, depth.Extrinsic.Inverse().Then(*colour.Extrinsic)
	} else {
		r.o.Log.Warn().Msg("point clouds have no colour: the recording has no calibrated colour stream")
	}
	return c
}

// frame takes a frame of any stream, which is borrowed.
func (c *clouds) frame(e manifestFile, f *camdriver.Frame) error {
	switch {
	case f.Profile.Format == camdriver.Z16 && f.DepthUnits > 0:
		c.waiting = append(c.waiting, timedFrame{e, f.Retain()})
		if c.colour == nil || len(c.waiting) > maxWaiting {
			return c.emitAll(c.last)
		}
	case c.colour != nil && f.Stream().Kind == camdriver.Color && framePixels(f).kind().depth == 8:
		before := c.last
		c.last = timedFrame{e, f.Retain()}
		err := c.emitNearest(before, c.last)
		if before.frame != nil {
			before.frame.Release()
		}
		return err
	}
	return nil
}

// emitNearest colours each waiting frame by the nearer of two.
func (c *clouds) emitNearest(before, after timedFrame) error {
	for i, d := range c.waiting {
		nearest := after
		if before.frame != nil && d.entry.Time-before.entry.Time <= after.entry.Time-d.entry.Time {
			nearest = before
		}
		if err := c.emit(d, nearest); err != nil {
			c.waiting = c.waiting[i+1:]
			return err
		}
	}
	c.waiting = c.waiting[:0]
	return nil
}

func (c *clouds) emitAll(colour timedFrame) error { return c.emitNearest(colour, colour) }

// finish emits what still waits.
func (c *clouds) finish() error {
	if c == nil {
		return nil
	}
	err := c.emitAll(c.last)
	for _, d := range c.waiting {
		d.frame.Release()
	}
	if c.last.frame != nil {
		c.last.frame.Release()
	}
	return err
}

// emit writes one cloud and releases the depth frame.
func (c *clouds) emit(depth, colour timedFrame) error {
	d := depth.frame
	release := d.Release
	entry := depth.entry
	entry.File = entry.File[:len(entry.File)-len(".png")] + ".ply"
	entry.Encoding, entry.Points = "", d.Width*d.Height
	if colour.frame != nil {
		number := colour.entry.Number
		entry.Colour = &number
		shared := colour.frame.Retain()
		release = func() { d.Release(); shared.Release() }
	}
	return c.r.write(entry, release, func(w io.Writer) error {
		if colour.frame == nil {
			return writePLY(w, c.points(d), false)
		}
		return writePLY(w, c.paint(c.points(d), framePixels(colour.frame)), true)
	})
}

// point is a vertex in metres, x right, y down, z forward, as the SDK has it.
type point struct {
	at  [3]float64
	rgb [3]byte
}

// points are the pixels of a depth frame that measured something.
func (c *clouds) points(f *camdriver.Frame) []point {
	out := make([]point, 0, f.Width*f.Height)
	for y := range f.Height {
		row := f.Data[y*f.Stride:]
		for x := range f.Width {
			if z := binary.LittleEndian.Uint16(row[2*x:]); z > 0 {
				out = append(out, point{at: deproject(&c.depth, float64(x), float64(y), float64(z)*float64(f.DepthUnits))})
			}
		}
	}
	return out
}

// paint sets the colour of each point to that of the pixel where it is seen; black where
// the colour camera doesn't see it.
func (c *clouds) paint(points []point, p pixels) []point {
	k := p.kind()
	img := make([]byte, 3*p.width*p.height)
	size := k.colour.Channels()
	row := make([]byte, size*p.width)
	for y := range p.height {
		k.row(p, p.row(y), row)
		for x := range p.width {
			pixel := row[x*size:][:size]
			copy(img[3*(y*p.width+x):], []byte{pixel[0], pixel[min(1, size-1)], pixel[min(2, size-1)]})
		}
	}
	for i := range points {
		u, v, ok := project(c.colour, c.toColor.Apply(points[i].at))
		x, y := int(math.Round(u)), int(math.Round(v))
		if ok && x >= 0 && y >= 0 && x < p.width && y < p.height {
			points[i].rgb = [3]byte(img[3*(y*p.width+x):])
		}
	}
	return points
}

// writePLY writes a binary little-endian PLY file.
func writePLY(w io.Writer, points []point, coloured bool) error {
	buf := bufio.NewWriterSize(w, 256<<10)
	fmt.Fprintf(buf, "ply\nformat binary_little_endian 1.0\ncomment metres; x right, y down, z forward\n"+
		"element vertex %d\nproperty float x\nproperty float y\nproperty float z\n", len(points))
	if coloured {
		buf.WriteString("property uchar red\nproperty uchar green\nproperty uchar blue\n")
	}
	buf.WriteString("end_header\n")
	var vertex [15]byte
	for _, p := range points {
		out := vertex[:0]
		for _, v := range p.at {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
		}
		if coloured {
			out = append(out, p.rgb[:]...)
		}
		buf.Write(out)
	}
	return buf.Flush()
}
