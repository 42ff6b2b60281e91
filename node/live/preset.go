package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rsros/camdriver"
	"rsros/program/localfile"
)

// maxPreset bounds a preset file in bytes; the SDK's have 5000.
const maxPreset = 1 << 20

type presetOption struct {
	sensor string
	option camdriver.OptionID
	words  map[string]float32 // values of texts; nil for numbers
}

const stereoModule, rgbCamera = "Stereo Module", "RGB Camera"

var (
	presetSwitch = map[string]float32{"False": 0, "True": 1}
	presetLaser  = map[string]float32{"off": 0, "on": 1, "auto": 2}
)

var presetOptions = map[string]presetOption{
	"controls-laserpower":                   {stereoModule, camdriver.OptionLaserPower, nil},
	"controls-laserstate":                   {stereoModule, camdriver.OptionEmitterEnabled, presetLaser},
	"controls-autoexposure-manual":          {stereoModule, camdriver.OptionExposure, nil},
	"controls-autoexposure-auto":            {stereoModule, camdriver.OptionEnableAutoExposure, presetSwitch},
	"controls-depth-gain":                   {stereoModule, camdriver.OptionGain, nil},
	"controls-depth-white-balance-auto":     {stereoModule, camdriver.OptionEnableAutoWhiteBalance, presetSwitch},
	"controls-color-autoexposure-manual":    {rgbCamera, camdriver.OptionExposure, nil},
	"controls-color-autoexposure-auto":      {rgbCamera, camdriver.OptionEnableAutoExposure, presetSwitch},
	"controls-color-backlight-compensation": {rgbCamera, camdriver.OptionBacklightCompensation, nil},
	"controls-color-brightness":             {rgbCamera, camdriver.OptionBrightness, nil},
	"controls-color-contrast":               {rgbCamera, camdriver.OptionContrast, nil},
	"controls-color-gain":                   {rgbCamera, camdriver.OptionGain, nil},
	"controls-color-gamma":                  {rgbCamera, camdriver.OptionGamma, nil},
	"controls-color-hue":                    {rgbCamera, camdriver.OptionHue, nil},
	"controls-color-saturation":             {rgbCamera, camdriver.OptionSaturation, nil},
	"controls-color-sharpness":              {rgbCamera, camdriver.OptionSharpness, nil},
	"controls-color-power-line-frequency":   {rgbCamera, camdriver.OptionPowerLineFrequency, nil},
	"controls-color-white-balance-manual":   {rgbCamera, camdriver.OptionWhiteBalance, nil},
	"controls-color-white-balance-auto":     {rgbCamera, camdriver.OptionEnableAutoWhiteBalance, presetSwitch},
}

// presetIgnored are keys that the SDK also ignores.
var presetIgnored = []string{
	"aux-param-disparitymultiplier", "param-regionspatialthresholdu", "param-regionspatialthresholdv", "result", "result:",
	"stream-depth-format", "stream-fps", "stream-height", "stream-ir-format", "stream-width",
}

// loadPreset sets the options of a JSON preset of advanced mode, and warns of keys without
// an option. Like realsense2_camera, it only warns of a missing file.
func (c *camera) loadPreset() error {
	if c.opts.Preset == "" {
		return nil
	}
	log := c.log.With().Str("parameter", "~json_file_path").Str("value", c.opts.Preset).Logger()
	text, err := localfile.Read(c.opts.Preset, maxPreset)
	if _, missing := errors.AsType[*fs.PathError](err); missing {
		log.Warn().Err(err).Msg("has no effect: the file can't be opened")
		return nil
	}
	var values map[string]string
	if err == nil {
		values, err = readPreset(text)
	}
	var set int
	var left []string
	if err == nil {
		set, left, err = applyPreset(c.device.Sensors(), values)
	}
	if err != nil {
		return fmt.Errorf("parameter ~json_file_path: %s: %w", c.opts.Preset, err)
	}
	log.Info().Int("options", set).Msg("loaded preset")
	if len(left) > 0 {
		log.Warn().Strs("keys", left).Msg("these keys of the preset have no effect: the camera has no option for them")
	}
	return nil
}

// readPreset reads the parameters of a preset: an object of texts and numbers or, in newer
// files, the object "parameters" of an object with a schema version.
func readPreset(text []byte) (map[string]string, error) {
	var root map[string]json.RawMessage
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("read a preset: %w", err)
	}
	if inner, ok := root["parameters"]; ok {
		root = nil
		if err := json.Unmarshal(inner, &root); err != nil {
			return nil, fmt.Errorf("read a preset's parameters: %w", err)
		}
	}
	values := map[string]string{}
	for key, raw := range root {
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, fmt.Errorf("read a preset's %s: %w", key, err)
		}
		switch v := v.(type) {
		case string:
			values[key] = v
		case float64:
			values[key] = strconv.FormatFloat(v, 'g', -1, 64)
		default:
			return nil, fmt.Errorf("read a preset's %s: found %s, want a text or a number", key, raw)
		}
	}
	return values, nil
}

// applyPreset sets options. It returns their number and the keys without an option.
// Automatic controls and the laser's state come last, because manual values change them.
func applyPreset(sensors []camdriver.Sensor, values map[string]string) (set int, left []string, err error) {
	keys := slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		if words := presetOptions[a].words != nil; words != (presetOptions[b].words != nil) {
			return map[bool]int{true: 1, false: -1}[words]
		}
		return strings.Compare(a, b)
	})
	for _, key := range keys {
		target, known := presetOptions[key]
		if slices.Contains(presetIgnored, key) {
			continue
		}
		sensor, option, there := findOption(sensors, target)
		if !known || !there {
			left = append(left, key)
			continue
		}
		value, err := target.value(values[key])
		if err != nil {
			return set, left, fmt.Errorf("%s: %w", key, err)
		}
		err = sensor.SetOption(option.ID, min(max(value, option.Min), option.Max))
		if errors.Is(err, camdriver.ErrUnsupported) {
			left = append(left, key)
			continue
		} else if err != nil {
			return set, left, fmt.Errorf("%s: %w", key, err)
		}
		set++
	}
	slices.Sort(left)
	return set, left, nil
}

func (p presetOption) value(text string) (float32, error) {
	if v, ok := p.words[text]; ok {
		return v, nil
	}
	v, err := strconv.ParseFloat(text, 32)
	if err != nil || v != v {
		words := strings.Join(slices.Sorted(maps.Keys(p.words)), ", ")
		return 0, fmt.Errorf("found %q, want a number or one of %s", text, words)
	}
	return float32(v), nil
}

func findOption(sensors []camdriver.Sensor, target presetOption) (camdriver.Sensor, camdriver.Option, bool) {
	for _, s := range sensors {
		if s.Name() == target.sensor {
			if o, ok := s.Option(target.option); ok {
				return s, o, true
			}
		}
	}
	return nil, camdriver.Option{}, false
}
