package d400

import (
	"testing"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/test/drivertest"
	"rsros/test/need"
)

// TestContract runs the contract test of all drivers with a virtual camera.
func TestContract(t *testing.T) {
	open := func(t *testing.T) camdriver.Device {
		d, err := OpenOn(t.Context(), newFakeBus(t), Selector{}, Options{Log: zerolog.New(zerolog.NewTestWriter(t))})
		need.Must(t, err)
		return d
	}
	small := func(s camdriver.Sensor) (out []camdriver.Profile) {
		for _, p := range s.Profiles() {
			rectified := p.Format == camdriver.Z16 || p.Format == camdriver.Y8 && p.Stream != camdriver.ColorStream || p.Format == camdriver.RGB8
			if p.Width == 424 && p.FPS == 60 && rectified || p.Width == 0 && p.Default {
				out = append(out, p)
			}
		}
		return out
	}
	drivertest.Run(t, open, drivertest.Options{Profiles: small})
}
