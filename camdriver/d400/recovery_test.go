package d400

import (
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
	"rsros/test/drivertest"
	"rsros/test/need"
	"rsros/test/rig"
	"rsros/usbcam/d435i"
)

// offset is the largest difference between the times of frames and of their arrival.
type offset struct {
	camdriver.NopHandler
	ms float64
}

func (o *offset) Frame(_ int, f *camdriver.Frame) {
	o.ms = max(o.ms, math.Abs(f.Timestamp-float64(f.Arrival.UnixMicro())/1e3))
}

// TestIdle streams again after a time in which the camera's clock may have wrapped.
func TestIdle(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		for _, idle := range []time.Duration{time.Hour, time.Minute, 40 * time.Minute} {
			pass(t, idle)
			var o offset
			drivertest.Start(t, d.Sensors()[0], &o, smallDepth)
			pass(t, 20*time.Second)
			drivertest.Stop(t, d.Sensors()[0])
			if o.ms > 20 {
				t.Errorf("after %v: times are wrong by up to %f ms", idle, o.ms)
			}
		}
	})
}

// TestRestore changes options, and compares them after the camera was plugged in again: a manual setting ends an automatic
// one, or the other way round.
func TestRestore(t *testing.T) {
	type option struct {
		sensor int
		id     camdriver.OptionID
		value  float32
	}
	for name, test := range map[string]struct{ set, want []option }{
		"manual": {
			set: []option{{1, camdriver.OptionExposure, 100}, {1, camdriver.OptionWhiteBalance, 3000}, {0, camdriver.OptionGain, 32}},
			want: []option{
				{1, camdriver.OptionExposure, 100}, {1, camdriver.OptionEnableAutoExposure, 0}, {1, camdriver.OptionWhiteBalance, 3000},
				{1, camdriver.OptionEnableAutoWhiteBalance, 0}, {0, camdriver.OptionGain, 32}, {0, camdriver.OptionEnableAutoExposure, 0},
			},
		},
		"automatic again": {
			set:  []option{{1, camdriver.OptionExposure, 100}, {1, camdriver.OptionEnableAutoExposure, 1}},
			want: []option{{1, camdriver.OptionEnableAutoExposure, 1}},
		},
		"emitter off": {
			set:  []option{{0, camdriver.OptionLaserPower, 90}, {0, camdriver.OptionEmitterEnabled, 0}},
			want: []option{{0, camdriver.OptionLaserPower, 90}, {0, camdriver.OptionEmitterEnabled, 0}},
		},
		"exposure of a sequence": { // which the camera doesn't have while the sequence is off
			set: []option{
				{0, camdriver.OptionExposure, 5000}, {0, camdriver.OptionSequenceId, 1}, {0, camdriver.OptionExposure, 9000},
			},
			want: []option{{0, camdriver.OptionSequenceId, 1}, {0, camdriver.OptionExposure, 9000}, {0, camdriver.OptionEnableAutoExposure, 0}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
				streaming(t, d, r)
				for _, o := range test.set {
					drivertest.Set(t, d.Sensors()[o.sensor], o.id, o.value)
				}
				b.unplug(0)
				pass(t, 3*time.Second)
				b.plug(0)
				pass(t, 3*time.Second)
				for _, o := range test.want {
					if got, _ := d.Sensors()[o.sensor].Option(o.id); got.Value != o.value {
						t.Errorf("%s is %g, want %g", o.id, got.Value, o.value)
					}
				}
				if name == "exposure of a sequence" {
					if got := b.camera(0).ControlValue(uvc.Control{Unit: 3, Selector: model.XUExposure}); got != 5000 {
						t.Errorf("the camera has exposure %d, want 5000", got)
					}
				}
			})
		})
	}
}

// TestReplugIdle unplugs the camera while nothing streams.
func TestReplugIdle(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		b.unplug(0)
		pass(t, 2*time.Second)
		if _, err := d.current(); !errors.Is(err, camdriver.ErrUnplugged) { // no request has shown it to the test
			t.Errorf("two seconds after the camera was unplugged: %v", err)
		}
		b.plug(0)
		need.Must(t, d.AwaitReturn(t.Context()))
		drivertest.Start(t, d.Sensors()[0], r, smallDepth)
		pass(t, time.Second)
		if r.Count(camdriver.DepthStream) < 80 {
			t.Errorf("%d frames", r.Count(camdriver.DepthStream))
		}
	})
}

// TestHardwareTime checks that times on the camera's clock are those of the camera, also after a replug and after a rest in
// which its clock may have wrapped.
func TestHardwareTime(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		pass(t, time.Hour)
		drivertest.Set(t, d.Sensors()[0], camdriver.OptionGlobalTimeEnabled, 0)
		wrong := 0
		r.Each = func(f *camdriver.Frame) {
			us, _ := f.Meta(camdriver.MetaFrameTimestamp)
			if f.Domain != camdriver.HardwareClock || math.Abs(f.Timestamp-float64(us)/1e3) > 0.001 {
				wrong++
			}
		}
		s := streaming(t, d, r)
		for range 2 {
			pass(t, time.Second)
			drivertest.Stop(t, s)
			pass(t, 20*time.Minute)
			drivertest.Start(t, s, r, smallDepth)
			pass(t, time.Second)
			if wrong > 0 {
				t.Fatalf("%d times are not those of the camera", wrong)
			}
			b.unplug(0)
			pass(t, time.Second)
			b.plug(0)
			pass(t, time.Second)
		}
	})
}

// TestHubReset has a hub reset, on which two cameras stream: both leave, and are back at once with other addresses.
func TestHubReset(t *testing.T) {
	for _, unnamed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := newFakeBus(t, d435i.Options{Serial: [6]byte{1}, ASICSerial: [6]byte{2}}, d435i.Options{Serial: [6]byte{3}, ASICSerial: [6]byte{4}})
			b.unnamed = unnamed
			b.replugAll()
			var handlers [2]recorder
			for i, serial := range []string{"010000000000", "030000000000"} {
				d, err := OpenOn(t.Context(), b, Selector{Serial: serial}, Options{})
				need.Must(t, err)
				defer d.Close()
				drivertest.Start(t, d.Sensors()[0], &handlers[i], smallDepth)
			}
			pass(t, time.Second)
			b.replugAll()
			pass(t, 5*time.Second)
			for i := range handlers {
				before := handlers[i].Count(camdriver.DepthStream)
				if pass(t, time.Second); handlers[i].Count(camdriver.DepthStream)-before < 80 {
					t.Errorf("camera %d doesn't stream after the reset: %v", i, handlers[i].Status)
				}
			}
		})
	}
}

// TestSlowerLink plugs a camera in again where it has USB 2 only, and then where it has USB 3.
func TestSlowerLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, r := newFakeBus(t), &recorder{}
		var log rig.Log
		d, err := OpenOn(t.Context(), b, Selector{}, Options{Log: zerolog.New(&log)})
		need.Must(t, err)
		defer d.Close()
		streaming(t, d, r)
		for _, slow := range []bool{true, false} {
			b.unplug(0)
			pass(t, time.Second)
			b.slots[0].opt.USB2 = slow
			b.plug(0)
			pass(t, 5*time.Second)
			before := r.Count(camdriver.DepthStream)
			if pass(t, time.Second); (r.Count(camdriver.DepthStream) > before) == slow {
				t.Errorf("slow %v: %d frames in a second", slow, r.Count(camdriver.DepthStream)-before)
			}
		}
		if n := log.Count("is not offered on this USB 2.1 link"); n != 1 {
			t.Errorf("the log says %d times that the link is slower: %s", n, log.String())
		}
	})
}
