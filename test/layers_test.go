package test

import (
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
	purpose  string
}

// layers are in order of import: the first imports no other. If several patterns
// match a package, the longest decides. Test files and everything below test/
// may import anything.
var layers = []layer{
	{"basics", []string{"program/pages", "program/regular", "program/space", "program/yaml"}, nil,
		"memory for large messages and images; reading files and YAML from outside"},
	{"messages", []string{"msgs/..."}, nil,
		"ROS messages, and the encodings of what they carry"},
	{"cameras", []string{"camdriver/..."}, []string{"messages"},
		"the model of a camera, cameras, and processing of frames"},
	{"bags", []string{"bagstore", "bagstore/place/...", "bagstore/internal/..."}, []string{"messages", "cameras"},
		"the ROS bag format: records, whatever their messages hold"},
	{"formats", []string{"bagstore/formats/...", "bagstore/moment"}, []string{"cameras"},
		"other containers of messages: MCAP and ROS 2's bags"},
	{"recordings", []string{"bagstore/realsense/...", "camdriver/playback"}, nil,
		"recordings of RealSense cameras: layout, frames and devices"},
	{"tools", []string{"bagstore/tools/..."}, nil,
		"what the commands do with whole files"},
	{"protocols", []string{"node/ros/...", "node/xmlrpc", "node/master", "node/websocket", "node/clients", "node/guard", "node/view/wire", "node/internal/..."},
		[]string{"cameras", "bags", "formats", "recordings", "tools"},
		"ROS's and the browsers' protocols: bytes in, bytes out"},
	{"program", []string{"program", "web/...", "deploy/...", "examples/...", "asm/..."}, []string{"basics", "cameras", "bags", "formats", "recordings", "tools", "protocols"},
		"the program's name, version and exit codes, which no library knows; the page; separate programs"},
	{"parts of a node", []string{"node/..."}, nil,
		"what the jobs of a node have in common"},
	{"jobs", []string{"node/live", "node/play", "node/demo"}, nil,
		"one package for each job of a node"},
	{"commands", []string{"cmd/..."}, nil,
		"the command line: flags and help"},
}

// exceptions are imports that exist although the layers forbid them, as "package → imported", with
// the reason.
var exceptions = map[string]string{}

// apart are pairs of packages whose layers allow an import that must not exist.
var apart = map[string]string{
	"node/replay → node/ros": "replay decides when a message is due, not where it goes",
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

func TestImportsGoDown(t *testing.T) {
	used := map[string]bool{}
	for _, s := range load(t) {
		if s.test || belowTest(s.folder) {
			continue
		}
		from := layerOf(s.folder)
		if from < 0 {
			t.Errorf("%s: package %s is in no layer", s.path, s.folder)
			continue
		}
		for _, imported := range s.imports(t) {
			folder, ok := strings.CutPrefix(imported, module+"/")
			if !ok {
				continue
			}
			pair := s.folder + " → " + folder
			if reason, ok := apart[pair]; ok {
				t.Errorf("%s imports %s: %s", s.path, folder, reason)
			}
			to := layerOf(folder)
			if to >= 0 && to <= from && !slices.Contains(layers[from].without, layers[to].name) {
				continue
			}
			if _, ok := exceptions[pair]; !ok {
				t.Errorf("%s imports %s: layer %q must not import it", s.path, folder, layers[from].name)
			}
			used[pair] = true
		}
	}
	for pair := range exceptions {
		if !used[pair] {
			t.Errorf("%s is no longer an exception: delete it", pair)
		}
	}
}

func TestLayersAreSound(t *testing.T) {
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
			if !slices.ContainsFunc(load(t), func(s source) bool { return s.folder == tree || strings.HasPrefix(s.folder, tree+"/") }) {
				t.Errorf("layer %q: no package matches %s", l.name, pattern)
			}
		}
	}
}
