package sim

import (
	"cmp"
	"context"
	"errors"
	"hash/crc32"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"rsros/camdriver"
	"rsros/test/drivertest"
	"rsros/test/need"
)

type recorder = drivertest.Recorder

// small returns a stream's profile of 424x240 at the given rate, or the default if the
// stream isn't video.
func small(s camdriver.Sensor, id camdriver.StreamID, fps int) camdriver.Profile {
	for _, p := range s.Profiles() {
		if p.Stream == id && (p.Width == 424 && p.Height == 240 && p.FPS == fps || p.Width == 0 && p.Default) {
			return p
		}
	}
	panic("no small profile of " + id.String())
}

// TestRates runs every stream for two simulated seconds and checks numbers and times of
// all frames.
func TestRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dev, _ := Open(Options{Pose: true, Loop: time.Second})
		defer dev.Close()
		sensors, rec := dev.Sensors(), &recorder{}
		for i, ids := range [][]camdriver.StreamID{{camdriver.DepthStream, camdriver.LeftStream, camdriver.RightStream}, {camdriver.ColorStream}, {camdriver.GyroStream, camdriver.AccelStream}, {camdriver.PoseStream}} {
			var profiles []camdriver.Profile
			for _, id := range ids {
				profiles = append(profiles, small(sensors[i], id, 15))
			}
			drivertest.Start(t, sensors[i], rec, profiles...)
		}
		time.Sleep(2*time.Second + 20*time.Millisecond)
		for _, s := range sensors {
			s.Stop()
		}
		for id, want := range map[camdriver.StreamID]int{camdriver.DepthStream: 30, camdriver.LeftStream: 30, camdriver.RightStream: 30, camdriver.ColorStream: 31, camdriver.GyroStream: 404, camdriver.AccelStream: 128, camdriver.PoseStream: 404} {
			got := rec.Frames[id]
			if len(got) != want {
				t.Errorf("%s: %d frames, want %d", id, len(got), want)
			}
			for i, f := range got {
				if f.Number != uint64(i+1) {
					t.Fatalf("%s: frame %d has number %d", id, i, f.Number)
				}
			}
		}
		for i, f := range rec.Frames[camdriver.DepthStream] {
			if l, r := rec.Frames[camdriver.LeftStream][i], rec.Frames[camdriver.RightStream][i]; l.Timestamp != f.Timestamp || r.Timestamp != f.Timestamp {
				t.Fatalf("exposure %d has different timestamps: %f %f %f", i, f.Timestamp, l.Timestamp, r.Timestamp)
			}
		}
	})
}

// TestPrepareEnds checks that Prepare stops when its context is done.
func TestPrepareEnds(t *testing.T) {
	dev, err := Open(Options{Loop: time.Second})
	need.Must(t, err)
	defer dev.Close()
	p := small(dev.Sensors()[0], camdriver.DepthStream, 6)
	drawn := func() (n int) {
		slots := dev.sensors[0].loops[p.Stream].slots
		for i := range slots {
			if slots[i].buf != nil {
				n++
			}
		}
		return n
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	dev.Prepare(ended, [][]camdriver.Profile{{p}})
	if n := drawn(); n != 0 {
		t.Errorf("%d images rendered after cancellation", n)
	}
	dev.Prepare(t.Context(), [][]camdriver.Profile{{p}})
	if n := drawn(); n != 6 {
		t.Errorf("%d images rendered, want 6", n)
	}
}

// bubble runs test with the stereo module in simulated time.
func bubble(t *testing.T, o Options, test func(dev *Device, s camdriver.Sensor, rec *recorder)) {
	synctest.Test(t, func(t *testing.T) {
		o.Loop = cmp.Or(o.Loop, time.Second)
		dev, err := Open(o)
		need.Must(t, err)
		defer dev.Close()
		test(dev, dev.Sensors()[0], &recorder{})
	})
}

func start(t *testing.T, s camdriver.Sensor, h camdriver.Handler, ids ...camdriver.StreamID) {
	t.Helper()
	var profiles []camdriver.Profile
	for _, id := range ids {
		profiles = append(profiles, small(s, id, 15))
	}
	drivertest.Start(t, s, h, profiles...)
}

func option(s camdriver.Sensor, id camdriver.OptionID) float32 {
	for _, o := range s.Options() {
		if o.ID == id {
			return o.Value
		}
	}
	return -1
}

// TestSlowHandler checks that a slow handler misses frames, that they are counted, and
// that no frame arrives later than lateness.
func TestSlowHandler(t *testing.T) {
	bubble(t, Options{}, func(_ *Device, s camdriver.Sensor, rec *recorder) {
		rec.Each = func(f *camdriver.Frame) {
			late := time.Since(time.UnixMicro(int64(f.Timestamp * 1000)))
			if late > lateness+time.Millisecond {
				t.Errorf("frame %d is %v late", f.Number, late)
			}
			switch f.Number {
			case 3:
				time.Sleep(60 * time.Millisecond) // less than lateness
			case 5:
				time.Sleep(500 * time.Millisecond)
			}
		}
		start(t, s, rec, camdriver.DepthStream)
		time.Sleep(2 * time.Second)
		s.Stop()
		var missing uint64
		next := uint64(1)
		for _, f := range rec.Frames[camdriver.DepthStream] {
			if f.Number != next && next != 6 {
				t.Errorf("got frame %d, want %d", f.Number, next)
			}
			missing += f.Number - next
			next = f.Number + 1
		}
		if got := option(s, camdriver.OptionTotalFrameDrops); missing != 6 || got != float32(missing) {
			t.Errorf("%d frames missing, %g counted, want 6", missing, got)
		}
	})
}

// TestAway checks that a camera that is unplugged stays away until Replug, and one that is reset for a while, that status
// changes are raised once per device and notifications of a reset once per sensor, and that streams then continue.
func TestAway(t *testing.T) {
	for name, test := range map[string]struct {
		leave, back func(*Device) error
		again       error // of a second call of leave
		cause       error
		away        time.Duration
		notes       int
	}{
		"unplugged": {(*Device).Unplug, (*Device).Replug, camdriver.ErrUnplugged, camdriver.ErrUnplugged, time.Hour, 0},
		"reset":     {(*Device).Reset, func(*Device) error { return nil }, nil, errReset, resetTime, 2},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, Options{Serial: "0123"}, func(dev *Device, s camdriver.Sensor, rec *recorder) {
				if got := camdriver.Find(dev.Info(), camdriver.InfoSerialNumber); got != "0123" {
					t.Errorf("serial number %q", got)
				}
				start(t, s, rec, camdriver.DepthStream, camdriver.LeftStream)
				start(t, dev.Sensors()[2], rec, camdriver.GyroStream)
				time.Sleep(500 * time.Millisecond)
				need.Must(t, test.leave(dev))
				synctest.Wait()
				if err := test.leave(dev); !errors.Is(err, test.again) {
					t.Errorf("leaving again: %v", err)
				}
				before := rec.Count(camdriver.DepthStream)
				if err := dev.Sensors()[1].Start([]camdriver.Profile{small(dev.Sensors()[1], camdriver.ColorStream, 15)}, rec); !errors.Is(err, camdriver.ErrUnplugged) {
					t.Errorf("Start while disconnected: %v", err)
				}
				time.Sleep(test.away - time.Nanosecond)
				if n := rec.Count(camdriver.DepthStream) - before; n != 0 {
					t.Errorf("%d frames from a camera that is away", n)
				}
				need.Must(t, test.back(dev))
				time.Sleep(200*time.Millisecond + time.Nanosecond)
				for _, s := range dev.Sensors() {
					s.Stop()
				}
				if len(rec.Status) != 2 || !errors.Is(rec.Status[0].Err, test.cause) || rec.Status[1].Kind != camdriver.StatusStreaming {
					t.Errorf("status %v", rec.Status)
				}
				if len(rec.Notes) != test.notes || test.notes > 0 && rec.Notes[0].Category != camdriver.NotifyHardwareEvent {
					t.Errorf("notifications %+v, want %d", rec.Notes, test.notes)
				}
				if after := rec.Frames[camdriver.DepthStream][before:]; len(after) != 3 || after[0].Number != 1 {
					t.Errorf("%d frames after the return, want 3 from number 1", len(after))
				}
				test.leave(dev) // Close must not wait for a camera that is away
			})
		})
	}
}

// TestLook checks the effect of options on images and metadata.
func TestLook(t *testing.T) {
	bubble(t, Options{}, func(dev *Device, s camdriver.Sensor, rec *recorder) {
		var last *camdriver.Frame
		rec.Each = func(f *camdriver.Frame) { last = f }
		brightness := func(set map[camdriver.OptionID]float32) (sum int) {
			for id, v := range set {
				drivertest.Set(t, s, id, v)
			}
			start(t, s, rec, camdriver.LeftStream)
			time.Sleep(100 * time.Millisecond)
			s.Stop()
			for _, v := range last.Data {
				sum += int(v)
			}
			return sum
		}
		lit := brightness(nil)
		dark := brightness(map[camdriver.OptionID]float32{camdriver.OptionEmitterEnabled: 0})
		if v, _ := last.Meta(camdriver.MetaFrameLaserPowerMode); v != 0 || dark > lit*95/100 {
			t.Errorf("brightness %d without the laser, %d with it (mode %d)", dark, lit, v)
		}
		exposed := brightness(map[camdriver.OptionID]float32{camdriver.OptionExposure: 17000})
		if v, _ := last.Meta(camdriver.MetaActualExposure); v != 17000 || exposed < dark*3/2 {
			t.Errorf("brightness %d with twice the exposure, %d before (exposure %d)", exposed, dark, v)
		}
		if v, _ := last.Meta(camdriver.MetaAutoExposure); v != 0 {
			t.Error("auto exposure is on after setting the exposure")
		}
	})
}

// TestOptionEvents checks that changes of dependent options are raised.
func TestOptionEvents(t *testing.T) {
	bubble(t, Options{}, func(_ *Device, s camdriver.Sensor, rec *recorder) {
		start(t, s, rec, camdriver.DepthStream)
		s.SetOption(camdriver.OptionExposure, 5000)
		s.SetOption(camdriver.OptionExposure, 6000)
		s.Stop()
		s.SetOption(camdriver.OptionExposure, 7000)
		want := []camdriver.OptionID{camdriver.OptionExposure, camdriver.OptionEnableAutoExposure, camdriver.OptionExposure}
		if !slices.Equal(rec.Options, want) {
			t.Errorf("raised %v, want %v", rec.Options, want)
		}
	})
}

// TestClocks checks timestamps with Global Time Enabled on and off.
func TestClocks(t *testing.T) {
	bubble(t, Options{}, func(dev *Device, s camdriver.Sensor, rec *recorder) {
		time.Sleep(10 * time.Second)
		start(t, s, rec, camdriver.DepthStream)
		time.Sleep(100 * time.Millisecond)
		s.SetOption(camdriver.OptionGlobalTimeEnabled, 0)
		time.Sleep(150 * time.Millisecond)
		s.Stop()
		first, last := rec.Frames[camdriver.DepthStream][0], rec.Frames[camdriver.DepthStream][2]
		if want := float64(dev.opened.UnixMicro())/1e3 + 10000 + 1000.0/15; first.Domain != camdriver.GlobalTime || math.Abs(first.Timestamp-want) > 1e-3 {
			t.Errorf("%s %f, want %f", first.Domain, first.Timestamp, want)
		}
		if want := 10000 + 3*1000.0/15; last.Domain != camdriver.HardwareClock || math.Abs(last.Timestamp-want) > 1e-3 {
			t.Errorf("%s %f, want %f", last.Domain, last.Timestamp, want)
		}
	})
}

// TestMemory checks that a stream stays within its memory while a consumer holds frames.
func TestMemory(t *testing.T) {
	size := int64(424 * 240)
	bubble(t, Options{StreamMemory: 4 * (size + int64(camdriver.PageSize))}, func(dev *Device, s camdriver.Sensor, rec *recorder) {
		gain := float32(16)
		rec.Each = func(f *camdriver.Frame) { // each frame needs a new image
			f.Retain()
			gain++
			s.SetOption(camdriver.OptionGain, gain)
		}
		start(t, s, rec, camdriver.LeftStream)
		time.Sleep(2*time.Second + 20*time.Millisecond)
		s.Stop()
		pool := dev.sensors[0].loops[camdriver.LeftStream].pool
		if limit := 8 * (size + int64(camdriver.PageSize)); pool.InUse() > limit {
			t.Errorf("%d bytes in use, want at most %d", pool.InUse(), limit)
		}
		got := len(rec.Frames[camdriver.LeftStream])
		if drops := option(s, camdriver.OptionTotalFrameDrops); got+int(drops) != 30 || drops == 0 {
			t.Errorf("%d frames arrived and %g were dropped, want 30 in total", got, drops)
		}
		for _, f := range rec.Frames[camdriver.LeftStream] {
			f.Release()
		}
	})
}

// TestLoopIsLent checks that after one loop frames have the same memory again,
// page-aligned, and that frames share images if memory is short.
func TestLoopIsLent(t *testing.T) {
	bubble(t, Options{StreamMemory: 8 * int64(424*240*2+camdriver.PageSize)}, func(_ *Device, s camdriver.Sensor, rec *recorder) {
		var sums []uint32
		rec.Each = func(f *camdriver.Frame) { sums = append(sums, crc32.ChecksumIEEE(f.Data)) }
		start(t, s, rec, camdriver.DepthStream)
		time.Sleep(2100 * time.Millisecond)
		s.Stop()
		frames := rec.Frames[camdriver.DepthStream]
		for i, f := range frames {
			if crc32.ChecksumIEEE(f.Data) != sums[i] {
				t.Fatalf("frame %d changed after it was raised", f.Number)
			}
		}
		seen := make(map[*byte]int)
		for i, f := range frames[:30] {
			seen[&f.Data[0]]++
			if uintptr(unsafe.Pointer(&f.Data[0]))%uintptr(camdriver.PageSize) != 0 {
				t.Fatalf("frame %d is not page-aligned", f.Number)
			}
			if i >= 15 && &f.Data[0] != &frames[i-15].Data[0] {
				t.Fatalf("frame %d has different memory than one loop before", f.Number)
			}
		}
		if len(seen) != 8 {
			t.Errorf("%d images, want 8", len(seen))
		}
	})
}

// TestGrid checks that index is the inverse of time at every rate, without drift.
func TestGrid(t *testing.T) {
	opened := time.Unix(1e9, 12345)
	for _, fps := range []int64{6, 15, 30, 63, 90, 200, 250, 300, 400} {
		g := grid{opened, fps}
		for k := range 10 * fps {
			at := g.time(k)
			if g.index(at) != k || g.index(at.Add(-1)) != k-1 || g.index(at.Add(time.Second/400-1)) > k+1 {
				t.Fatalf("fps %d: frame %d at %v has index %d", fps, k, at.Sub(opened), g.index(at))
			}
		}
		if got := g.time(fps * 86400); !got.Equal(opened.Add(24 * time.Hour)) {
			t.Errorf("fps %d: after a day %v", fps, got.Sub(opened))
		}
	}
}
