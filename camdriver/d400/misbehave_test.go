package d400

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
	"rsros/test/drivertest"
	"rsros/usbcam/d435i"
)

// everySecond returns faults that change every second depth payload with f, which also gets the one before.
func everySecond(f func(b, last []byte) []byte) d435i.Faults {
	n, last := 0, []byte(nil)
	return d435i.Faults{Payload: func(endpoint uint8, b []byte) []byte {
		if endpoint != 0x82 {
			return b
		}
		if n++; n%2 == 0 {
			return f(b, last)
		}
		last = bytes.Clone(b)
		return b
	}}
}

// rewritten returns a payload with another header.
func rewritten(b, header []byte) []byte { return append(header, b[b[0]:]...) }

// TestMisbehaving streams depth for three seconds from a camera that misbehaves as hardware does.
func TestMisbehaving(t *testing.T) {
	for _, test := range []struct {
		name    string
		faults  d435i.Faults
		frames  int     // of 270
		drops   float32 // that are counted
		corrupt bool    // is notified
		off     float64 // ms by which times may be wrong
	}{
		{"nothing", d435i.Faults{}, 270, 0, false, 1},
		{"first frame is late", d435i.Faults{FirstFrame: 2 * time.Second}, 90, 0, false, 1},
		{"short transfers", everySecond(func(b, _ []byte) []byte { return b[:len(b)/2] }), 135, 135, true, 1},
		{"lost transfers", everySecond(func(_, _ []byte) []byte { return nil }), 135, 135, false, 1},
		{"a frame twice", everySecond(func(_, last []byte) []byte { return bytes.Clone(last) }), 135, 135, true, 12},
		{"marked as faulty", everySecond(func(b, _ []byte) []byte { b[1] |= uvc.HeaderERR; return b }), 135, 135, true, 1},
		{"no end of frame", everySecond(func(b, _ []byte) []byte { b[1] &^= uvc.HeaderEOF; return b }), 270, 0, false, 1},
		{"no frame id", everySecond(func(b, _ []byte) []byte { b[1] &^= uvc.HeaderFID; return b }), 270, 0, false, 1},
		{"no metadata", everySecond(func(b, _ []byte) []byte {
			return rewritten(b, append([]byte{12, b[1]}, b[2:12]...))
		}), 270, 0, false, 1},
		{"no time", everySecond(func(b, _ []byte) []byte { return rewritten(b, []byte{2, b[1] &^ (uvc.HeaderPTS | uvc.HeaderSCR)}) }), 270, 0, false, 1},
		{"late replies", d435i.Faults{Reply: 200 * time.Millisecond}, 270, 0, false, 101},
		{"busy", d435i.Faults{Busy: 4}, 270, 0, false, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
				var off offset
				r.Each = func(f *camdriver.Frame) { off.Frame(0, f) }
				b.camera(0).Misbehave(test.faults)
				s := streaming(t, d, r)
				pass(t, 3*time.Second)
				if n := r.Count(camdriver.DepthStream); n < test.frames-2 || n > test.frames+1 || off.ms > test.off {
					t.Errorf("%d frames, want %d; times are off by up to %.3f ms, want %g", n, test.frames, off.ms, test.off)
				}
				drops := optionValue(s.Options(), camdriver.OptionTotalFrameDrops)
				if drops < test.drops-1 || drops > test.drops || r.Notified(camdriver.NotifyFrameCorrupted) != test.corrupt || len(r.Kinds()) > 0 {
					t.Errorf("%g frames are counted as lost, want %g; notifications %v, status %v", drops, test.drops, r.Notes, r.Kinds())
				}
			})
		})
	}
}

// TestUnplugSteps unplugs the camera at each step of opening and starting, and then at each step of its return.
func TestUnplugSteps(t *testing.T) {
	for step, reached := 0, true; reached; step += 5 {
		synctest.Test(t, func(t *testing.T) { reached = unplugAt(t, step) })
		if !reached && step < 100 {
			t.Errorf("only %d steps", step)
		}
	}
}

// unplugAt reports whether there is such a step.
func unplugAt(t *testing.T, step int) (reached bool) {
	b, r := newFakeBus(t), &recorder{}
	var mu sync.Mutex
	left := step
	b.hook(func(string) error {
		mu.Lock()
		due := left == 0
		left--
		mu.Unlock()
		if due {
			b.unplug(0)
		}
		return nil
	})
	arm := func(steps int) (was int) {
		mu.Lock()
		defer mu.Unlock()
		was, left = left, steps
		return was
	}
	d, err := OpenOn(t.Context(), b, Selector{}, Options{})
	if err != nil {
		b.plug(0)
		arm(-1)
		if d, err = OpenOn(t.Context(), b, Selector{}, Options{}); err != nil {
			t.Fatalf("step %d: the camera can't be opened when it is back: %v", step, err)
		}
	}
	defer d.Close()
	s := d.Sensors()[0]
	if err := s.Start([]camdriver.Profile{smallDepth}, r); err != nil {
		arm(-1)
		if b.camera(0) == nil {
			b.plug(0)
		}
		pass(t, 3*time.Second)
		drivertest.Start(t, s, r, smallDepth)
	}
	reached = arm(-1) < 0
	b.unplug(0)
	pass(t, time.Second)
	arm(step)
	b.plug(0)
	pass(t, 3*time.Second)
	if arm(-1); b.camera(0) == nil {
		b.plug(0)
	}
	pass(t, 3*time.Second)
	before := r.Count(camdriver.DepthStream)
	if pass(t, time.Second); r.Count(camdriver.DepthStream)-before < 80 {
		t.Errorf("step %d: %d frames per second after the return", step, r.Count(camdriver.DepthStream)-before)
	}
	return reached
}

// TestSilentMotion makes the motion module fall silent while video runs: all of it once, or until it is powered up again, or
// one of its sensors.
func TestSilentMotion(t *testing.T) {
	silence := func(ctx context.Context, _ []byte) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() }
	for name, fault := range map[string]func(b *fakeBus){
		"endpoint": func(b *fakeBus) { b.fault(0x86, readFault{read: silence}) },
		"module": func(b *fakeBus) {
			b.camera(0).Misbehave(d435i.Faults{Silent: []uint8{model.ReportGyro, model.ReportAccel}})
		},
		"gyro": func(b *fakeBus) { b.camera(0).Misbehave(d435i.Faults{Silent: []uint8{model.ReportGyro}}) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
				streaming(t, d, r)
				imu := d.Sensors()[2]
				drivertest.Start(t, imu, r, small(imu)...)
				pass(t, time.Second)
				fault(b)
				pass(t, 10*time.Second)
				gyro, accel, depth := r.Count(camdriver.GyroStream), r.Count(camdriver.AccelStream), r.Count(camdriver.DepthStream)
				pass(t, time.Second)
				gyro, accel, depth = r.Count(camdriver.GyroStream)-gyro, r.Count(camdriver.AccelStream)-accel, r.Count(camdriver.DepthStream)-depth
				if gyro < 190 || accel < 60 || depth < 80 || !r.Notified(camdriver.NotifyFramesTimeout) || len(r.Kinds()) > 0 {
					t.Errorf("in the 11th second: %d gyro, %d accel, %d depth; notifications %v, status %v", gyro, accel, depth, r.Notes, r.Kinds())
				}
			})
		})
	}
}
