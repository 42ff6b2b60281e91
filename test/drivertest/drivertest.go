// Package drivertest is the contract of camdriver as tests: what every driver
// does, whatever it drives. A driver's own test runs it in one line:
//
//	func TestContract(t *testing.T) {
//		drivertest.Run(t, func(t *testing.T) camdriver.Device {
//			dev, err := sim.Open(...)
//			if err != nil {
//				t.Fatal(err)
//			}
//			return dev // drivertest closes it
//		}, drivertest.Options{})
//	}
//
// Each subtest opens a device of its own, streams for a moment in real time and
// then checks that nothing of it is left running. Run it with -race. Drivers
// test what only they can know (pixels, files, transfers) beside it.
package drivertest

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"rsros/camdriver"
)

// Options fit the contract to a driver. The zero value fits a camera.
type Options struct {
	// Profiles chooses what a sensor streams; its default profiles if nil. An
	// empty choice leaves the sensor out.
	Profiles func(camdriver.Sensor) []camdriver.Profile
	// Frames is how many frames of each stream a test waits for; 5 if 0. A file
	// has to hold several times as many of each.
	Frames int
	// Timeout ends a wait that isn't going to end well; 30 s if 0.
	Timeout time.Duration
	// Repeats allows frame numbers and timestamps to start over, as those of a
	// file that plays in a loop do.
	Repeats bool
	// Leaks are goroutines that may remain.
	Leaks []goleak.Option
}

// Run tests the device that open returns.
func Run(t *testing.T, open func(t *testing.T) camdriver.Device, o Options) {
	if o.Profiles == nil {
		o.Profiles = defaults
	}
	if o.Frames == 0 {
		o.Frames = 5
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	for _, test := range []struct {
		name string
		run  func(*testing.T, camdriver.Device, Options)
	}{
		{"info", testInfo},
		{"profiles", testProfiles},
		{"intrinsics", testIntrinsics},
		{"extrinsics", testExtrinsics},
		{"options", testOptions},
		{"option change while streaming", testOptionChanged},
		{"frames", testFrames},
		{"start and stop", testStartStop},
		{"stop waits", testStopWaits},
		{"refused starts", testRefusedStarts},
		{"all sensors at once", testConcurrent},
		{"retained frames", testRetained},
		{"reset", testReset},
		{"close", testClose},
	} {
		t.Run(test.name, func(t *testing.T) {
			leaks := append([]goleak.Option{goleak.IgnoreCurrent()}, o.Leaks...)
			dev := open(t)
			test.run(t, dev, o)
			if err := dev.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			goleak.VerifyNone(t, leaks...)
		})
	}
}

// defaults is a sensor's own choice.
func defaults(s camdriver.Sensor) []camdriver.Profile {
	var out []camdriver.Profile
	for _, p := range s.Profiles() {
		if p.Default {
			out = append(out, p)
		}
	}
	return out
}

// streaming calls f for each sensor that o has profiles for.
func streaming(dev camdriver.Device, o Options, f func(number int, s camdriver.Sensor, profiles []camdriver.Profile)) {
	for i, s := range dev.Sensors() {
		if profiles := o.Profiles(s); len(profiles) > 0 {
			f(i, s, profiles)
		}
	}
}
