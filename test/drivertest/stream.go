package drivertest

import (
	"context"
	"errors"
	"hash/crc32"
	"sync"
	"testing"
	"time"

	"rsros/camdriver"
)

// testStartStop: Stop on a stopped sensor does nothing, a sensor can be started again, and
// nothing reaches a handler after Stop, not even while the sensor streams to another.
func testStartStop(t *testing.T, dev camdriver.Device, o Options) {
	streaming(dev, o, func(s camdriver.Sensor, profiles []camdriver.Profile) {
		Stop(t, s) // before any Start
		for range 3 {
			w := newWatch(t, dev, o)
			w.start(s, profiles)
			w.frames(1, profiles)
			w.stop(s, s)
		}
		for range 3 { // stopped immediately
			w := newWatch(t, dev, o)
			w.start(s, profiles)
			w.stop(s)
		}
		last := newWatch(t, dev, o)
		last.start(s, profiles)
		last.frames(frames, profiles)
		last.stop(s)
	})
}

// testStopWaits: Stop doesn't return while a Frame call is running.
func testStopWaits(t *testing.T, dev camdriver.Device, o Options) {
	streaming(dev, o, func(s camdriver.Sensor, profiles []camdriver.Profile) {
		w := newWatch(t, dev, o)
		entered, leave := make(chan struct{}), make(chan struct{})
		var once sync.Once
		w.each = func(*camdriver.Frame) {
			once.Do(func() { close(entered) })
			<-leave
		}
		w.start(s, profiles)
		<-entered
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			w.stop(s)
		}()
		select {
		case <-stopped:
			t.Errorf("%s: Stop returned while a Frame call was running", s.Name())
		case <-time.After(50 * time.Millisecond): // long enough to catch a driver that doesn't wait
		}
		close(leave)
		<-stopped
	})
}

// testRefusedStarts: invalid requests don't change a stopped or a streaming sensor.
func testRefusedStarts(t *testing.T, dev camdriver.Device, o Options) {
	streaming(dev, o, func(s camdriver.Sensor, profiles []camdriver.Profile) {
		w := newWatch(t, dev, o)
		strange := profiles[0]
		strange.FPS = 12345
		for what, request := range map[string][]camdriver.Profile{
			"a missing profile": {strange}, "a stream twice": {profiles[0], profiles[0]}, "nothing": nil,
		} {
			if err := s.Start(request, w); !errors.Is(err, camdriver.ErrUnsupported) {
				t.Errorf("%s: started with %s: %v", s.Name(), what, err)
				s.Stop()
			}
		}
		w.start(s, profiles)
		if err := s.Start(profiles, w); !errors.Is(err, camdriver.ErrBusy) {
			t.Errorf("%s: second Start: %v", s.Name(), err)
		}
		w.frames(1, profiles)
		w.stop(s)
	})
}

// testConcurrent starts and stops all sensors at once, while other goroutines query the
// device.
func testConcurrent(t *testing.T, dev camdriver.Device, o Options) {
	w := newWatch(t, dev, o)
	var all []camdriver.Profile
	streaming(dev, o, func(_ camdriver.Sensor, profiles []camdriver.Profile) {
		all = append(all, profiles...)
	})
	w.expect(all)
	var starts, asks sync.WaitGroup
	streaming(dev, o, func(s camdriver.Sensor, profiles []camdriver.Profile) {
		starts.Go(func() {
			if err := s.Start(profiles, w); err != nil {
				t.Errorf("%s: Start: %v", s.Name(), err)
			}
		})
		asks.Go(func() {
			for range 20 {
				camdriver.Snapshot(dev, [][]camdriver.Profile{profiles})
				s.Profiles()
			}
		})
	})
	starts.Wait()
	w.frames(frames, all)
	asks.Wait()
	var stops sync.WaitGroup
	for _, s := range dev.Sensors() {
		stops.Go(func() { Stop(t, s) })
	}
	stops.Wait()
	w.close()
}

// testRetained retains frames while later ones arrive and after Stop and Close. Their pixels
// must not change.
func testRetained(t *testing.T, dev camdriver.Device, o Options) {
	type kept struct {
		frame *camdriver.Frame
		sum   uint32
	}
	var mu sync.Mutex
	var held []kept
	perStream := make(map[camdriver.StreamID]int)
	w := newWatch(t, dev, o)
	w.each = func(f *camdriver.Frame) {
		mu.Lock()
		defer mu.Unlock()
		if perStream[f.Stream()]++; perStream[f.Stream()] <= 2 {
			held = append(held, kept{f.Retain(), crc32.ChecksumIEEE(f.Data)})
		}
	}
	all := w.startAll(dev)
	w.frames(2*frames, all)
	w.stop(dev.Sensors()...)
	if err := dev.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	for _, k := range held {
		if crc32.ChecksumIEEE(k.frame.Data) != k.sum {
			t.Errorf("frame %d of %s changed after it was delivered", k.frame.Number, k.frame.Stream())
		}
		k.frame.Release()
	}
}

// testReset: streams end and return, or Reset isn't supported.
func testReset(t *testing.T, dev camdriver.Device, o Options) {
	w := newWatch(t, dev, o)
	all := w.startAll(dev)
	w.frames(1, all)
	err := dev.Reset()
	if err == nil {
		w.waitUntil("StatusStreaming after StatusDisconnected", func() bool {
			n := len(w.status)
			return n >= 2 && w.status[n-2] == camdriver.StatusDisconnected && w.status[n-1] == camdriver.StatusStreaming
		})
		w.frames(frames, all)
	} else if !errors.Is(err, camdriver.ErrUnsupported) {
		t.Errorf("Reset: %v", err)
	}
	w.stop(dev.Sensors()...)
	if back, ok := dev.(camdriver.Returning); ok && err == nil {
		returns(t, back, o)
	}
}

// returns resets a device whose sensors are stopped, and waits for its return.
func returns(t *testing.T, dev camdriver.Returning, o Options) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	if err := dev.AwaitReturn(ctx); err != nil {
		t.Errorf("AwaitReturn of a connected device: %v", err)
	}
	if err := dev.Reset(); err != nil {
		t.Fatalf("Reset of a stopped device: %v", err)
	}
	if err := dev.AwaitReturn(ctx); err != nil {
		t.Errorf("AwaitReturn after Reset: %v", err)
	}
	streaming(dev, o, func(s camdriver.Sensor, profiles []camdriver.Profile) {
		if err := errors.Join(s.Start(profiles, camdriver.NopHandler{}), s.Stop()); err != nil {
			t.Errorf("%s after a Reset: %v", s.Name(), err)
		}
	})
}

// testClose closes a streaming device twice, and then tries to use it.
func testClose(t *testing.T, dev camdriver.Device, o Options) {
	w := newWatch(t, dev, o)
	streaming(dev, o, func(s camdriver.Sensor, profiles []camdriver.Profile) {
		w.start(s, profiles)
		w.frames(1, profiles)
	})
	for range 2 {
		if err := dev.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		w.close()
	}
	Stop(t, dev.Sensors()...)
	for _, s := range dev.Sensors() {
		if options := s.Options(); len(options) > 0 {
			if err := s.SetOption(options[0].ID, options[0].Value); !errors.Is(err, camdriver.ErrClosed) {
				t.Errorf("%s: SetOption after Close: %v", s.Name(), err)
			}
		}
	}
	streaming(dev, o, func(s camdriver.Sensor, profiles []camdriver.Profile) {
		if err := s.Start(profiles, w); !errors.Is(err, camdriver.ErrClosed) {
			t.Errorf("%s: Start after Close: %v", s.Name(), err)
		}
	})
	if err := dev.Reset(); !errors.Is(err, camdriver.ErrClosed) && !errors.Is(err, camdriver.ErrUnsupported) {
		t.Errorf("Reset after Close: %v", err)
	}
}
