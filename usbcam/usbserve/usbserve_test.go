package usbserve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"rsros/camdriver"
	"rsros/camdriver/d400"
	"rsros/camdriver/model"
	"rsros/camdriver/sim"
	"rsros/camdriver/usb"
	"rsros/replay/recorded"
	"rsros/test/drivertest"
	"rsros/test/need"
	"rsros/usbcam/d435i"
	"rsros/usbcam/usbip"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(os.Exit)) }

// serve serves a device and returns the address.
func serve(t *testing.T, dev camdriver.Device) string {
	t.Helper()
	source, err := New(dev)
	need.Must(t, err)
	t.Cleanup(func() {
		if err := source.Close(); err != nil {
			t.Error(err)
		}
	})
	_, address := servePorts(t, usbip.Virtual("1-1", source.Options(), func() {
		if err := source.Rest(); err != nil {
			t.Error(err)
		}
	}))
	return address
}

// servePorts serves cameras until the end of the test.
func servePorts(t *testing.T, ports ...*usbip.Port) (*usbip.Server, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	server := usbip.NewServer(zerolog.New(zerolog.NewTestWriter(t)), ports...)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := server.Serve(ctx, l); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	return server, l.Addr().String()
}

// open opens the served camera by the USB driver.
func open(t *testing.T, address string) *d400.Device {
	t.Helper()
	bus, err := dial(address)
	need.Must(t, err)
	return openBus(t, bus, d400.Selector{})
}

func openBus(t *testing.T, bus usb.Bus, which d400.Selector) *d400.Device {
	t.Helper()
	dev, err := d400.OpenOn(t.Context(), bus, which, d400.Options{Log: zerolog.New(zerolog.NewTestWriter(t))})
	need.Must(t, err)
	t.Cleanup(func() { dev.Close() })
	return dev
}

func openSim(t *testing.T) *sim.Device {
	t.Helper()
	dev, err := sim.Open(sim.Options{Seed: 3, Serial: "123456789012"})
	need.Must(t, err)
	t.Cleanup(func() { dev.Close() })
	return dev
}

// TestCalibration compares the calibration that the driver reads from the served camera with the
// source's.
func TestCalibration(t *testing.T) {
	source := openSim(t)
	dev := open(t, serve(t, source))
	if got := camdriver.Find(dev.Info(), camdriver.InfoSerialNumber); got != "123456789012" {
		t.Errorf("serial number %s", got)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-4*max(1, math.Abs(b)) }
	for i, s := range source.Sensors() {
		for _, p := range s.Profiles() {
			want, err := s.Intrinsics(p)
			if err != nil {
				continue
			}
			got, err := dev.Sensors()[i].Intrinsics(p)
			if err != nil || !near(got.Fx, want.Fx) || !near(got.Fy, want.Fy) || !near(got.Ppx, want.Ppx) || !near(got.Ppy, want.Ppy) {
				t.Errorf("%s: got %+v, want %+v, %v", p, got, want, err)
			}
		}
	}
	for _, id := range []camdriver.StreamID{camdriver.LeftStream, camdriver.RightStream, camdriver.ColorStream, camdriver.GyroStream, camdriver.AccelStream} {
		want, err1 := source.Extrinsics(camdriver.DepthStream, id)
		got, err2 := dev.Extrinsics(camdriver.DepthStream, id)
		same := slices.EqualFunc(append(want.Rotation[:], want.Translation[:]...), append(got.Rotation[:], got.Translation[:]...), near)
		if err1 != nil || err2 != nil || !same {
			t.Errorf("depth to %s: got %v, want %v, %v %v", id, got, want, err1, err2)
		}
	}
}

// TestNumbers checks that streams of one sensor that a host starts one after another have the same numbers for the same
// exposure, and that the pair of infrared images comes at all.
func TestNumbers(t *testing.T) {
	source, err := New(openSim(t))
	need.Must(t, err)
	defer source.Close()
	mode := func(code string) d435i.Mode {
		i := slices.IndexFunc(source.Modes(), func(m d435i.Mode) bool { return m.Code == code && m.W == 424 && m.FPS == 90 })
		if i < 0 {
			t.Fatalf("no mode %q", code)
		}
		return source.Modes()[i]
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	next := func(m d435i.Mode) d435i.Shot {
		t.Helper()
		shot, err := source.Next(ctx, m)
		if err != nil {
			t.Fatalf("%q: %v", m.Code, err)
		}
		return shot
	}
	last := uint32(0)
	for range 3 {
		last = next(mode(model.CodeL8)).Number
	}
	source.Stop(mode(model.CodeL8))
	pair, depth := next(mode(model.CodeY8I)), d435i.Shot{}
	if pair.Number <= last {
		t.Errorf("number %d after %d", pair.Number, last)
	}
	for pair, depth = next(mode(model.CodeY8I)), next(mode(model.CodeZ16)); pair.Time != depth.Time; {
		if int32(pair.Time-depth.Time) < 0 {
			pair = next(mode(model.CodeY8I))
		} else {
			depth = next(mode(model.CodeZ16))
		}
	}
	if pair.Number != depth.Number {
		t.Errorf("at %d µs, infrared is number %d, depth is number %d", pair.Time, pair.Number, depth.Number)
	}
}

func TestSerial(t *testing.T) {
	for text, want := range map[string]string{"123456789012": "123456789012", "7": "000000000007", "": "000000000000", "f12345678901": "f12345678901"} {
		if got := fmt.Sprintf("%x", serial(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	seen := map[[6]byte]string{}
	for _, text := range []string{"robot-camera-1", "robot-camera-2", "left", "right", "12345678901234", "12345678901235"} {
		if other, ok := seen[serial(text)]; ok {
			t.Errorf("%q and %q have one serial number", text, other)
		}
		seen[serial(text)] = text
	}
}

// depthSensor has depth only.
type depthSensor struct{ camdriver.Sensor }

var tinyDepth = camdriver.Profile{Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: 4, Height: 2, FPS: 30}

func (depthSensor) Profiles() []camdriver.Profile                      { return []camdriver.Profile{tinyDepth} }
func (depthSensor) Start([]camdriver.Profile, camdriver.Handler) error { return nil }
func (depthSensor) Stop() error                                        { return nil }
func (depthSensor) Intrinsics(camdriver.Profile) (camdriver.Intrinsics, error) {
	return camdriver.Intrinsics{}, nil
}

type depthDevice struct{ camdriver.Device }

func (depthDevice) Info() []camdriver.Info      { return nil }
func (depthDevice) Sensors() []camdriver.Sensor { return []camdriver.Sensor{depthSensor{}} }
func (depthDevice) Extrinsics(_, _ camdriver.StreamID) (camdriver.Extrinsics, error) {
	return camdriver.Extrinsics{}, camdriver.ErrNotFound
}

// TestMissingStreams checks that requests to interfaces without streams are stalled.
func TestMissingStreams(t *testing.T) {
	s, err := New(depthDevice{})
	need.Must(t, err)
	defer s.Close()
	c := d435i.New(s.Options())
	defer c.Unplug()
	for _, request := range []uint8{0x81, 0x82, 0x83, 0x87} {
		for iface, want := range map[uint16]error{1: nil, 2: d435i.ErrStall, 4: d435i.ErrStall} {
			_, err := c.Control(d435i.Setup{RequestType: 0xa1, Request: request, Value: 0x100, Index: iface, Length: 48}, nil)
			if err != want {
				t.Errorf("request %#x of interface %d: %v, want %v", request, iface, err, want)
			}
		}
	}
}

type releases struct{ n int }

func (r *releases) Release() { r.n++ }

// TestFailureReleasesFrames checks that a frame that arrives with the source's failure is released.
func TestFailureReleasesFrames(t *testing.T) {
	s, err := New(depthDevice{})
	need.Must(t, err)
	mode := s.Modes()[0]
	need.Must(t, s.start(mode))
	var r releases
	f := camdriver.NewFrame(&r)
	f.Profile, f.Width, f.Height, f.Stride, f.Data = tinyDepth, 4, 2, 8, make([]byte, 16)
	s.Frame(0, f)
	f.Release()
	failure := errors.New("broken file")
	s.StatusChanged(camdriver.Status{Kind: camdriver.StatusFailed, Err: failure})
	if _, err := s.Next(t.Context(), mode); !errors.Is(err, failure) {
		t.Errorf("Next: %v, want %v", err, failure)
	}
	if err := s.Close(); err != nil || r.n != 1 {
		t.Errorf("Close: %v; the frame was released %d times, want once", err, r.n)
	}
}

// keeper keeps copies of frames by stream.
type keeper struct {
	camdriver.NopHandler
	mu     sync.Mutex
	frames map[camdriver.StreamID]map[int64]*camdriver.Frame // by hardware time
	count  int
	want   int
	each   func() // called after each frame, if set
	done   chan struct{}
}

func newKeeper(want int) *keeper {
	return &keeper{frames: map[camdriver.StreamID]map[int64]*camdriver.Frame{}, want: want, done: make(chan struct{})}
}

func (k *keeper) Frame(_ int, f *camdriver.Frame) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at, ok := f.Meta(camdriver.MetaFrameTimestamp)
	if !ok {
		at = int64(uint32(f.Timestamp * 1000))
	}
	list := k.frames[f.Stream()]
	if list == nil {
		list = map[int64]*camdriver.Frame{}
		k.frames[f.Stream()] = list
	}
	list[at] = &camdriver.Frame{Number: f.Number, Metadata: f.Metadata, Data: bytes.Clone(f.Data), Motion: f.Motion, Profile: f.Profile}
	if k.each != nil {
		k.each()
	}
	for _, id := range []camdriver.StreamID{camdriver.DepthStream, camdriver.LeftStream, camdriver.RightStream, camdriver.ColorStream, camdriver.GyroStream, camdriver.AccelStream} {
		if len(k.frames[id]) < k.want {
			return
		}
	}
	if k.count++; k.count == 1 {
		close(k.done)
	}
}

// at returns the stream's frame at a hardware time, or for recordings without it, at a timestamp in
// µs.
func (k *keeper) at(id camdriver.StreamID, us int64) *camdriver.Frame {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.frames[id][us]
}

// tap passes a device's frames on, and keeps them.
type tap struct {
	camdriver.Device
	kept *keeper
}

func (t tap) Sensors() []camdriver.Sensor {
	var list []camdriver.Sensor
	for _, s := range t.Device.Sensors() {
		list = append(list, tapSensor{s, t.kept})
	}
	return list
}

type tapSensor struct {
	camdriver.Sensor
	kept *keeper
}

func (s tapSensor) Start(p []camdriver.Profile, h camdriver.Handler) error {
	var hub camdriver.Hub
	hub.Attach(s.kept)
	hub.Attach(h)
	return s.Sensor.Start(p, &hub)
}

// TestFrames compares the frames that arrive with those that the source sent: times, pixels,
// metadata and motion data.
func TestFrames(t *testing.T) {
	sent, got := newKeeper(1), newKeeper(3)
	dev := open(t, serve(t, tap{openSim(t), sent}))
	video := func(id camdriver.StreamID, f camdriver.Format) camdriver.Profile {
		return camdriver.Profile{Stream: id, Format: f, Width: 424, Height: 240, FPS: 6}
	}
	for i, list := range [][]camdriver.Profile{
		{video(camdriver.DepthStream, camdriver.Z16), video(camdriver.LeftStream, camdriver.Y8), video(camdriver.RightStream, camdriver.Y8)},
		{video(camdriver.ColorStream, camdriver.YUYV)},
		{{Stream: camdriver.GyroStream, Format: camdriver.MotionXYZ32F, FPS: 200}, {Stream: camdriver.AccelStream, Format: camdriver.MotionXYZ32F, FPS: 63}},
	} {
		drivertest.Start(t, dev.Sensors()[i], got, list...)
	}
	<-got.done
	for _, s := range dev.Sensors() {
		drivertest.Stop(t, s)
	}
	got.mu.Lock()
	sent.mu.Lock()
	defer got.mu.Unlock()
	defer sent.mu.Unlock()
	for id, list := range got.frames {
		for at, f := range list {
			want := sent.frames[id][at]
			if want == nil {
				t.Errorf("%s: no frame was sent at %d µs", id, at)
				continue
			}
			compare(t, f, want)
		}
	}
}

func compare(t *testing.T, got, want *camdriver.Frame) {
	t.Helper()
	id := got.Stream()
	pixels := want.Data
	if id == camdriver.ColorStream {
		pixels = make([]byte, len(got.Data))
		model.ToYUY2(pixels, want.Data)
	}
	if !bytes.Equal(got.Data, pixels) {
		t.Errorf("%s: frame %d differs", id, got.Number)
	}
	for i := range 3 {
		if math.Abs(got.Motion.Accel[i]-want.Motion.Accel[i]) > 0.005 || math.Abs(got.Motion.Gyro[i]-want.Motion.Gyro[i]) > 0.001 {
			t.Errorf("%s: got %+v, want %+v", id, got.Motion, want.Motion)
		}
	}
	if id.Kind.Inertial() {
		return
	}
	if got.Number != want.Number {
		t.Errorf("%s: frame %d arrives as %d", id, want.Number, got.Number)
	}
	host := []camdriver.MetadataKey{camdriver.MetaTimeOfArrival, camdriver.MetaBackendTimestamp, camdriver.MetaActualFps, camdriver.MetaRawFrameSize}
	for _, m := range want.Metadata {
		if v, ok := got.Meta(m.Key); !slices.Contains(host, m.Key) && (!ok || v != m.Value) {
			t.Errorf("%s: %s is %d (%v), want %d", id, m.Key, v, ok, m.Value)
		}
	}
}

// TestOptionsAct checks that options of the served camera act on its frames.
func TestOptionsAct(t *testing.T) {
	source := openSim(t)
	dev := open(t, serve(t, source))
	for i, list := range []map[camdriver.OptionID]float32{
		{camdriver.OptionEmitterEnabled: 0, camdriver.OptionLaserPower: 300},
		{camdriver.OptionBrightness: -10, camdriver.OptionEnableAutoExposure: 0, camdriver.OptionExposure: 300},
	} {
		for _, id := range slices.Sorted(maps.Keys(list)) {
			if i == 0 && id == camdriver.OptionEmitterEnabled {
				continue // laser power turns it on; below
			}
			drivertest.Set(t, dev.Sensors()[i], id, list[id])
			if o, _ := camdriver.FindOption(source.Sensors()[i].Options(), id); o.Value != list[id] {
				t.Errorf("%s of the source is %g, want %g", id, o.Value, list[id])
			}
		}
	}
	drivertest.Set(t, dev.Sensors()[0], camdriver.OptionEmitterEnabled, 0)
	if o, _ := camdriver.FindOption(source.Sensors()[0].Options(), camdriver.OptionEmitterEnabled); o.Value != 0 {
		t.Errorf("emitter of the source is %g", o.Value)
	}
}

// TestRecording compares the depth frames of a served recording, which repeats, with the
// recorded ones.
func TestRecording(t *testing.T) {
	source, err := recorded.Open(need.Bag(t, "librealsense/sw_small_raw.bag"), recorded.Options{RealTime: true, Loop: true})
	need.Must(t, err)
	defer source.Close()
	sent, got := newKeeper(1), newKeeper(1)
	dev := open(t, serve(t, tap{source, sent}))
	list := dev.Sensors()[0].Profiles()
	i := slices.IndexFunc(list, func(p camdriver.Profile) bool { return p.Stream == camdriver.DepthStream })
	if i < 0 {
		t.Fatalf("profiles %v", list)
	}
	want, err := source.Sensors()[0].Intrinsics(camdriver.Profile{Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: list[i].Width, Height: list[i].Height, FPS: list[i].FPS})
	if in, err2 := dev.Sensors()[0].Intrinsics(list[i]); err != nil || err2 != nil || math.Abs(in.Fx-want.Fx) > 1e-3 || math.Abs(in.Ppy-want.Ppy) > 1e-3 {
		t.Errorf("intrinsics %+v, want %+v, %v %v", in, want, err, err2)
	}
	several := make(chan struct{})
	got.each = func() {
		if len(got.frames[camdriver.DepthStream]) == 10 {
			close(several)
		}
	}
	need.Must(t, dev.Sensors()[0].Start(list[i:i+1], got))
	<-several
	drivertest.Stop(t, dev.Sensors()[0])
	same := 0
	for at, f := range got.frames[camdriver.DepthStream] {
		if want := sent.at(camdriver.DepthStream, at); want != nil {
			same++
			if !bytes.Equal(f.Data, want.Data) {
				t.Errorf("frame %d differs", f.Number)
			}
		}
	}
	if same < 5 {
		t.Errorf("%d of %d frames have times of the recording", same, len(got.frames[camdriver.DepthStream]))
	}
}
