package sim_test

import (
	"testing"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/sim"
	"rsros/test/drivertest"
	"rsros/test/need"
)

// TestContract runs the contract test of all drivers with small images.
func TestContract(t *testing.T) {
	open := func(t *testing.T) camdriver.Device {
		dev, err := sim.Open(sim.Options{Pose: true, Loop: time.Second})
		need.Must(t, err)
		return dev
	}
	small := func(s camdriver.Sensor) (out []camdriver.Profile) {
		for _, p := range s.Profiles() {
			if p.Width == 424 && p.FPS == 30 || p.Width == 0 && p.Default {
				out = append(out, p)
			}
		}
		return out
	}
	drivertest.Run(t, open, drivertest.Options{Profiles: small})
}
