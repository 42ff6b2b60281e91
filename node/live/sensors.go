package live

import (
	"errors"
	"fmt"

	"rsros/camdriver"
)

// startSensors starts every sensor that has profiles. If one fails, the others are
// stopped again.
func startSensors(dev camdriver.Device, profiles [][]camdriver.Profile, h camdriver.Handler) error {
	for i, s := range dev.Sensors() {
		if len(profiles[i]) == 0 {
			continue
		}
		if err := s.Start(profiles[i], h); err != nil {
			return errors.Join(fmt.Errorf("start %s: %w", s.Name(), err), stopSensors(dev))
		}
	}
	return nil
}

// stopSensors stops all sensors and waits for their last frames.
func stopSensors(dev camdriver.Device) error {
	var errs []error
	for _, s := range dev.Sensors() {
		if err := s.Stop(); err != nil {
			errs = append(errs, fmt.Errorf("stop %s: %w", s.Name(), err))
		}
	}
	return errors.Join(errs...)
}
