package live

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/test/need"
)

// loaded loads a preset into a simulated camera, and returns its options and the log.
func loaded(t *testing.T, preset string) (map[string]float32, string, error) {
	t.Helper()
	var log bytes.Buffer
	path := filepath.Join(t.TempDir(), "preset.json")
	if preset != "" {
		need.Must(t, os.WriteFile(path, []byte(preset), 0o644))
	}
	c := &camera{openMu: &sync.Mutex{}, log: zerolog.New(&log), opts: Options{Preset: path, Source: SourceOptions{Device: "sim"}}}
	need.Must(t, c.open(t.Context(), zerolog.Nop(), noWait))
	defer c.close()
	err := c.loadPreset()
	options := map[string]float32{}
	for _, s := range c.device.Sensors() {
		for _, o := range s.Options() {
			options[s.Name()+"/"+o.ID.String()] = o.Value
		}
	}
	return options, log.String(), err
}

// A preset sets the options that the camera has; the others are logged.
func TestPreset(t *testing.T) {
	for form, text := range map[string]string{
		"old": `{"controls-laserstate": "off", "controls-laserpower": "90", "controls-autoexposure-manual": "5000", "controls-autoexposure-auto": "False",
			"controls-color-brightness": -10, "param-lambdaad": "800", "param-medianthreshold": 500, "stream-width": "640"}`,
		"new": `{"schema version": 1, "device": {"product line": "D400"}, "parameters": {"controls-laserstate": "off", "controls-laserpower": 90,
			"controls-autoexposure-manual": 5000, "controls-autoexposure-auto": "False", "controls-color-brightness": "-10",
			"param-lambdaad": 800, "param-medianthreshold": 500}}`,
	} {
		options, log, err := loaded(t, text)
		if err != nil {
			t.Fatalf("%s form: %v", form, err)
		}
		for name, want := range map[string]float32{
			"Stereo Module/Laser Power": 90, "Stereo Module/Emitter Enabled": 0, "Stereo Module/Exposure": 5000,
			"Stereo Module/Enable Auto Exposure": 0, "RGB Camera/Brightness": -10,
		} {
			if options[name] != want {
				t.Errorf("%s form: %s is %v, want %v", form, name, options[name], want)
			}
		}
		if !strings.Contains(log, `"keys":["param-lambdaad","param-medianthreshold"]`) || !strings.Contains(log, `"options":5`) {
			t.Errorf("%s form: log %s", form, log)
		}
	}
	options, _, err := loaded(t, `{"controls-autoexposure-auto": "True", "controls-autoexposure-manual": "5000"}`)
	if err != nil || options["Stereo Module/Enable Auto Exposure"] != 1 {
		t.Errorf("auto exposure after a manual value: %v, %v", options, err)
	}
}

func TestPresetErrors(t *testing.T) {
	if _, log, err := loaded(t, ""); err != nil || !strings.Contains(log, "has no effect: the file can't be opened") {
		t.Errorf("a file that isn't there: %v, log %s", err, log)
	}
	for text, want := range map[string]string{
		"[1]": "read a preset", `{"parameters": 3}`: "parameters", `{"a": {}}`: "want a text or a number",
		`{"controls-laserpower": "much"}`: `found "much"`, strings.Repeat(" ", maxPreset+2): "more than",
	} {
		if _, _, err := loaded(t, text); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "~json_file_path") {
			t.Errorf("%.30s: %v, want %s", text, err, want)
		}
	}
}

func FuzzPreset(f *testing.F) {
	f.Add([]byte(`{"controls-laserstate": "on", "parameters": {"param-lambdaad": 1e99}}`))
	f.Add([]byte(`{"a": null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		values, err := readPreset(text)
		if err != nil {
			return
		}
		set, left, err := applyPreset(nil, values)
		if set != 0 || err != nil || len(left) > len(values) || !slices.IsSorted(left) {
			t.Errorf("without sensors: %d set, %v left, %v", set, left, err)
		}
		for _, v := range values {
			_, _ = presetOption{option: camdriver.OptionGain}.value(v)
		}
	})
}
