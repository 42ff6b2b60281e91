package e2e

import (
	"encoding/xml"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rsros/test/need"
)

// launchArgs returns the arguments of one of our launch files and their defaults, written as in
// testdata/realsense2_camera.args.
func launchArgs(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository(t), "launch", filepath.FromSlash(file)))
	need.Must(t, err)
	var launch struct {
		Args []struct {
			Name    string `xml:"name,attr"`
			Default string `xml:"default,attr"`
			Unless  string `xml:"unless,attr"`
		} `xml:"arg"`
	}
	if err := xml.Unmarshal(text, &launch); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	args := map[string]string{}
	for _, a := range launch.Args {
		value := regexp.MustCompile(`\$\(arg ([^)]+)\)`).ReplaceAllString(a.Default, "{$1}")
		if a.Unless == "$(arg align_depth)" {
			value = args[a.Name] + "|" + value
		}
		args[a.Name] = value
	}
	return args
}

// originalArgs reads testdata/realsense2_camera.args: arguments and defaults by launch file.
func originalArgs(t *testing.T) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/realsense2_camera.args")
	need.Must(t, err)
	files := map[string]map[string]string{}
	var file string
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "":
		case !strings.HasPrefix(line, " "):
			file = strings.TrimSpace(line)
			files[file] = map[string]string{}
		default:
			for arg := range strings.FieldsSeq(line) {
				name, value, _ := strings.Cut(arg, "=")
				files[file][name] = value
			}
		}
	}
	return files
}

// TestLaunchArguments checks that our launch files accept every argument of realsense2_camera's, with
// the same defaults.
func TestLaunchArguments(t *testing.T) {
	originals := originalArgs(t)
	if len(originals) != 5 || len(originals["rs_camera.launch"]) != 60 {
		t.Errorf("%d files, %d arguments of rs_camera.launch", len(originals), len(originals["rs_camera.launch"]))
	}
	for file, want := range originals {
		have := launchArgs(t, file)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if value, ok := have[name]; !ok || value != want[name] {
				t.Errorf("%s: %s is %q (there: %t), realsense2_camera's is %q", file, name, value, ok, want[name])
			}
		}
	}
}
