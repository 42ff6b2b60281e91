// Package film lets the virtual camera see what the simulated camera sees: a
// second of the scene of camdriver/sim, drawn beforehand (drawing it inside an
// emulated machine would take minutes) and shown again and again.
package film

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"rsros/camdriver"
	"rsros/camdriver/d435i"
	"rsros/camdriver/sim"
)

// What is filmed: one second, stereo and colour in one size each.
const (
	FPS                       = 30
	StereoWidth, StereoHeight = 480, 270
	ColorWidth, ColorHeight   = 640, 360
	GyroRate, AccelRate       = 200, 63
)

// Reel is what was filmed, and with which calibration.
type Reel struct {
	Tables      d435i.Tables
	Intrinsics  map[string]camdriver.Intrinsics // by stream
	FromDepth   map[string]camdriver.Extrinsics
	Gyro, Accel [][3]float64

	frames map[camdriver.StreamID][][]byte // as the simulated camera raised them
	// What the USB camera sends of them; converted beforehand, because the
	// emulated machine is slow.
	interlaced, packed [][]byte
}

var images = []camdriver.Profile{
	{Stream: camdriver.StreamID{Kind: camdriver.Depth}, Format: camdriver.Z16, Width: StereoWidth, Height: StereoHeight, FPS: FPS},
	{Stream: camdriver.StreamID{Kind: camdriver.Infrared, Index: 1}, Format: camdriver.Y8, Width: StereoWidth, Height: StereoHeight, FPS: FPS},
	{Stream: camdriver.StreamID{Kind: camdriver.Infrared, Index: 2}, Format: camdriver.Y8, Width: StereoWidth, Height: StereoHeight, FPS: FPS},
	{Stream: camdriver.StreamID{Kind: camdriver.Color}, Format: camdriver.RGB8, Width: ColorWidth, Height: ColorHeight, FPS: FPS},
}

var motions = []camdriver.Profile{
	{Stream: camdriver.StreamID{Kind: camdriver.Gyro}, Format: camdriver.MotionXYZ32F, FPS: GyroRate},
	{Stream: camdriver.StreamID{Kind: camdriver.Accel}, Format: camdriver.MotionXYZ32F, FPS: AccelRate},
}

// Shoot films the simulated camera into a folder.
func Shoot(dir string) error {
	dev, err := sim.Open(sim.Options{Seed: 1, Noiseless: true})
	if err != nil {
		return err
	}
	defer dev.Close()
	c := &camera{frames: map[camdriver.StreamID][][]byte{}, done: make(chan struct{})}
	r := &Reel{Intrinsics: map[string]camdriver.Intrinsics{}, FromDepth: map[string]camdriver.Extrinsics{}}
	for i, list := range [][]camdriver.Profile{images[:3], images[3:], motions} {
		s := dev.Sensors()[i]
		for _, p := range list {
			if in, err := s.Intrinsics(p); err == nil {
				r.Intrinsics[p.Stream.String()] = in
			}
			if r.FromDepth[p.Stream.String()], err = dev.Extrinsics(images[0].Stream, p.Stream); err != nil {
				return err
			}
		}
		if err := s.Start(list, c); err != nil {
			return err
		}
	}
	<-c.done
	if err := dev.Close(); err != nil {
		return err
	}
	r.Gyro, r.Accel = c.gyro[:GyroRate], c.accel[:AccelRate]
	r.Tables = r.tables()
	return r.save(dir, c.frames)
}

// camera keeps one second of everything.
type camera struct {
	camdriver.NopHandler
	mu          sync.Mutex
	frames      map[camdriver.StreamID][][]byte
	gyro, accel [][3]float64
	done        chan struct{}
	full        bool
}

func (c *camera) Frame(_ int, f *camdriver.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch id := f.Stream(); {
	case id.Kind == camdriver.Gyro:
		c.gyro = append(c.gyro, f.Motion.Gyro)
	case id.Kind == camdriver.Accel:
		c.accel = append(c.accel, f.Motion.Accel)
	case len(c.frames[id]) < FPS:
		c.frames[id] = append(c.frames[id], append([]byte(nil), f.Data...))
	}
	full := len(c.gyro) >= GyroRate && len(c.accel) >= AccelRate
	for _, p := range images {
		full = full && len(c.frames[p.Stream]) == FPS
	}
	if full && !c.full {
		close(c.done)
	}
	c.full = c.full || full
}

// tables puts the simulated camera's calibration into the terms of firmware.
func (r *Reel) tables() d435i.Tables {
	t := d435i.Factory()
	t.AccelS, t.GyroS = identity, identity
	t.AccelB, t.GyroB = [3]float64{}, [3]float64{}
	t.Baseline = 1000 * r.FromDepth["Infrared_2"].Translation[0]
	depth := r.Intrinsics["Depth_0"]
	t.Rect[[2]int{StereoWidth, StereoHeight}] = [4]float64{depth.Fx, depth.Fy, depth.Ppx, depth.Ppy}
	color := r.Intrinsics["Color_0"]
	t.ColorW, t.ColorH = ColorWidth, ColorHeight
	w, h := float64(ColorWidth)/2, float64(ColorHeight)/2
	t.ColorK = [4]float64{color.Fx / w, color.Fy / h, color.Ppx/w - 1, color.Ppy/h - 1}
	t.Coeffs = color.Coeffs
	back := r.FromDepth["Color_0"].Inverse() // firmware keeps colour to depth
	for i := range 9 {
		t.ColorR[i] = back.Rotation[3*(i%3)+i/3]
	}
	for i := range 3 {
		t.ColorT[i] = -1000 * back.Translation[i]
	}
	t.DepthIMU = r.FromDepth["Gyro_0"].Translation
	return t
}

var identity = [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}

// tablesFile is Tables as JSON can hold it: sizes are no keys there.
type tablesFile struct {
	d435i.Tables
	Rect []rectEntry
}

type rectEntry struct {
	Size [2]int
	K    [4]float64
}

type reelFile struct {
	Reel
	Tables tablesFile
}

func (r *Reel) save(dir string, frames map[camdriver.StreamID][][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	file := reelFile{Reel: *r, Tables: tablesFile{Tables: r.Tables}}
	for size, k := range r.Tables.Rect {
		file.Tables.Rect = append(file.Tables.Rect, rectEntry{size, k})
	}
	text, err := json.Marshal(file)
	if err != nil {
		return err
	}
	errs := []error{os.WriteFile(filepath.Join(dir, "reel.json"), text, 0o644)}
	for id, list := range frames {
		errs = append(errs, write(dir, id.String(), list))
	}
	interlaced, packed := make([][]byte, FPS), make([][]byte, FPS)
	for i := range FPS {
		interlaced[i] = interlace(frames[images[1].Stream][i], frames[images[2].Stream][i])
		packed[i] = toYUY2(frames[images[3].Stream][i])
	}
	errs = append(errs, write(dir, "Y8I", interlaced), write(dir, "YUY2", packed))
	return errors.Join(errs...)
}

func write(dir, name string, frames [][]byte) error {
	return os.WriteFile(filepath.Join(dir, name), slices.Concat(frames...), 0o644)
}

func read(dir, name string, size int) (frames [][]byte, err error) {
	all, err := os.ReadFile(filepath.Join(dir, name))
	if err == nil && len(all) != FPS*size {
		err = fmt.Errorf("%s: %d bytes, want %d", name, len(all), FPS*size)
	}
	if err != nil {
		return nil, err
	}
	return slices.Collect(slices.Chunk(all, size)), nil
}

// Load reads what Shoot wrote.
func Load(dir string) (*Reel, error) {
	text, err := os.ReadFile(filepath.Join(dir, "reel.json"))
	if err != nil {
		return nil, err
	}
	var file reelFile
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	r := file.Reel
	r.Tables = file.Tables.Tables
	r.Tables.Rect = map[[2]int][4]float64{}
	for _, e := range file.Tables.Rect {
		r.Tables.Rect[e.Size] = e.K
	}
	r.frames = map[camdriver.StreamID][][]byte{}
	for _, p := range images {
		if r.frames[p.Stream], err = read(dir, p.Stream.String(), p.FrameSize()); err != nil {
			return nil, err
		}
	}
	if r.interlaced, err = read(dir, "Y8I", 2*images[1].FrameSize()); err != nil {
		return nil, err
	}
	r.packed, err = read(dir, "YUY2", ColorWidth*ColorHeight*2)
	return &r, err
}

// Image is what a stream shows as frame number n.
func (r *Reel) Image(id camdriver.StreamID, n uint32) []byte { return r.frames[id][(n-1)%FPS] }

// Pixels is black in modes that were not filmed.
func (r *Reel) Pixels(m d435i.Mode, n uint32, dst []byte) {
	stereo := m.W == StereoWidth && m.H == StereoHeight
	switch {
	case stereo && m.Code == "Z16 ":
		copy(dst, r.Image(images[0].Stream, n))
	case stereo && m.Code == "\x32\x00\x00\x00":
		copy(dst, r.Image(images[1].Stream, n))
	case stereo && m.Code == "Y8I ":
		copy(dst, r.interlaced[(n-1)%FPS])
	case m.W == ColorWidth && m.H == ColorHeight && m.Code == "YUY2":
		copy(dst, r.packed[(n-1)%FPS])
	default:
		clear(dst)
	}
}

func (r *Reel) Motion(gyro bool, n uint32) [3]float64 {
	list := r.Accel
	if gyro {
		list = r.Gyro
	}
	return list[int(n-1)%len(list)]
}

// interlace is Y8I: pairs of left and right pixels.
func interlace(left, right []byte) []byte {
	dst := make([]byte, 2*len(left))
	for i := range left {
		dst[2*i], dst[2*i+1] = left[i], right[i]
	}
	return dst
}

// toYUY2 converts RGB to BT.601 studio range; two pixels share their chroma.
func toYUY2(rgb []byte) []byte {
	dst := make([]byte, len(rgb)/3*2)
	for i := 0; i+6 <= len(rgb); i += 6 {
		a, b := rgb[i:i+3], rgb[i+3:i+6]
		var mean [3]float64
		for k := range mean {
			mean[k] = (float64(a[k]) + float64(b[k])) / 2
		}
		out := dst[i/3*2:]
		out[0], out[2] = luma(a), luma(b)
		out[1] = level(128 - 0.148223*mean[0] - 0.290993*mean[1] + 0.439216*mean[2])
		out[3] = level(128 + 0.439216*mean[0] - 0.367788*mean[1] - 0.071427*mean[2])
	}
	return dst
}

func luma(p []byte) byte {
	return level(16 + 0.256788*float64(p[0]) + 0.504129*float64(p[1]) + 0.097906*float64(p[2]))
}

func level(v float64) byte { return byte(math.Round(min(max(v, 0), 255))) }
