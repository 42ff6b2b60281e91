package camdriver

import (
	"errors"
	"fmt"
	"slices"
)

// The filters that the SDK recommends for depth and colour, in order (Sensor.Filters).
var (
	DepthFilters = []string{
		"Decimation Filter", "Rotation Filter", "HDR Merge", "Filter By Sequence id", "Threshold Filter",
		"Depth to Disparity", "Spatial Filter", "Temporal Filter", "Hole Filling Filter", "Disparity to Depth",
	}
	ColorFilters = []string{"Decimation Filter", "Rotation Filter"}
)

// CheckProfiles checks the argument of Sensor.Start: at least one profile, at most one
// per stream, and each accepted by check.
func CheckProfiles(profiles []Profile, check func(Profile) error) error {
	if len(profiles) == 0 {
		return fmt.Errorf("no profiles: %w", ErrUnsupported)
	}
	for i, p := range profiles {
		if err := check(p); err != nil {
			return err
		}
		if slices.ContainsFunc(profiles[:i], func(q Profile) bool { return q.Stream == p.Stream }) {
			return fmt.Errorf("two profiles of %s: %w", p.Stream, ErrUnsupported)
		}
	}
	return nil
}

// StartSensors starts the sensors of a device for which profiles, indexed by sensor, has
// entries. If one fails, it stops the others.
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

// StopSensors stops all sensors of a device and waits for running handler calls.
func StopSensors(dev Device) error {
	var errs []error
	for _, s := range dev.Sensors() {
		if err := s.Stop(); err != nil {
			errs = append(errs, fmt.Errorf("stop %s: %w", s.Name(), err))
		}
	}
	return errors.Join(errs...)
}
