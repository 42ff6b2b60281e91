package d400

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/usb"
	"rsros/test/drivertest"
	"rsros/test/need"
	"rsros/usbcam/d435i"
)

func TestList(t *testing.T) {
	b := newFakeBus(t, d435i.Options{}, d435i.Options{Serial: [6]byte{1}, USB2: true},
		d435i.Options{Serial: [6]byte{2}, Firmware: [4]uint8{5, 9, 0, 1}}, d435i.Options{Serial: [6]byte{3}},
		d435i.Options{Serial: [6]byte{4}, Product: 0x0adb}, d435i.Options{Serial: [6]byte{5}, Product: 0x1234})
	b.slots[3].refuse = usb.ErrPermission
	found, err := list(t.Context(), b)
	if err != nil || len(found) != 5 { // without the device that isn't a camera
		t.Fatalf("%+v, %v", found, err)
	}
	for i, want := range []string{"ready", "USB 2", "ready; firmware 5.9.0.1 is older than 5.12.7.100", UdevRules, "rs-fw-update -r"} {
		if !strings.Contains(found[i].State, want) {
			t.Errorf("camera %d has state %q, want %q", i, found[i].State, want)
		}
	}
	if f := found[0]; f.Serial != serialText || f.Firmware != "5.15.0.100" || f.Port != "2-1" || f.USB != "3.2" {
		t.Errorf("%+v", f)
	}
	found, err = list(t.Context(), &fakeBus{t: t})
	if text, jsonErr := json.Marshal(found); err != nil || jsonErr != nil || string(text) != "[]" {
		t.Errorf("without cameras: got %s, %v, %v", text, err, jsonErr)
	}
}

func TestOpenErrors(t *testing.T) { synctest.Test(t, testOpenErrors) }

func testOpenErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		opt    d435i.Options
		refuse error
		sel    Selector
		want   error
		text   string
	}{
		{"another serial", d435i.Options{}, nil, Selector{Serial: "1"}, camdriver.ErrNotFound, "with serial 1"},
		{"another port", d435i.Options{}, nil, Selector{Port: "1-7"}, camdriver.ErrNotFound, "with port 1-7"},
		{"another type", d435i.Options{}, nil, Selector{Type: "d455"}, camdriver.ErrNotFound, "with type d455"},
		{"no pattern", d435i.Options{}, nil, Selector{Type: "("}, nil, "camera type"},
		{"permission", d435i.Options{}, usb.ErrPermission, Selector{}, usb.ErrPermission, UdevRules},
		{"busy", d435i.Options{}, usb.ErrInUse, Selector{}, usb.ErrInUse, "fuser"},
		{"recovery", d435i.Options{Product: 0x0adb}, nil, Selector{}, ErrRecovery, "rs-fw-update"},
		{"tracking module", d435i.Options{Product: 0x0ad5}, nil, Selector{}, camdriver.ErrUnsupported, "tracking module has no driver"},
		{"another variant", d435i.Options{}, nil, Selector{Type: "d435if"}, camdriver.ErrNotFound, "D435I does not match"},
	} {
		b := newFakeBus(t, test.opt)
		b.slots[0].refuse = test.refuse
		d, err := OpenOn(t.Context(), b, test.sel, Options{})
		if err == nil {
			d.Close()
			t.Errorf("%s: Open succeeded", test.name)
			continue
		}
		if test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if _, err := OpenOn(t.Context(), &fakeBus{t: t}, Selector{}, Options{}); !errors.Is(err, camdriver.ErrNotFound) {
		t.Errorf("without cameras: %v", err)
	}
}

func TestSelect(t *testing.T) {
	filter := d435i.Options{Serial: [6]byte{0x12, 0x34, 0x56, 0x78, 0x90, 0x12}, GVD: model.GVD{IRFilter: true}}
	b := newFakeBus(t, d435i.Options{}, filter)
	for _, sel := range []Selector{{Serial: "_123456789012"}, {Port: "2-2"}, {Port: "2-2", Type: "D435i"}, {Type: "d435if"}} {
		d, err := OpenOn(t.Context(), b, sel, Options{})
		need.Must(t, err)
		if got := camdriver.Find(d.Info(), camdriver.InfoSerialNumber); got != "123456789012" {
			t.Errorf("%s: opened %s", sel, got)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOldFirmware streams cameras whose firmware is older than the SDK's minimum.
func TestOldFirmware(t *testing.T) {
	for _, firmware := range []model.Version{{5, 10, 13, 0}, {5, 11, 15, 0}, {5, 8, 0, 0}} {
		bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
			streaming(t, d, r)
			for _, s := range d.Sensors()[1:] {
				drivertest.Start(t, s, r, small(s)...)
			}
			pass(t, time.Second)
			if r.Count(camdriver.DepthStream) < 80 || r.Count(camdriver.ColorStream) < 25 || r.Count(camdriver.GyroStream) < 190 {
				t.Errorf("firmware %s: frames %v", firmware, slices.Collect(maps.Keys(r.Frames)))
			}
		}, d435i.Options{Firmware: firmware})
	}
}

// TestAutoSwitch checks which cameras' colour frames have automatic exposure as a switch.
func TestAutoSwitch(t *testing.T) {
	for _, test := range []struct {
		product  uint16
		firmware model.Version
		want     bool
	}{
		{model.D405, model.Version{5, 17, 2, 255}, true}, {model.D405, model.SwitchUntil, false}, {model.D435I, model.Version{5, 17, 2, 255}, false},
	} {
		d := openFake(t, newFakeBus(t, d435i.Options{Product: test.product, Firmware: test.firmware}))
		if d.link.autoSwitch != test.want {
			t.Errorf("product %x, firmware %s: %v", test.product, test.firmware, !test.want)
		}
	}
}

// TestOpenTogether opens two cameras at the same time, each by its serial number or that of its ASIC.
func TestOpenTogether(t *testing.T) {
	for _, serials := range [][2]string{{"010000000000", "030000000000"}, {"020000000000", "040000000000"}} {
		synctest.Test(t, func(t *testing.T) {
			b := newFakeBus(t, d435i.Options{Serial: [6]byte{1}, ASICSerial: [6]byte{2}}, d435i.Options{Serial: [6]byte{3}, ASICSerial: [6]byte{4}})
			b.hook(func(string) error { <-time.After(time.Millisecond); return nil })
			var nodes sync.WaitGroup
			for i, serial := range serials {
				nodes.Go(func() {
					d, err := OpenOn(t.Context(), b, Selector{Serial: serial}, Options{})
					if err != nil {
						t.Errorf("serial %s: %v", serial, err)
						return
					}
					if name := camdriver.Find(d.Info(), camdriver.InfoPhysicalPort); name != b.slots[i].port {
						t.Errorf("serial %s: opened the camera at port %s", serial, name)
					}
					d.Close()
				})
			}
			nodes.Wait()
			if serials[0][:2] == "02" && b.slots[0].opens+b.slots[1].opens != 2 { // the kernel knows these
				t.Errorf("cameras were opened %d and %d times, want once", b.slots[0].opens, b.slots[1].opens)
			}
		})
	}
}

// TestOthersLeftAlone checks how often another camera is opened while the device searches for its own.
func TestOthersLeftAlone(t *testing.T) {
	for opens, unnamed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := newFakeBus(t)
			b.unnamed = unnamed
			b.slots = append(b.slots, &slot{opt: d435i.Options{Serial: [6]byte{3}, ASICSerial: [6]byte{4}}, port: "2-2"})
			b.unplug(0)
			b.plug(0)
			d := openFake(t, b)
			b.plug(1)
			b.unplug(0)
			pass(t, 10*time.Second)
			if got := b.slots[1].opens; got != opens {
				t.Errorf("the kernel knows serial numbers: %v; another camera was opened %d times, want %d", !unnamed, got, opens)
			}
			b.plug(0)
			need.Must(t, d.AwaitReturn(t.Context()))
		})
	}
}

// TestDescription compares what usbserve's tests don't compare of calibration with that of the virtual camera.
func TestDescription(t *testing.T) {
	stereo := openFake(t, newFakeBus(t)).Sensors()[0]
	want := d435i.Factory().Depth.Baseline
	if o := stereo.Options(); optionValue(o, camdriver.OptionDepthUnits) != 0.001 ||
		math.Abs(float64(optionValue(o, camdriver.OptionStereoBaseline))+want) > 1e-3 {
		t.Errorf("options %+v", o)
	}
	if _, err := stereo.Intrinsics(camdriver.Profile{
		Stream: camdriver.LeftStream, Format: camdriver.Y16, Width: 1280, Height: 800, FPS: 25,
	}); !errors.Is(err, camdriver.ErrNotFound) {
		t.Errorf("intrinsics of an unrectified image: %v", err)
	}
}

func optionValue(list []camdriver.Option, id camdriver.OptionID) float32 {
	if o, ok := camdriver.FindOption(list, id); ok {
		return o.Value
	}
	return float32(math.NaN())
}

func TestProfiles(t *testing.T) {
	d := openFake(t, newFakeBus(t, d435i.Options{D3D: true}))
	stereo, rgb, motion := d.Sensors()[0], d.Sensors()[1], d.Sensors()[2]
	left := camdriver.Profile{Stream: camdriver.LeftStream, Format: camdriver.Y8, Width: 640, Height: 480, FPS: 30}
	right, wide := left, left
	right.Stream = camdriver.RightStream
	wide.Stream, wide.Width, wide.Height = camdriver.RightStream, 848, 480
	for _, test := range []struct {
		name   string
		sensor camdriver.Sensor
		list   []camdriver.Profile
		ok     bool
	}{
		{"left alone", stereo, []camdriver.Profile{left}, true},
		{"right alone", stereo, []camdriver.Profile{right}, true},
		{"both", stereo, []camdriver.Profile{right, left, {Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: 640, Height: 480, FPS: 30}}, true},
		{"two sizes of one USB stream", stereo, []camdriver.Profile{left, wide}, false},
		{"not rectified", stereo, []camdriver.Profile{{Stream: camdriver.RightStream, Format: camdriver.Y16, Width: 1280, Height: 800, FPS: 15}}, true},
		{"left in colour", stereo, []camdriver.Profile{{Stream: mixedStream, Format: camdriver.RGB8, Width: 640, Height: 480, FPS: 6}}, false},
		{"colour as BGR8", rgb, []camdriver.Profile{{Stream: camdriver.ColorStream, Format: camdriver.BGR8, Width: 320, Height: 180, FPS: 60}}, true},
		{"colour as RGBA8", rgb, []camdriver.Profile{{Stream: camdriver.ColorStream, Format: camdriver.RGBA8, Width: 320, Height: 180, FPS: 60}}, true},
		{"colour as BGRA8", rgb, []camdriver.Profile{{Stream: camdriver.ColorStream, Format: camdriver.BGRA8, Width: 320, Height: 180, FPS: 60}}, true},
		{"colour in grey", rgb, []camdriver.Profile{{Stream: camdriver.ColorStream, Format: camdriver.Y8, Width: 320, Height: 180, FPS: 60}}, true},
		{"native colour", rgb, []camdriver.Profile{{Stream: camdriver.ColorStream, Format: camdriver.YUYV, Width: 320, Height: 180, FPS: 60}}, true},
		{"raw colour", rgb, []camdriver.Profile{{Stream: camdriver.ColorStream, Format: camdriver.RAW16, Width: 1920, Height: 1080, FPS: 30}}, true},
		{"depth of the colour sensor", rgb, []camdriver.Profile{smallDepth}, false},
		{"rate of another chip", motion, []camdriver.Profile{{Stream: camdriver.AccelStream, Format: camdriver.MotionXYZ32F, FPS: 400}}, false},
	} {
		r := &recorder{}
		seen := make(chan *camdriver.Frame, 100)
		r.Each = func(f *camdriver.Frame) {
			select {
			case seen <- f.Retain():
			default:
			}
		}
		err := test.sensor.Start(test.list, r)
		if (err == nil) != test.ok || err != nil && !errors.Is(err, camdriver.ErrUnsupported) {
			t.Errorf("%s: %v", test.name, err)
		}
		if err != nil {
			continue
		}
		f := <-seen
		checkPixels(t, test.name, f)
		f.Release()
		drivertest.Stop(t, test.sensor)
		close(seen)
		for f := range seen {
			f.Release()
		}
	}
	colored := openFake(t, newFakeBus(t, d435i.Options{Product: 0x0ad3})).Sensors()[0]
	if !slices.Contains(colored.Profiles(), camdriver.Profile{Stream: mixedStream, Format: camdriver.RGB8, Width: 640, Height: 480, FPS: 6}) {
		t.Error("a camera with an imager in colour doesn't offer it")
	}
	if n := d.pool.InUse(); n != 0 {
		t.Errorf("%d bytes in use after all frames were released", n)
	}
}

// TestNotOffered checks that the error for profiles unavailable on a USB 2 link lists the
// available ones, of the same format if possible.
func TestNotOffered(t *testing.T) {
	d := openFake(t, newFakeBus(t, d435i.Options{USB2: true}))
	for i, test := range []struct {
		p    camdriver.Profile
		want string
	}{
		{camdriver.Profile{Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: 848, Height: 480, FPS: 90}, "Depth_0 Z16 640x480@15"},
		{camdriver.Profile{Stream: camdriver.ColorStream, Format: camdriver.RAW16, Width: 1920, Height: 1080, FPS: 30}, "Color_0 RGB8 640x480@15"},
	} {
		err := d.Sensors()[i].Start([]camdriver.Profile{test.p}, &recorder{})
		if !errors.Is(err, camdriver.ErrUnsupported) || !strings.Contains(err.Error(), "USB 2.1 link") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want one with %q", test.p, err, test.want)
		}
	}
}

// checkPixels compares a frame with the camera's data.
func checkPixels(t *testing.T, name string, f *camdriver.Frame) {
	t.Helper()
	sent := func(code string, bits int) []byte {
		m := d435i.Mode{Code: code, W: f.Width, H: f.Height, Bits: bits, FPS: f.Profile.FPS}
		b := make([]byte, m.Bytes())
		d435i.Noise{}.Pixels(m, uint32(f.Number), b)
		return b
	}
	pixels := f.Width * f.Height
	a, b := make([]byte, 3*pixels), make([]byte, 3*pixels)
	var want []byte
	switch f.Profile.Format {
	case camdriver.Y8:
		if f.Stream() == camdriver.ColorStream {
			for i, v := range sent("YUY2", 16) {
				if i%2 == 0 {
					want = append(want, v)
				}
			}
			break
		}
		if f.Stream() == camdriver.LeftStream && name == "left alone" {
			want = sent("\x32\x00\x00\x00", 8)
			break
		}
		model.SplitY8I(a[:pixels], b[:pixels], sent("Y8I ", 16))
		if want = a[:pixels]; f.Stream() == camdriver.RightStream {
			want = b[:pixels]
		}
	case camdriver.Y16:
		model.SplitY12I(a[:2*pixels], b[:2*pixels], sent("Y12I", 24))
		want = b[:2*pixels]
	case camdriver.Z16:
		want = sent("\x50\x00\x00\x00", 16)
	case camdriver.RGB8:
		model.ConvertYUV(camdriver.RGB8, a, sent("UYVY", 16), true)
		want = a
	case camdriver.BGR8, camdriver.RGBA8, camdriver.BGRA8:
		model.ConvertYUV(camdriver.RGB8, a, sent("YUY2", 16), false)
		for i := 0; i < len(a); i += 3 {
			p := []byte{a[i], a[i+1], a[i+2], 0xff}
			if f.Profile.Format != camdriver.RGBA8 {
				p[0], p[2] = p[2], p[0]
			}
			want = append(want, p[:f.Profile.Format.BitsPerPixel()/8]...)
		}
	case camdriver.YUYV:
		want = sent("YUY2", 16)
	case camdriver.RAW16:
		want = sent("BYR2", 16)
	}
	if !bytes.Equal(f.Data, want) {
		t.Errorf("%s: frame %d of %s differs from the camera's data", name, f.Number, f.Profile)
	}
}

// TestPoolUsedUp retains frames until the pool is exhausted, and checks that the stream
// continues after they are released.
func TestPoolUsedUp(t *testing.T) {
	d, r := openFake(t, newFakeBus(t)), &recorder{}
	d.pool = camdriver.NewPool(4 * 256 * 1024)
	frames, ready := []*camdriver.Frame{}, make(chan struct{}, 1)
	r.Each = func(f *camdriver.Frame) {
		if len(frames) < 20 {
			frames = append(frames, f.Retain())
		}
		if d.pool.InUse() > 3*256*1024 {
			for _, f := range frames {
				f.Release()
			}
			frames = frames[:0]
			select {
			case ready <- struct{}{}:
			default:
			}
		}
	}
	drivertest.Start(t, d.Sensors()[0], r, smallDepth)
	<-ready
	<-ready
	drivertest.Stop(t, d.Sensors()[0])
	for _, f := range frames {
		f.Release()
	}
}

// TestFramesAreAligned checks that pixels are page-aligned from the second frame on, for
// writing with O_DIRECT.
func TestFramesAreAligned(t *testing.T) {
	d, r := openFake(t, newFakeBus(t)), &recorder{}
	done := make(chan struct{})
	r.Each = func(f *camdriver.Frame) {
		if len(r.Frames[camdriver.DepthStream]) == 2 && pageOffset(f.Data) != 0 {
			t.Errorf("pixels are %d bytes after a page boundary", pageOffset(f.Data))
		}
		if len(r.Frames[camdriver.DepthStream]) == 3 {
			close(done)
		}
	}
	drivertest.Start(t, d.Sensors()[0], r, smallDepth)
	<-done
}

// pageOffset returns the offset of b in its page.
func pageOffset(b []byte) uintptr {
	return uintptr(unsafe.Pointer(&b[0])) % uintptr(camdriver.PageSize)
}
