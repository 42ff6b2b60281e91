package camdriver

import (
	"errors"
	"fmt"
)

// StartSensors starts every sensor of a device that has profiles, which are by sensor. If
// one fails, the others are stopped again.
func StartSensors(dev Device, profiles [][]Profile, h Handler) error {
	for i, s := range dev.Sensors() {
		if len(profiles[i]) == 0 {
			continue
		}
		if err := s.Start(profiles[i], h); err != nil {
			return errors.Join(fmt.Errorf("start %s: %w", s.Name(), err), StopSensors(dev))
		}
	}
	return nil
}

// StopSensors stops all sensors of a device and waits for their last frames.
func StopSensors(dev Device) error {
	var errs []error
	for _, s := range dev.Sensors() {
		if err := s.Stop(); err != nil {
			errs = append(errs, fmt.Errorf("stop %s: %w", s.Name(), err))
		}
	}
	return errors.Join(errs...)
}
