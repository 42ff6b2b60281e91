//go:build usb && usbvm

package usbvm

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/camdriver/d400"
	"rsros/camdriver/usb"
	"rsros/test/drivertest"
	"rsros/test/need"
	"rsros/usbcam/d435i"
	"rsros/usbcam/usbip"
)

const serial = "843922071105"

var (
	serialBytes = [6]byte{0x84, 0x39, 0x22, 0x07, 0x11, 0x05}
	asicBytes   = [6]byte{0x84, 0x79, 0x13, 0x07, 0x08, 0x22}
)

var (
	depth = camdriver.DepthStream
	left  = camdriver.LeftStream
	right = camdriver.RightStream
	color = camdriver.ColorStream
	gyro  = camdriver.GyroStream
	accel = camdriver.AccelStream
)

// plugged is a port with a camera whose payloads are counted.
type plugged struct {
	*Port
	counts *counts
	faults *faults
}

// counts are the frame counters of the payloads that the host has read, by endpoint.
type counts struct {
	mu   sync.Mutex
	sent map[uint8][]uint64
}

type counted struct {
	*d435i.Camera
	*counts
	*faults
}

func (c counted) Read(ctx context.Context, endpoint uint8) ([]byte, error) {
	const at = 28 // of the counter in the first block of metadata
	b, err := c.payload(ctx, endpoint)
	if err == nil && endpoint <= 0x84 && len(b) >= at+4 {
		c.counts.mu.Lock()
		defer c.counts.mu.Unlock()
		c.sent[endpoint] = append(c.sent[endpoint], uint64(binary.LittleEndian.Uint32(b[at:])))
	}
	return b, err
}

// plug plugs a camera in and waits until the kernel's drivers have taken it, so
// that our driver has to take it from them.
func plug(t testing.TB, o d435i.Options) plugged {
	t.Helper()
	p := plugUnbound(t, o)
	eventually(t, "kernel drivers bind", func() bool { return bound(t) })
	return p
}

// plugUnbound plugs a camera in and waits until the kernel has enumerated it.
func plugUnbound(t testing.TB, o d435i.Options) plugged {
	t.Helper()
	n, f := &counts{sent: map[uint8][]uint64{}}, &faults{}
	return plugged{plugWatched(t, o, func(c *d435i.Camera) usbip.Device { return counted{c, n, f} }), n, f}
}

// plugWatched is plugUnbound with what watch returns between the camera and the kernel.
func plugWatched(t testing.TB, o d435i.Options, watch func(*d435i.Camera) usbip.Device) *Port {
	t.Helper()
	if o.Serial == [6]byte{} {
		o.Serial, o.ASICSerial = serialBytes, asicBytes
	}
	p, err := PlugWatched(o, watch)
	need.Must(t, err)
	t.Cleanup(func() {
		for _, v := range p.Violations() {
			t.Errorf("the camera was misused: %s", v)
		}
		if err := p.Unplug(); err != nil {
			t.Errorf("unplug: %v", err)
		}
		eventually(t, "the camera is gone", func() bool { return len(drivers(t)) == 0 })
	})
	eventually(t, "the camera is there", func() bool { return len(drivers(t)) == 6 })
	return p
}

// plugSecond plugs in a second camera, with the serial number 123456789012.
func plugSecond(t *testing.T) {
	t.Helper()
	second, err := Plug(d435i.Options{Serial: [6]byte{0x12, 0x34, 0x56, 0x78, 0x90, 0x12}, ASICSerial: [6]byte{1}})
	need.Must(t, err)
	t.Cleanup(func() { _ = second.Unplug() })
	eventually(t, "second camera", func() bool { return len(drivers(t)) == 12 })
}

// drivers names the kernel driver of each interface of Intel devices.
func drivers(t testing.TB) map[string]string {
	t.Helper()
	list := map[string]string{}
	devices, _ := filepath.Glob("/sys/bus/usb/devices/*/idVendor")
	for _, path := range devices {
		if vendor, _ := os.ReadFile(path); strings.TrimSpace(string(vendor)) != "8086" {
			continue
		}
		dir := filepath.Dir(path)
		interfaces, _ := filepath.Glob(filepath.Join(dir, filepath.Base(dir)+":*"))
		for _, i := range interfaces {
			driver, err := os.Readlink(filepath.Join(i, "driver"))
			list[filepath.Base(i)] = filepath.Base(driver)
			if err != nil {
				list[filepath.Base(i)] = ""
			}
		}
	}
	return list
}

// bound says whether uvcvideo and usbhid hold all six interfaces.
func bound(t testing.TB) bool {
	held := map[string]int{}
	for _, d := range drivers(t) {
		held[d]++
	}
	return held["uvcvideo"] == 5 && held["usbhid"] == 1
}

// eventually waits for what the kernel does in its own time.
func eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	for !done() {
		select {
		case <-deadline:
			t.Fatalf("never: %s (drivers %v)", what, drivers(t))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func open(t testing.TB, sel d400.Selector) camdriver.Device {
	t.Helper()
	log := zerolog.New(os.Stdout).Level(zerolog.InfoLevel)
	d, err := d400.Open(context.Background(), sel, d400.Options{Log: log})
	need.Must(t, err)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return d
}

// profile finds what a sensor offers of a stream.
func profile(t testing.TB, d camdriver.Device, id camdriver.StreamID, f camdriver.Format, w, h, fps int) (camdriver.Sensor, camdriver.Profile) {
	t.Helper()
	for _, s := range d.Sensors() {
		for _, p := range s.Profiles() {
			if p.Stream == id && p.Format == f && p.Width == w && p.Height == h && p.FPS == fps {
				return s, p
			}
		}
	}
	t.Fatalf("no profile %s %s %dx%d@%d", id, f, w, h, fps)
	return nil, camdriver.Profile{}
}

func TestDevices(t *testing.T) {
	plug(t, d435i.Options{})
	found, err := d400.List(t.Context())
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	got := found[0]
	got.Port = ""
	want := d400.Found{
		Name: "Intel RealSense D435I", Serial: serial, ASICSerial: "847913070822", Firmware: "5.15.0.100",
		Product: "0B3A", USB: "3.2", State: "ready",
	}
	if got != want || found[0].Port == "" {
		t.Errorf("got %+v\nwant %+v", found[0], want)
	}
	eventually(t, "the kernel's drivers come back after List", func() bool { return bound(t) })
}

// TestStream compares every byte of every stream with what the camera sent.
func TestStream(t *testing.T) {
	port := plug(t, d435i.Options{ClockStart: 0xffff0000}) // the device's clock wraps after 65 ms
	d := open(t, d400.Selector{Serial: serial})
	if _, err := d400.Open(t.Context(), d400.Selector{}, d400.Options{}); !errors.Is(err, usb.ErrInUse) {
		t.Errorf("a camera that is open was opened again: %v", err)
	}
	stereo, pd := profile(t, d, depth, camdriver.Z16, 640, 480, 30)
	_, pl := profile(t, d, left, camdriver.Y8, 640, 480, 30)
	_, pr := profile(t, d, right, camdriver.Y8, 640, 480, 30)
	rgb, pc := profile(t, d, color, camdriver.YUYV, 640, 480, 30)
	motion, pg := profile(t, d, gyro, camdriver.MotionXYZ32F, 0, 0, 200)
	_, pa := profile(t, d, accel, camdriver.MotionXYZ32F, 0, 0, 63)
	c := newCollector()
	start := func(s camdriver.Sensor, p ...camdriver.Profile) {
		drivertest.Start(t, s, c, p...)
	}
	start(stereo, pd, pl, pr)
	start(rgb, pc)
	start(motion, pg, pa)
	c.count(t, 20, depth, left, right, color, gyro, accel)
	for _, s := range d.Sensors() {
		drivertest.Stop(t, s)
	}
	checkFrames(t, c, depth, "Z16 ")
	port.checkComplete(t, 0x82, c.frames[depth])
	checkFrames(t, c, color, "YUY2")
	port.checkComplete(t, 0x84, c.frames[color])
	checkStereo(t, c)
	for _, id := range []camdriver.StreamID{gyro, accel} {
		for _, f := range c.frames[id] {
			if f.Motion.Accel == [3]float64{} && f.Motion.Gyro == [3]float64{} {
				t.Errorf("%s: empty sample", id)
			}
		}
	}
	for id, list := range c.frames {
		for i := 1; i < len(list); i++ {
			if list[i].Timestamp <= list[i-1].Timestamp {
				t.Errorf("%s: time %f after %f", id, list[i].Timestamp, list[i-1].Timestamp)
			}
		}
		last := list[len(list)-1]
		if age := float64(last.Arrival.UnixMicro())/1e3 - last.Timestamp; last.Domain != camdriver.GlobalTime || age < -2000 || age > 2000 { // the emulated machine stumbles
			t.Errorf("%s: time %s is %f ms before arrival", id, last.Domain, age)
		}
	}
	c.release()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	eventually(t, "the kernel's drivers come back", func() bool { return bound(t) })
}

// pixels is what the camera sent as frame number n.
func pixels(code string, bits int, f *camdriver.Frame) []byte {
	m := d435i.Mode{Code: code, W: f.Width, H: f.Height, Bits: bits, FPS: f.Profile.FPS}
	b := make([]byte, m.Bytes())
	counter, _ := f.Meta(camdriver.MetaFrameCounter)
	d435i.Noise{}.Pixels(m, uint32(counter), b)
	return b
}

// checkFrames compares frames of 16 bits a pixel with what the camera sent.
func checkFrames(t *testing.T, c *collector, id camdriver.StreamID, code string) {
	t.Helper()
	for _, f := range c.frames[id] {
		if !bytes.Equal(f.Data, pixels(code, 16, f)) {
			t.Errorf("%s: frame %d differs from what was sent", id, f.Number)
		}
	}
}

// checkComplete checks that no frame that the host has read between the first and the last of a list was
// lost. The camera sends only the newest frame to a host that reads late, as an emulated one does.
func (p plugged) checkComplete(t *testing.T, endpoint uint8, list []*camdriver.Frame) {
	t.Helper()
	var got []uint64
	for _, f := range list {
		n, _ := f.Meta(camdriver.MetaFrameCounter)
		got = append(got, uint64(n))
	}
	p.counts.mu.Lock()
	sent := slices.Clone(p.counts.sent[endpoint])
	p.counts.mu.Unlock()
	if first, last := slices.Index(sent, got[0]), slices.Index(sent, got[len(got)-1]); first < 0 || last < 0 || !slices.Equal(sent[first:last+1], got) {
		t.Errorf("endpoint %#x: got frames %d, sent were %d", endpoint, got, sent)
	}
}

func checkStereo(t *testing.T, c *collector) {
	t.Helper()
	for side, id := range []camdriver.StreamID{left, right} {
		for _, f := range c.frames[id] {
			sent := pixels("Y8I ", 16, f)
			for i, v := range f.Data {
				if v != sent[2*i+side] {
					t.Fatalf("%s: frame %d differs at %d", id, f.Number, i)
				}
			}
		}
	}
}

// TestReplug pulls the camera out in mid-stream and plugs it in again.
func TestReplug(t *testing.T) {
	port := plug(t, d435i.Options{})
	d := open(t, d400.Selector{})
	s, p := profile(t, d, depth, camdriver.Z16, 480, 270, 30)
	c := newCollector()
	drivertest.Start(t, s, c, p)
	for round := 1; round <= 2; round++ {
		c.wait(t, "frames", func() bool { return len(c.frames[depth]) >= 3 })
		need.Must(t, port.Unplug())
		c.wait(t, "disconnected", func() bool {
			return len(c.status) == 2*round-1 && c.status[2*round-2] == camdriver.StatusDisconnected
		})
		if err := s.SetOption(camdriver.OptionGlobalTimeEnabled, 1); !errors.Is(err, camdriver.ErrUnplugged) {
			t.Errorf("set an option of an unplugged camera: %v", err)
		}
		c.release()
		need.Must(t, port.Plug())
		c.wait(t, "streaming again", func() bool {
			return len(c.status) == 2*round && c.status[2*round-1] == camdriver.StatusStreaming
		})
	}
	c.count(t, 3, depth)
	c.release()
	need.Must(t, d.Reset())
	c.wait(t, "streaming after a reset", func() bool {
		return len(c.status) == 6 && c.status[5] == camdriver.StatusStreaming
	})
	c.count(t, 3, depth)
	drivertest.Stop(t, s)
	c.release()
}

// TestUSB2 plugs the camera into a slow port.
func TestUSB2(t *testing.T) {
	port := plug(t, d435i.Options{USB2: true, Firmware: [4]uint8{5, 17, 0, 10}})
	d := open(t, d400.Selector{Type: "d435"})
	if v := camdriver.Find(d.Info(), camdriver.InfoUsbTypeDescriptor); v != "2.1" {
		t.Errorf("USB type %q", v)
	}
	s, p := profile(t, d, depth, camdriver.Z16, 640, 480, 15)
	fast := p
	fast.FPS = 90
	if err := s.Start([]camdriver.Profile{fast}, newCollector()); !errors.Is(err, camdriver.ErrUnsupported) {
		t.Errorf("90 fps over USB 2: %v", err)
	}
	motion, pg := profile(t, d, gyro, camdriver.MotionXYZ32F, 0, 0, 400)
	c := newCollector()
	need.Must(t, errors.Join(s.Start([]camdriver.Profile{p}, c), motion.Start([]camdriver.Profile{pg}, c)))
	c.count(t, 5, depth, gyro)
	if err := errors.Join(s.Stop(), motion.Stop()); err != nil {
		t.Error(err)
	}
	checkFrames(t, c, depth, "Z16 ")
	port.checkComplete(t, 0x82, c.frames[depth])
	c.release()
}

// TestTwoCameras streams two at once, each chosen by its serial number.
func TestTwoCameras(t *testing.T) {
	plug(t, d435i.Options{})
	plugSecond(t)
	c := newCollector()
	for _, want := range []string{"123456789012", serial} {
		d := open(t, d400.Selector{Serial: "_" + want})
		if got := camdriver.Find(d.Info(), camdriver.InfoSerialNumber); got != want {
			t.Errorf("opened %s instead of %s", got, want)
		}
		s, p := profile(t, d, depth, camdriver.Z16, 480, 270, 15)
		drivertest.Start(t, s, c, p)
		t.Cleanup(func() { _ = s.Stop() })
	}
	c.count(t, 12, depth)
	c.release()
}

// TestStartStop starts and stops often and looks for file descriptors left over.
func TestStartStop(t *testing.T) {
	plug(t, d435i.Options{})
	d := open(t, d400.Selector{})
	s, p := profile(t, d, depth, camdriver.Z16, 256, 144, 90)
	descriptors := func() int {
		list, _ := os.ReadDir("/proc/self/fd")
		return len(list)
	}
	before := 0
	for i := range 100 {
		c := newCollector()
		drivertest.Start(t, s, c, p)
		if i%10 == 0 {
			c.count(t, 2, depth)
		}
		drivertest.Stop(t, s)
		c.release()
		if i == 10 {
			before = descriptors()
		}
	}
	if after := descriptors(); after > before {
		t.Errorf("%d file descriptors after 100 starts, %d after 10", after, before)
	}
}
