package export

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"rsros/camdriver"
	"rsros/camdriver/process"
)

// clouds makes a point cloud of each depth frame, with the colours of the nearest colour frame in
// time if both are calibrated.
type clouds struct {
	r       *recordingExport
	res     *process.Resources
	depth   *process.Profile
	colour  *process.Profile // nil: no colour
	last    timedFrame       // of colour
	waiting []timedFrame     // depth frames that the next colour frame may fit better
}

type timedFrame struct {
	entry manifestFile
	frame *camdriver.Frame // retained
}

// maxWaiting bounds the depth frames that wait where colour is slow or ended.
const maxWaiting = 8

// cloudMemory bounds the points that are being written: 20 bytes each.
const cloudMemory = 1 << 30

// newClouds returns nil if depth isn't calibrated.
func newClouds(r *recordingExport) *clouds {
	rig := process.NewRig(r.snap)
	c := &clouds{r: r, res: process.NewResources(cloudMemory, 1)} // the files are written side by side already
	depth, colour := r.lens(camdriver.Depth), r.lens(camdriver.Color)
	if depth == nil {
		r.o.Log.Warn().Msg("no point clouds: the recording has no depth with intrinsics")
		return nil
	}
	c.depth = rig.Profile(depth.Profile.Stream)
	if colour != nil && colour.Extrinsic != nil && depth.Extrinsic != nil {
		c.colour = rig.Profile(colour.Profile.Stream)
	} else {
		r.o.Log.Warn().Msg("point clouds have no colour: the recording has no calibrated colour stream")
	}
	return c
}

// frame borrows an image of any stream.
func (c *clouds) frame(e manifestFile, f *camdriver.Frame) error {
	switch {
	case c == nil:
	case f.Profile.Format == camdriver.Z16 && f.DepthUnits > 0 &&
		f.Width == c.depth.Intrinsics.Width && f.Height == c.depth.Intrinsics.Height:
		c.waiting = append(c.waiting, timedFrame{e, f.Retain()})
		if c.colour == nil || len(c.waiting) > maxWaiting {
			return c.emitNearest(c.last, c.last)
		}
	case c.colour != nil && f.Stream().Kind == camdriver.Color && coloured(f):
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

func (c *clouds) finish() error {
	if c == nil {
		return nil
	}
	err := c.emitNearest(c.last, c.last)
	for _, d := range c.waiting {
		d.frame.Release()
	}
	if c.last.frame != nil {
		c.last.frame.Release()
	}
	return err
}

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
		points, size, err := c.points(d, colour.frame)
		if err != nil {
			return err
		}
		colours := ""
		if colour.frame != nil {
			colours = plyColours
		}
		fmt.Fprintf(w, "ply\nformat binary_little_endian 1.0\ncomment metres; x right, y down, z forward\n"+
			"element vertex %d\nproperty float x\nproperty float y\nproperty float z\n%send_header\n", len(points)/size, colours)
		_, err = w.Write(points)
		return err
	})
}

// points returns a PLY vertex for each pixel that measured something, and a vertex's size: the position in metres, and
// with colour that of the pixel where it is seen, or black. It is called from several goroutines.
func (c *clouds) points(depth, colour *camdriver.Frame) (vertices []byte, size int, err error) {
	texture := camdriver.StreamID{}
	var set process.Set
	defer set.Release()
	set.Add(process.Image{Frame: depth.Retain(), Profile: c.depth})
	if colour != nil {
		texture = colour.Stream()
		set.Add(process.Image{Frame: colour.Retain(), Profile: c.colour})
	}
	cloud := process.NewPointCloud(c.res, texture)
	defer cloud.Reset()
	const all = 1 // points that colour can't see, too
	if err := cloud.SetOption(camdriver.OptionFilterMagnitude, all); err != nil {
		return nil, 0, err
	}
	if err := cloud.Process(&set); err != nil {
		return nil, 0, err
	}
	xyz, uv := process.Points(set.Images[0])
	var painted []byte
	var p Image
	size = 12
	if colour != nil {
		p = FrameImage(colour)
		painted, size = p.RGB(), 15
	}
	out := make([]byte, 0, len(xyz)/3*size)
	for i := 0; 3*i < len(xyz); i++ {
		if xyz[3*i+2] == 0 {
			continue
		}
		for _, v := range xyz[3*i:][:3] {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		}
		if colour == nil {
			continue
		}
		var rgb [3]byte
		x, y := math.Round(float64(uv[2*i])*float64(p.Width)), math.Round(float64(uv[2*i+1])*float64(p.Height))
		if x >= 0 && y >= 0 && x < float64(p.Width) && y < float64(p.Height) {
			rgb = [3]byte(painted[3*(int(y)*p.Width+int(x)):])
		}
		out = append(out, rgb[:]...)
	}
	return out, size, nil
}

// coloured reports whether a frame's pixels can be the colours of points.
func coloured(f *camdriver.Frame) bool {
	_, bits := FrameImage(f).Channels()
	return bits == 8
}
