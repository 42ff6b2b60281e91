package sim

import (
	"fmt"
	"math"
	"slices"

	"rsros/camdriver"
	"rsros/camdriver/model"
)

// setting returns a writable option.
func setting(id camdriver.OptionID, lo, hi, step, standard float32, text string) camdriver.Option {
	return camdriver.Option{ID: id, Value: standard, Min: lo, Max: hi, Step: step, Default: standard, Description: text}
}

// reading returns a read-only option.
func reading(id camdriver.OptionID, lo, hi, step, value float32, text string) camdriver.Option {
	o := setting(id, lo, hi, step, value, text)
	o.ReadOnly = true
	return o
}

// commonOptions are the options of every sensor.
func commonOptions() []camdriver.Option {
	return []camdriver.Option{
		reading(camdriver.OptionTotalFrameDrops, 0, 1<<24, 1, 0, "Frames dropped since the sensor was started"),
		setting(camdriver.OptionGlobalTimeEnabled, 0, 1, 1, 1, "Timestamps on the host's clock instead of the camera's"),
	}
}

func stereoOptions() []camdriver.Option {
	return append(commonOptions(),
		setting(camdriver.OptionExposure, 1, 200000, 1, 8500, "Exposure of the infrared imagers in microseconds"),
		setting(camdriver.OptionGain, 16, 248, 1, 16, "Gain of the infrared imagers"),
		setting(camdriver.OptionEnableAutoExposure, 0, 1, 1, 1, "Let the camera choose exposure and gain"),
		setting(camdriver.OptionLaserPower, 0, 360, 30, 150, "Power of the infrared projector in mW"),
		setting(camdriver.OptionEmitterEnabled, 0, 2, 1, 1, "Infrared projector: 0 off, 1 laser, 2 auto"),
		reading(camdriver.OptionAsicTemperature, -40, 125, 1, 41, "Temperature of the depth processor in degrees Celsius"),
		reading(camdriver.OptionProjectorTemperature, -40, 125, 1, 36, "Temperature of the projector in degrees Celsius"),
		reading(camdriver.OptionDepthUnits, depthUnits, depthUnits, 1e-6, depthUnits, "Metres per unit of depth"),
		reading(camdriver.OptionStereoBaseline, 1000*baseline, 1000*baseline, 1, 1000*baseline,
			"Distance between the infrared imagers in mm"),
	)
}

// colorOptions are those of a D435i, whose exposure mode is a switch.
func colorOptions() []camdriver.Option {
	list := commonOptions()
	for _, c := range model.ColorControls {
		if c.Option == camdriver.OptionEnableAutoExposure {
			c.Max, c.Def = 1, 1
		}
		list = append(list, setting(c.Option, float32(c.Min), float32(c.Max), float32(c.Step), float32(c.Def), c.About))
	}
	return list
}

func motionOptions() []camdriver.Option {
	return append(commonOptions(),
		setting(camdriver.OptionEnableMotionCorrection, 0, 1, 1, 1, "Apply the motion calibration"))
}

// settings is the immutable state of a sensor's options.
type settings struct {
	options []camdriver.Option // in OptionID order
	region  *camdriver.ROI     // for auto exposure; nil is the whole image
	metered float32            // factor of the gain because of region; 0 if nil
	look    look
}

func newSettings(options []camdriver.Option) *settings {
	slices.SortFunc(options, func(a, b camdriver.Option) int { return int(a.ID) - int(b.ID) })
	s := &settings{options: options}
	return s.withLook()
}

// measured returns the settings with auto exposure for a region.
func (s *settings) measured(r camdriver.ROI, gain float32) *settings {
	next := *s
	next.region, next.metered = &r, gain
	return next.withLook()
}

// find returns the index of an option, or -1.
func (s *settings) find(id camdriver.OptionID) int {
	return slices.IndexFunc(s.options, func(o camdriver.Option) bool { return o.ID == id })
}

// value returns the value of an option, or 0 if the sensor lacks it.
func (s *settings) value(id camdriver.OptionID) float32 {
	o, _ := camdriver.FindOption(s.options, id)
	return o.Value
}

// set returns the settings with an option changed, and the options that differ.
func (s *settings) set(id camdriver.OptionID, value float32) (*settings, []camdriver.Option, error) {
	i := s.find(id)
	if i < 0 {
		return nil, nil, fmt.Errorf("option %s: %w", id, camdriver.ErrNotFound)
	}
	if s.options[i].ReadOnly {
		return nil, nil, fmt.Errorf("option %s is read-only: %w", id, camdriver.ErrUnsupported)
	}
	if err := inRange(s.options[i], value); err != nil {
		return nil, nil, err
	}
	next := *s
	next.options = slices.Clone(s.options)
	options := next.options
	options[i].Value = value
	changed := []camdriver.Option{options[i]}
	if also, v, ok := consequence(id, value); ok {
		if j := s.find(also); j >= 0 && options[j].Value != v {
			options[j].Value = v
			changed = append(changed, options[j])
		}
	}
	return next.withLook(), changed, nil
}

func inRange(o camdriver.Option, v float32) error {
	steps := float64(v-o.Min) / float64(o.Step)
	if !(v >= o.Min && v <= o.Max) || math.Abs(steps-math.Round(steps)) > 1e-3 {
		return fmt.Errorf("option %s: %g is not in the range %g to %g, step %g", o.ID, v, o.Min, o.Max, o.Step)
	}
	return nil
}

// consequence returns the option that firmware changes along with another.
func consequence(id camdriver.OptionID, value float32) (camdriver.OptionID, float32, bool) {
	switch id {
	case camdriver.OptionExposure, camdriver.OptionGain:
		return camdriver.OptionEnableAutoExposure, 0, true
	case camdriver.OptionWhiteBalance:
		return camdriver.OptionEnableAutoWhiteBalance, 0, true
	case camdriver.OptionLaserPower:
		return camdriver.OptionEmitterEnabled, 1, value > 0
	}
	return 0, 0, false
}

// withLook sets the look for the options and returns s. Auto exposure has the effect of the default exposure and gain.
func (s *settings) withLook() *settings {
	k := look{gain: 1, saturation: 1, laser: 1}
	relative := func(id camdriver.OptionID) float32 {
		if o, _ := camdriver.FindOption(s.options, id); o.Default != 0 {
			return o.Value / o.Default
		}
		return 1
	}
	if s.value(camdriver.OptionEnableAutoExposure) == 0 {
		k.gain = relative(camdriver.OptionExposure) * relative(camdriver.OptionGain)
	} else if s.metered != 0 {
		k.gain = s.metered
	}
	k.gain *= relative(camdriver.OptionContrast)
	k.offset = s.value(camdriver.OptionBrightness)
	k.saturation = relative(camdriver.OptionSaturation)
	k.laser = relative(camdriver.OptionLaserPower)
	if o, ok := camdriver.FindOption(s.options, camdriver.OptionEmitterEnabled); ok && o.Value == 0 {
		k.laser = 0
	}
	s.look = k
	return s
}
