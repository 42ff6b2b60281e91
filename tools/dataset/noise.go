package dataset

import (
	"fmt"
	"math"
)

// Noise is a model of an inertial sensor's noise, as Kalibr has it.
type Noise struct {
	GyroDensity  float64 `yaml:"gyroscope_noise_density" json:"gyroscope_noise_density"`         // rad/s/√Hz
	GyroWalk     float64 `yaml:"gyroscope_random_walk" json:"gyroscope_random_walk"`             // rad/s²/√Hz
	AccelDensity float64 `yaml:"accelerometer_noise_density" json:"accelerometer_noise_density"` // m/s²/√Hz
	AccelWalk    float64 `yaml:"accelerometer_random_walk" json:"accelerometer_random_walk"`     // m/s³/√Hz
}

// Check returns an error unless all values are above 0.
func (n *Noise) Check() error {
	for _, v := range []float64{n.GyroDensity, n.GyroWalk, n.AccelDensity, n.AccelWalk} {
		if !(v > 0 && v < math.MaxFloat32) {
			return fmt.Errorf("noise %v: want gyroscope_noise_density, gyroscope_random_walk, accelerometer_noise_density and accelerometer_random_walk above 0", *n)
		}
	}
	return nil
}

// text returns YAML of Kalibr's and EuRoC's keys.
func (n *Noise) text() (text string) {
	if n == nil {
		return "# the noise isn't in recordings: give it to export by --imu-noise FILE\n"
	}
	for _, v := range []struct {
		key, unit string
		value     float64
	}{
		{"gyroscope_noise_density", "rad/s/sqrt(Hz)", n.GyroDensity},
		{"gyroscope_random_walk", "rad/s^2/sqrt(Hz)", n.GyroWalk},
		{"accelerometer_noise_density", "m/s^2/sqrt(Hz)", n.AccelDensity},
		{"accelerometer_random_walk", "m/s^3/sqrt(Hz)", n.AccelWalk},
	} {
		text += fmt.Sprintf("%s: %v # %s\n", v.key, v.value, v.unit)
	}
	return text
}
