package d400

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/usb"
	"rsros/camdriver/uvc"
	"rsros/test/drivertest"
	"rsros/usbcam/d435i"
)

type recorder = drivertest.Recorder

var smallDepth = camdriver.Profile{Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: 256, Height: 144, FPS: 90}

// bubble runs a test with an open virtual camera in simulated time.
func bubble(t *testing.T, f func(t *testing.T, b *fakeBus, d *Device, r *recorder), o ...d435i.Options) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newFakeBus(t, o...)
		f(t, b, openFake(t, b), &recorder{})
	})
}

// pass advances the time.
func pass(t *testing.T, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	<-ctx.Done()
	synctest.Wait()
}

// TestStartSteps makes each operation of opening and starting fail, with each fault, once
// or permanently. Nothing may be left open, and a temporary fault must not be reported.
func TestStartSteps(t *testing.T) {
	faults := map[string]error{
		"stall": usb.ErrStall, "timeout": usb.ErrTimeout, "disconnect": camdriver.ErrUnplugged, "fault": errors.New("input/output error"),
	}
	for name, fault := range faults {
		for _, once := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				stride := 3 // to save time
				switch {
				case !once || fault == usb.ErrTimeout:
					stride = 7
				case fault == camdriver.ErrUnplugged:
					stride = 1
				}
				for step := 0; ; step += stride {
					reached := false
					synctest.Test(t, func(t *testing.T) { reached = startWithFault(t, fault, step, once) })
					if !reached {
						if step < 30 {
							t.Errorf("only %d steps", step)
						}
						return
					}
				}
			})
		}
	}
}

// startWithFault reports whether the step was reached.
func startWithFault(t *testing.T, fault error, step int, once bool) (reached bool) {
	b := newFakeBus(t)
	var mu sync.Mutex
	at, streaming := 0, false
	b.hook(func(op string) error {
		mu.Lock()
		defer mu.Unlock()
		if streaming || strings.HasPrefix(op, "read") {
			return nil
		}
		at++
		if reached = reached || at > step; at == step+1 || !once && at > step {
			return fault
		}
		return nil
	})
	r := &recorder{}
	d, err := OpenOn(t.Context(), b, Selector{}, Options{})
	if err == nil {
		err = d.Sensors()[0].Start([]camdriver.Profile{smallDepth}, r)
		mu.Lock()
		streaming = true
		mu.Unlock()
		if err == nil {
			pass(t, 200*time.Millisecond)
			if r.Count(camdriver.DepthStream) < 5 {
				t.Errorf("step %d: only %d frames after a successful start", step, r.Count(camdriver.DepthStream))
			}
		}
		if err := d.Close(); err != nil {
			t.Errorf("step %d: Close: %v", step, err)
		}
	}
	retried := errors.Is(fault, usb.ErrStall) || errors.Is(fault, usb.ErrTimeout)
	if err != nil && once && retried && step > 0 {
		t.Errorf("step %d: temporary %v made the start fail: %v", step, fault, err)
	}
	return reached
}

// streaming streams small depth images.
func streaming(t *testing.T, d *Device, r *recorder) camdriver.Sensor {
	t.Helper()
	drivertest.Start(t, d.Sensors()[0], r, smallDepth)
	return d.Sensors()[0]
}

// TestTransferFaults checks that a running stream recovers from faults.
func TestTransferFaults(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault readFault
		note  bool
	}{
		{"halted endpoint", readFault{read: func(context.Context, []byte) ([]byte, error) { return nil, usb.ErrStall }}, false},
		{"silence", readFault{read: func(ctx context.Context, _ []byte) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() }}, true},
		{"short frame", spoil(func(b []byte) []byte { return b[:len(b)-100] }), true},
		{"long frame", spoil(func(b []byte) []byte { return append(b, 0) }), true},
		{"garbage", spoil(func([]byte) []byte { return []byte("garbage") }), true},
		{"one byte", spoil(func([]byte) []byte { return []byte{1} }), true},
		{"nothing", spoil(func([]byte) []byte { return nil }), false},
		{"marked as faulty", spoil(func(b []byte) []byte { b[1] |= uvc.HeaderERR; return b }), true},
		{"metadata cut short", spoil(func(b []byte) []byte { b[16] = 0xff; b[17] = 0xff; return b }), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
				streaming(t, d, r)
				pass(t, time.Second)
				b.fault(0x82, test.fault)
				pass(t, 10*time.Second)
				before := r.Count(camdriver.DepthStream)
				pass(t, time.Second)
				if n := r.Count(camdriver.DepthStream) - before; n < 80 {
					t.Errorf("%d frames per second after the fault", n)
				}
				if got := r.Notified(camdriver.NotifyFrameCorrupted) || r.Notified(camdriver.NotifyFramesTimeout); got != test.note {
					t.Errorf("notified: %v, want %v (%v)", got, test.note, r.Notes)
				}
				if len(r.Kinds()) > 0 || !slices.IsSorted(r.Numbers(camdriver.DepthStream)) {
					t.Errorf("status %v, numbers sorted %v", r.Kinds(), slices.IsSorted(r.Numbers(camdriver.DepthStream)))
				}
			})
		})
	}
}

// TestLostFrames checks that missing and broken frames are counted once.
func TestLostFrames(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		s := streaming(t, d, r)
		pass(t, time.Second)
		for i, fault := range []func([]byte) []byte{
			func(b []byte) []byte { return b[:len(b)/2] },
			func([]byte) []byte { return nil },
		} {
			b.fault(0x82, spoil(fault))
			pass(t, time.Second)
			numbers := r.Numbers(camdriver.DepthStream)
			missed := int(numbers[len(numbers)-1]-numbers[0]) + 1 - len(numbers)
			if got := optionValue(s.Options(), camdriver.OptionTotalFrameDrops); missed != i+1 || got != float32(i+1) {
				t.Errorf("%d frames missing, %g counted, want %d", missed, got, i+1)
			}
		}
	})
}

// TestStreamFails checks a permanent fault of an endpoint.
func TestStreamFails(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		s := streaming(t, d, r)
		pass(t, time.Second)
		b.hook(func(op string) error {
			if op == "read 82" {
				return errors.New("input/output error")
			}
			return nil
		})
		pass(t, time.Minute)
		if len(r.Kinds()) > 0 || !r.Notified(camdriver.NotifyHardwareError) {
			t.Errorf("status %v, notifications %v", r.Kinds(), r.Notes)
		}
		b.hook(nil)
		before := r.Count(camdriver.DepthStream)
		pass(t, longestPause+time.Second)
		if r.Count(camdriver.DepthStream) == before {
			t.Error("no frame after the fault")
		}
		drivertest.Stop(t, s)
		drivertest.Start(t, s, r, smallDepth)
	})
}

// TestReplug unplugs the camera and plugs it in while all sensors stream.
func TestReplug(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		for _, s := range d.Sensors() {
			drivertest.Start(t, s, r, small(s)...)
		}
		stereo := d.Sensors()[0]
		drivertest.Set(t, stereo, camdriver.OptionLaserPower, 90)
		for round := range 2 {
			pass(t, time.Second)
			b.unplug(0)
			pass(t, 3*time.Second)
			if kinds := r.Kinds(); len(kinds) != 2*round+1 || kinds[2*round] != camdriver.StatusDisconnected {
				t.Fatalf("round %d: status %v", round, kinds)
			}
			if err := stereo.SetOption(camdriver.OptionLaserPower, 60); !errors.Is(err, camdriver.ErrUnplugged) {
				t.Errorf("SetOption on an unplugged camera: %v", err)
			}
			seen := r.Count(camdriver.DepthStream)
			b.plug(0)
			pass(t, 3*time.Second)
			if kinds := r.Kinds(); len(kinds) != 2*round+2 || kinds[2*round+1] != camdriver.StatusStreaming {
				t.Fatalf("round %d: status %v", round, kinds)
			}
			if n := r.Count(camdriver.DepthStream) - seen; n < 30 {
				t.Errorf("round %d: %d frames after the replug", round, n)
			}
			if got := b.camera(0).ControlValue(uvc.Control{Unit: 3, Selector: model.XULaserPower}); got != 90 {
				t.Errorf("laser power is %d after the replug, want 90", got)
			}
		}
		for id := range r.Frames {
			numbers := r.Numbers(id)
			for i := 1; i < len(numbers); i++ {
				if numbers[i] <= numbers[i-1] {
					t.Errorf("%s: number %d after %d", id, numbers[i], numbers[i-1])
				}
			}
		}
		if _, err := OpenOn(t.Context(), b, Selector{Serial: serialText}, Options{}); !errors.Is(err, usb.ErrInUse) {
			t.Errorf("second Open: %v", err)
		}
	})
}

// TestStopWhileAway stops, starts and closes while the camera is unplugged.
func TestStopWhileAway(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		s := streaming(t, d, r)
		b.unplug(0)
		pass(t, time.Second)
		drivertest.Stop(t, s)
		if err := s.Start([]camdriver.Profile{smallDepth}, r); !errors.Is(err, camdriver.ErrUnplugged) {
			t.Errorf("Start of an unplugged camera: %v", err)
		}
		if err := d.Reset(); !errors.Is(err, camdriver.ErrUnplugged) {
			t.Errorf("Reset of an unplugged camera: %v", err)
		}
		if len(s.Options()) == 0 || len(s.Profiles()) == 0 {
			t.Error("unplugged camera has no options or profiles")
		}
		b.plug(0)
		pass(t, 2*time.Second)
		drivertest.Start(t, s, r, smallDepth)
	})
}

// TestUnpluggedDuringControls unplugs the camera during calls that transfer. The bus checks that
// the handle is not closed before they end, nor used afterwards.
func TestUnpluggedDuringControls(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		s := d.Sensors()[1] // the stereo module's options hold locks, which stop simulated time
		b.hook(func(op string) error {
			if strings.HasPrefix(op, "control") {
				<-time.After(time.Second)
			}
			return nil
		})
		var calls sync.WaitGroup
		calls.Go(func() { s.Options() })
		pass(t, 500*time.Millisecond)
		calls.Go(func() { _ = s.SetOption(camdriver.OptionBrightness, 1) })
		b.unplug(0)
		calls.Wait()
		b.hook(nil)
	})
}

// TestStartStop starts and stops hundreds of times. The bus checks for leaks.
func TestStartStop(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		for i := range 300 {
			for _, s := range d.Sensors() {
				p := s.Profiles()[i%len(s.Profiles())]
				if err := s.Start([]camdriver.Profile{p}, r); err != nil {
					t.Fatalf("%s: %v", p, err)
				}
			}
			if i%30 == 0 {
				pass(t, 100*time.Millisecond)
			}
			for _, s := range d.Sensors() {
				drivertest.Stop(t, s)
			}
			if b.streams != 0 || d.pool.InUse() != 0 {
				t.Fatalf("round %d: %d streams, %d bytes in use", i, b.streams, d.pool.InUse())
			}
		}
	})
}

// TestStopWhileSlow stops streams whose frames arrive faster than they are handled, so
// that each Read finds a completed transfer.
func TestStopWhileSlow(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		var stopped atomic.Int64 // when, 0 before
		r.Each = func(*camdriver.Frame) {
			<-time.After(2 * lateRead)
			if at := stopped.Load(); at != 0 && time.Since(time.Unix(at, 0)) > time.Minute {
				panic("frame after Stop")
			}
		}
		gyro := camdriver.Profile{Stream: camdriver.GyroStream, Format: camdriver.MotionXYZ32F, FPS: 200}
		for i, p := range map[int]camdriver.Profile{0: smallDepth, 2: gyro} {
			stopped.Store(0)
			drivertest.Start(t, d.Sensors()[i], r, p)
			pass(t, time.Second)
			now := time.Now()
			stopped.Store(now.Unix())
			drivertest.Stop(t, d.Sensors()[i])
			if waited := time.Since(now); waited > 10*lateRead {
				t.Errorf("%s: Stop took %v", p, waited)
			}
		}
	})
}

// TestSlowHandler checks that a handler slower than the timeout of frames doesn't cause a
// timeout.
func TestSlowHandler(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		r.Each = func(*camdriver.Frame) { <-time.After(2 * minSilence) }
		drivertest.Start(t, d.Sensors()[0], r, smallDepth)
		pass(t, 20*minSilence)
		drivertest.Stop(t, d.Sensors()[0])
		if n := r.Count(camdriver.DepthStream); n < 8 || r.Notified(camdriver.NotifyFramesTimeout) {
			t.Errorf("%d frames, notified %v", n, r.Notes)
		}
	})
}

// TestDeviceError checks the notification for an error that the camera reports.
func TestDeviceError(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		streaming(t, d, r)
		b.camera(0).ReportError(13) // 1, 3, 0, 7, 0, 13, as a camera sent of realsenseai/realsense-ros#1162
		pass(t, 3*time.Second)
		if len(r.Notes) != 1 || r.Notes[0].Category != camdriver.NotifyHardwareError {
			t.Errorf("notifications %v", r.Notes)
		}
	})
}

// TestHung checks that SetOption soon gives up if the camera doesn't respond.
func TestHung(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		for _, s := range d.Sensors() {
			drivertest.Start(t, s, r, small(s)...)
		}
		b.hook(func(op string) error {
			if strings.HasPrefix(op, "control") {
				<-time.After(time.Second)
				return usb.ErrTimeout
			}
			return nil
		})
		before := time.Now()
		err := d.Sensors()[0].SetOption(camdriver.OptionLaserPower, 60)
		if took := time.Since(before); !errors.Is(err, usb.ErrTimeout) || took > 10*time.Second {
			t.Errorf("SetOption on a hung camera: %v after %v", err, took)
		}
		before = time.Now()
		if err := d.Close(); err != nil || time.Since(before) > 1500*time.Millisecond {
			t.Errorf("Close of a hung camera: %v after %v", err, time.Since(before))
		}
		b.hook(nil)
	})
}

// TestBusy checks that SetOption retries while the camera stalls requests.
func TestBusy(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		b.stalls = 50
		drivertest.Set(t, d.Sensors()[0], camdriver.OptionExposure, 5000)
		if got := b.camera(0).ControlValue(uvc.Control{Unit: 3, Selector: model.XUAutoExposure}); got != 0 {
			t.Error("auto exposure is on after a manual exposure")
		}
	})
}

// nested is a handler that changes an option while it is told of another change.
type nested struct {
	camdriver.NopHandler
	sensor camdriver.Sensor
}

func (n nested) OptionChanged(_ int, id camdriver.OptionID, _ float32) {
	if id == camdriver.OptionLaserPower {
		<-time.After(time.Second)
		_ = n.sensor.SetOption(camdriver.OptionGlobalTimeEnabled, 0)
	}
}

// TestStopDuringCall stops a sensor while its handler changes an option.
func TestStopDuringCall(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		s := d.Sensors()[0]
		drivertest.Start(t, s, nested{sensor: s}, smallDepth)
		var call sync.WaitGroup
		call.Go(func() { _ = s.SetOption(camdriver.OptionLaserPower, 60) })
		pass(t, 500*time.Millisecond)
		drivertest.Stop(t, s)
		call.Wait()
	})
}
