// Package drivertest tests the contract of camdriver, which every driver must keep. A
// driver's test calls it:
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
// Each subtest opens a device, streams for a moment in real time and checks that no
// goroutine is left. Run it with -race. Drivers have their own tests of pixels, files and
// transfers.
package drivertest

import (
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rsros/camdriver"
)

// Options fit the contract to a driver. The zero value fits a camera.
type Options struct {
	// Profiles selects the profiles of a sensor; its default ones if nil. If there are
	// none, the sensor isn't tested.
	Profiles func(camdriver.Sensor) []camdriver.Profile
	// Repeats allows frame numbers and timestamps to start over, as in a file that plays in
	// a loop.
	Repeats bool
}

// frames is the number of frames of each stream that a test waits for. A file must have several times as many of each.
const frames = 5

// timeout bounds each wait.
const timeout = 30 * time.Second

// Run tests the device that open returns.
func Run(t *testing.T, open func(t *testing.T) camdriver.Device, o Options) {
	if o.Profiles == nil {
		o.Profiles = defaults
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
		{"start and stop", testStartStop},
		{"stop waits", testStopWaits},
		{"refused starts", testRefusedStarts},
		{"all sensors at once", testConcurrent},
		{"retained frames", testRetained},
		{"reset", testReset},
		{"close", testClose},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			dev := open(t)
			test.run(t, dev, o)
			if err := dev.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			goleak.VerifyNone(t, before)
		})
	}
}

// Start starts a sensor, or ends the test.
func Start(t testing.TB, s camdriver.Sensor, h camdriver.Handler, profiles ...camdriver.Profile) {
	t.Helper()
	if err := s.Start(profiles, h); err != nil {
		t.Fatalf("%s: Start(%v): %v", s.Name(), profiles, err)
	}
}

// Stop stops sensors.
func Stop(t testing.TB, sensors ...camdriver.Sensor) {
	t.Helper()
	for _, s := range sensors {
		if err := s.Stop(); err != nil {
			t.Errorf("%s: Stop: %v", s.Name(), err)
		}
	}
}

// Set sets an option of a sensor.
func Set(t testing.TB, s camdriver.Sensor, id camdriver.OptionID, value float32) {
	t.Helper()
	if err := s.SetOption(id, value); err != nil {
		t.Errorf("%s: %s = %g: %v", s.Name(), id, value, err)
	}
}

// defaults returns a sensor's default profiles.
func defaults(s camdriver.Sensor) []camdriver.Profile {
	return slices.DeleteFunc(s.Profiles(), func(p camdriver.Profile) bool { return !p.Default })
}

// streaming calls f for each sensor that o has profiles for.
func streaming(dev camdriver.Device, o Options, f func(s camdriver.Sensor, profiles []camdriver.Profile)) {
	for _, s := range dev.Sensors() {
		if profiles := o.Profiles(s); len(profiles) > 0 {
			f(s, profiles)
		}
	}
}
