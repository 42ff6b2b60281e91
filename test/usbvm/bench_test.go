//go:build usb && usbvm

package usbvm

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/gousb"

	"rsros/camdriver"
	"rsros/camdriver/d400"
	"rsros/test/need"
	"rsros/usbcam/d435i"
)

// cameraProcess is set where this program is to be the camera of a benchmark: in
// a process of its own, so that its work is not counted as the driver's.
const cameraProcess = "USBVM_CAMERA"

func TestMain(m *testing.M) {
	if os.Getenv(cameraProcess) == "" {
		os.Exit(m.Run())
	}
	port, err := Plug(d435i.Options{Serial: serialBytes, ASICSerial: asicBytes, Scene: still{}})
	if err == nil {
		_, _ = io.Copy(io.Discard, os.Stdin) // until the benchmark ends
		err = port.Unplug()
	}
	if err != nil {
		os.Exit(1)
	}
}

// still is a scene that costs nothing to draw: only its number changes.
type still struct{ d435i.Noise }

func (still) Pixels(_ d435i.Mode, n uint32, dst []byte) { binary.LittleEndian.PutUint32(dst, n) }

func startCamera(b *testing.B) {
	b.Helper()
	camera := exec.Command(os.Args[0])
	camera.Env = append(os.Environ(), cameraProcess+"=1")
	hold, err := camera.StdinPipe()
	if err == nil {
		err = camera.Start()
	}
	need.Must(b, err)
	b.Cleanup(func() {
		if err := errors.Join(hold.Close(), camera.Wait()); err != nil {
			b.Error(err)
		}
		eventually(b, "the camera is gone", func() bool { return len(drivers(b)) == 0 })
	})
	eventually(b, "kernel drivers bind", func() bool { return bound(b) })
}

// cpu is what this process has used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	need.Must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const benchTime = 5 * time.Second

// BenchmarkDriver streams depth and colour of 1280x720 at 30 and the IMU; colour
// as it comes, and converted.
func BenchmarkDriver(b *testing.B) {
	for _, format := range []camdriver.Format{camdriver.YUYV, camdriver.RGB8} {
		b.Run(format.String(), func(b *testing.B) { benchmarkDriver(b, format) })
	}
}

func benchmarkDriver(b *testing.B, format camdriver.Format) {
	startCamera(b)
	d := open(b, d400.Selector{})
	stereo, pd := profile(b, d, depth, camdriver.Z16, 1280, 720, 30)
	rgb, pc := profile(b, d, color, format, 1280, 720, 30)
	motion, pg := profile(b, d, gyro, camdriver.MotionXYZ32F, 0, 0, 200)
	_, pa := profile(b, d, accel, camdriver.MotionXYZ32F, 0, 0, 63)
	for b.Loop() {
		c := &tally{first: map[camdriver.StreamID]uint64{}, last: map[camdriver.StreamID]uint64{}}
		err := errors.Join(stereo.Start([]camdriver.Profile{pd}, c), rgb.Start([]camdriver.Profile{pc}, c),
			motion.Start([]camdriver.Profile{pg, pa}, c))
		need.Must(b, err)
		before, spared := cpu(b), spare(b)
		<-time.After(benchTime)
		used, part := cpu(b)-before, spared()
		need.Must(b, errors.Join(stereo.Stop(), rgb.Stop(), motion.Stop()))
		report(b, used, c.images, c.sent(), part)
		b.ReportMetric(float64(c.samples)/benchTime.Seconds(), "imu/s")
	}
}

func report(b *testing.B, used time.Duration, frames, sent int, spared float64) {
	b.ReportMetric(100*spared, "%spare")
	b.ReportMetric(float64(used.Microseconds())/float64(max(frames, 1)), "cpu-µs/frame")
	b.ReportMetric(float64(frames)/benchTime.Seconds(), "frames/s")
	b.ReportMetric(100*float64(sent-frames)/float64(max(sent, 1)), "%lost")
	b.ReportMetric(0, "ns/op")
}

// tally counts frames.
type tally struct {
	camdriver.NopHandler
	mu              sync.Mutex
	images, samples int
	first, last     map[camdriver.StreamID]uint64
}

func (c *tally) Frame(_ int, f *camdriver.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !f.Stream().Kind.Video() {
		c.samples++
		return
	}
	c.images++
	if c.first[f.Stream()] == 0 {
		c.first[f.Stream()] = f.Number
	}
	c.last[f.Stream()] = f.Number
}

// sent is what the camera sent, by its counters.
func (c *tally) sent() (n int) {
	for id, last := range c.last {
		n += int(last-c.first[id]) + 1
	}
	return n
}

// BenchmarkBareRead does the least that gets the same two streams off the bus:
// gousb and a loop.
func BenchmarkBareRead(b *testing.B) {
	startCamera(b)
	usb := gousb.NewContext()
	defer usb.Close()
	dev, err := usb.OpenDeviceWithVIDPID(0x8086, 0x0b3a)
	if err != nil || dev == nil {
		b.Fatal(err)
	}
	defer dev.Close()
	need.Must(b, dev.SetAutoDetach(true))
	config, err := dev.Config(1)
	need.Must(b, err)
	defer config.Close()
	for b.Loop() {
		var all sync.WaitGroup
		var mu sync.Mutex
		frames, sent := 0, 0
		before, spared := cpu(b), spare(b)
		ctx, cancel := context.WithTimeout(b.Context(), benchTime)
		for _, iface := range []int{1, 4} {
			i, err := config.Interface(iface, 0)
			need.Must(b, err)
			all.Go(func() {
				defer i.Close()
				n, total, err := bareLoop(ctx, dev, i, iface)
				if err != nil {
					b.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				frames, sent = frames+n, sent+total
			})
		}
		all.Wait()
		cancel()
		report(b, cpu(b)-before, frames, sent, spared())
	}
}

// bareLoop negotiates 1280x720 at 30 and reads until ctx ends.
func bareLoop(ctx context.Context, dev *gousb.Device, i *gousb.Interface, iface int) (frames, sent int, err error) {
	probe := make([]byte, 48)
	probe[0], probe[2], probe[3] = 1, 1, 8 // the eighth frame of both formats
	binary.LittleEndian.PutUint32(probe[4:], 333333)
	endpoint := map[int]uint16{1: 0x82, 4: 0x84}[iface]
	for _, selector := range []uint16{0x0100, 0x0200} {
		if _, err := dev.Control(0x21, 0x01, selector, uint16(iface), probe); err != nil {
			return 0, 0, err
		}
	}
	if _, err := dev.Control(0x02, 0x01, 0, endpoint, nil); err != nil {
		return 0, 0, err
	}
	in, err := i.InEndpoint(int(endpoint & 15))
	if err != nil {
		return 0, 0, err
	}
	const size = 1280*720*2 + 1024
	s, err := in.NewStream(size, 2)
	if err != nil {
		return 0, 0, err
	}
	buf := make([]byte, size)
	var first, last uint32
	for {
		n, err := s.ReadContext(ctx, buf)
		if ctx.Err() != nil {
			return frames, int(last-first) + 1, nil
		}
		if err != nil {
			return frames, 0, err
		}
		const counter = 12 + 16 // of the timing block after UVC's header
		if n > size-1024 {
			last = binary.LittleEndian.Uint32(buf[counter:])
			if frames++; frames == 1 {
				first = last
			}
		}
	}
}
