package test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// A layer is a group of packages that may import each other and, unless without
// says otherwise, the packages of every layer before theirs in layers.
type layer struct {
	name     string
	packages []string // folders; "x/..." is x and everything below it
	without  []string // names of earlier layers that this one must not import
}

// layers are in order of import: the first imports no other. If several patterns
// match a package, the longest decides. Test files and everything below test/
// may import anything. Rules for libraries are in .golangci.yml.
var layers = []layer{
	{"basics", []string{"program/..."}, nil},
	{"msgs", []string{"msgs/..."}, nil},
	{"camdriver", []string{"camdriver/..."}, []string{"msgs"}},
	{"usbcam", []string{"usbcam/..."}, []string{"msgs"}},
	{"bags", []string{"bagstore", "bagstore/rosbag", "bagstore/place/...", "bagstore/internal/..."}, []string{"msgs", "camdriver", "usbcam"}},
	{"formats", []string{"bagstore/..."}, []string{"camdriver", "usbcam"}},
	{"recordings", []string{"bagstore/realsense/..."}, []string{"usbcam"}},
	{"tools", []string{"tools/..."}, []string{"usbcam"}},
	{"ros", []string{"ros/..."}, []string{"camdriver", "usbcam", "bags", "formats", "recordings", "tools"}},
	{"ros2", []string{"ros2/..."}, []string{"camdriver", "usbcam", "bags", "formats", "recordings", "tools", "ros"}},
	// The name, version and exit codes of the program, which the libraries before don't know.
	{"program", []string{"program", "examples/..."}, []string{"basics", "camdriver", "usbcam", "bags", "formats", "recordings", "tools", "ros", "ros2"}},
	{"replay", []string{"replay/..."}, []string{"camdriver", "usbcam", "ros", "ros2"}},
	{"recorded devices", []string{"replay/recorded"}, []string{"usbcam", "ros", "ros2"}},
	{"record", []string{"record/..."}, []string{"usbcam", "replay", "recorded devices"}},
	{"viewer", []string{"viewer/..."}, []string{"usbcam"}},
	{"parts of a node", []string{"node/..."}, []string{"usbcam"}},
	{"jobs", []string{"node/live", "node/play", "node/demo"}, []string{"usbcam"}},
	{"cmd", []string{"cmd/..."}, nil},
}

// layerOf returns the index in layers of a package's layer, or -1.
func layerOf(folder string) int {
	found, length := -1, -1
	for i, l := range layers {
		for _, pattern := range l.packages {
			tree, isTree := strings.CutSuffix(pattern, "/...")
			if (folder == tree || isTree && strings.HasPrefix(folder, tree+"/")) && len(tree) > length {
				found, length = i, len(tree)
			}
		}
	}
	return found
}

// imports returns what each package of the program imports of the others, by folder, on any platform and with all
// optional parts.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	t.Setenv("CGO_ENABLED", "1")
	for _, system := range []string{"linux", "darwin", "windows"} {
		t.Setenv("GOOS", system)
		for _, folder := range modules {
			for _, line := range goLines(t, folder, "list", "-tags", "usb,directsink,checked,manual", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...") {
				words := strings.Fields(strings.ReplaceAll(line, module+"/", ""))
				if folder := words[0]; folder != "test" && !strings.HasPrefix(folder, "test/") {
					found[folder] = append(found[folder], words...) // with itself, so that none is empty
				}
			}
		}
	}
	return found
}

func TestImportsGoDown(t *testing.T) {
	all := imports(t)
	for folder, imported := range all {
		from := layerOf(folder)
		if from < 0 {
			t.Errorf("package %s is in no layer", folder)
			continue
		}
		for _, name := range imported {
			if all[name] == nil {
				continue // a library
			}
			if to := layerOf(name); to > from || slices.Contains(layers[from].without, layers[to].name) {
				t.Errorf("%s imports %s: layer %q must not import it", folder, name, layers[from].name)
			}
		}
	}
}

func TestLayersAreSound(t *testing.T) {
	all := slices.Collect(maps.Keys(imports(t)))
	var earlier []string
	for _, l := range layers {
		for _, name := range l.without {
			if !slices.Contains(earlier, name) {
				t.Errorf("layer %q is without %q, which is no earlier layer", l.name, name)
			}
		}
		earlier = append(earlier, l.name)
		for _, pattern := range l.packages {
			tree := strings.TrimSuffix(pattern, "/...")
			if !slices.ContainsFunc(all, func(folder string) bool { return folder == tree || strings.HasPrefix(folder, tree+"/") }) {
				t.Errorf("layer %q: no package matches %s", l.name, pattern)
			}
		}
	}
}
