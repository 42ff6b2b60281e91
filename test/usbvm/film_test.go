package usbvm

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/sim"
	"rsros/usbcam/d435i"
	"rsros/usbcam/usbserve"
)

// What is filmed: one second, stereo and colour in one size each.
const (
	FPS                       = 30
	StereoWidth, StereoHeight = 480, 270
	ColorWidth, ColorHeight   = 640, 360
	GyroRate, AccelRate       = 200, 63
)

// Reel is the virtual camera's images and their calibration: a second of the scene of
// camdriver/sim, which repeats. It is drawn beforehand, because drawing it in an emulated
// machine would take minutes.
type Reel struct {
	Tables      d435i.Tables
	Intrinsics  map[string]camdriver.Intrinsics // by stream
	FromDepth   map[string]camdriver.Extrinsics
	Gyro, Accel [][3]float64

	// frames are as the simulated camera raised them, by stream, and as the USB
	// camera sends them, by format: converted beforehand, because the emulated
	// machine is slow.
	frames map[string][][]byte
}

var images = []camdriver.Profile{
	{Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: StereoWidth, Height: StereoHeight, FPS: FPS},
	{Stream: camdriver.LeftStream, Format: camdriver.Y8, Width: StereoWidth, Height: StereoHeight, FPS: FPS},
	{Stream: camdriver.RightStream, Format: camdriver.Y8, Width: StereoWidth, Height: StereoHeight, FPS: FPS},
	{Stream: camdriver.ColorStream, Format: camdriver.RGB8, Width: ColorWidth, Height: ColorHeight, FPS: FPS},
}

var motions = []camdriver.Profile{
	{Stream: camdriver.GyroStream, Format: camdriver.MotionXYZ32F, FPS: GyroRate},
	{Stream: camdriver.AccelStream, Format: camdriver.MotionXYZ32F, FPS: AccelRate},
}

// Shoot films the simulated camera into a folder.
func Shoot(dir string) error {
	dev, err := sim.Open(sim.Options{Seed: 1, Noiseless: true})
	if err != nil {
		return err
	}
	defer dev.Close()
	usb, err := usbserve.New(dev)
	if err != nil {
		return err
	}
	defer usb.Close() //nolint:errcheck // nothing was started
	c := &camera{frames: map[string][][]byte{}, done: make(chan struct{})}
	r := &Reel{Tables: usb.Options().Tables, Intrinsics: map[string]camdriver.Intrinsics{}, FromDepth: map[string]camdriver.Extrinsics{}}
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
	r.frames = c.frames
	for i := range FPS {
		left, right, rgb := r.frames["Infrared_1"][i], r.frames["Infrared_2"][i], r.frames["Color_0"][i]
		interlaced, packed := make([]byte, 2*len(left)), make([]byte, len(rgb)/3*2)
		model.JoinY8I(interlaced, left, right)
		model.ToYUY2(packed, rgb)
		r.frames["Y8I"], r.frames["YUY2"] = append(r.frames["Y8I"], interlaced), append(r.frames["YUY2"], packed)
	}
	return r.save(dir)
}

// camera keeps one second of everything.
type camera struct {
	camdriver.NopHandler
	mu          sync.Mutex
	frames      map[string][][]byte // by stream
	gyro, accel [][3]float64
	done        chan struct{}
	full        bool
}

func (c *camera) Frame(_ int, f *camdriver.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := f.Stream()
	switch name := id.String(); {
	case id.Kind == camdriver.Gyro:
		c.gyro = append(c.gyro, f.Motion.Gyro)
	case id.Kind == camdriver.Accel:
		c.accel = append(c.accel, f.Motion.Accel)
	case len(c.frames[name]) < FPS:
		c.frames[name] = append(c.frames[name], bytes.Clone(f.Data))
	}
	full := len(c.gyro) >= GyroRate && len(c.accel) >= AccelRate
	for _, p := range images {
		full = full && len(c.frames[p.Stream.String()]) == FPS
	}
	if full && !c.full {
		close(c.done)
	}
	c.full = c.full || full
}

const reelName = "reel.gob"

func (r *Reel) save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, reelName))
	if err != nil {
		return err
	}
	out := gob.NewEncoder(f)
	err = cmp.Or(out.Encode(r), out.Encode(len(r.frames)))
	for name, frames := range r.frames { // one at a time: an encoder holds a whole value
		err = cmp.Or(err, out.Encode(name), out.Encode(frames))
	}
	return errors.Join(err, f.Close())
}

// LoadReel reads what Shoot wrote.
func LoadReel(dir string) (*Reel, error) {
	f, err := os.Open(filepath.Join(dir, reelName))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, r, lists := gob.NewDecoder(f), &Reel{frames: map[string][][]byte{}}, 0
	err = cmp.Or(in.Decode(r), in.Decode(&lists))
	for range lists {
		var name string
		var frames [][]byte
		err = cmp.Or(err, in.Decode(&name), in.Decode(&frames))
		r.frames[name] = frames
	}
	return r, err
}

// Image is what a stream shows as frame number n.
func (r *Reel) Image(id camdriver.StreamID, n uint32) []byte { return r.image(id.String(), n) }

func (r *Reel) image(name string, n uint32) []byte { return r.frames[name][(n-1)%FPS] }

// Pixels is black in modes that were not filmed.
func (r *Reel) Pixels(m d435i.Mode, n uint32, dst []byte) {
	stereo := m.W == StereoWidth && m.H == StereoHeight
	switch {
	case stereo && m.Code == "Z16 ":
		copy(dst, r.image("Depth_0", n))
	case stereo && m.Code == "\x32\x00\x00\x00":
		copy(dst, r.image("Infrared_1", n))
	case stereo && m.Code == "Y8I ":
		copy(dst, r.image("Y8I", n))
	case m.W == ColorWidth && m.H == ColorHeight && m.Code == "YUY2":
		copy(dst, r.image("YUY2", n))
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
