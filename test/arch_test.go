// Package test holds what needs more than one package: here, the rules that
// keep the house in order, and in its folders the driver contract, the real
// peers and the virtual machine.
package test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mayImport is the architecture: which of our packages a package may import.
// Test files and everything below test/ may import more. A package without a
// row here fails: decide what it may import before it is written.
var mayImport = map[string][]string{
	"cmd/rs-ros-node": {
		"program", "node/demo", "node/foxglove", "node/graph", "node/live", "node/naming", "node/play", "node/record", "node/replay",
		"bagstore", "bagstore/tools/bagset", "bagstore/tools/cat", "bagstore/tools/convert", "bagstore/realsense/rsdb3", "bagstore/formats/rosbag2", "bagstore/tools/export", "bagstore/tools/info", "bagstore/tools/missing", "bagstore/moment", "bagstore/tools/pyexpr", "bagstore/formats/recording", "bagstore/tools/reprocess", "bagstore/tools/rewrite", "bagstore/realsense/rsbag",
		"bagstore/tools/swap", "msgs", "node/view", "node/view/wire", "node/viewers", "node/ros/roslog", "node/xmlrpc",
		"camdriver", "camdriver/d400", "camdriver/imu", "camdriver/playback", "camdriver/process", "camdriver/sim",
	},
	"program":             {},
	"program/pages":       {},
	"web":                 {},
	"web/internal/bundle": {}, // builds the page
	"node/demo": {
		"program", "node/graph", "node/live", "node/naming", "node/play", "node/record", "node/replay", "node/ros", "node/ros/roslog",
		"bagstore", "camdriver", "msgs",
	},
	"node/live": {
		"node/foxglove", "node/foxglove/nodegraph", "node/view", "node/viewers",
		"camdriver/imu", "node/xmlrpc",
		"program", "node/control", "node/graph", "node/naming", "node/record", "node/replay", "node/ros", "bagstore", "msgs",
		"camdriver", "camdriver/d400", "camdriver/hub", "camdriver/playback", "camdriver/sim",
	},
	"node/play":          {"node/foxglove", "node/foxglove/nodegraph", "node/view", "node/viewers", "program", "node/control", "node/graph", "node/naming", "node/replay", "node/ros", "node/transport", "bagstore", "bagstore/tools/bagset", "bagstore/realsense/rsbag", "msgs"},
	"node/control":       {"node/graph", "node/replay", "node/ros", "msgs"},
	"node/record":        {"node/foxglove", "node/foxglove/nodegraph", "program", "node/graph", "node/ros", "node/ros/names", "bagstore", "bagstore/realsense/rsbag", "bagstore/formats/container", "bagstore/formats/rosbag2", "bagstore/realsense/rsdb3", "camdriver", "camdriver/hub", "msgs", "msgs/ros2"},
	"node/naming":        {"camdriver/imu", "camdriver/process", "camdriver/process/syncer", "msgs/cloud", "node/graph", "program", "node/replay", "node/ros", "node/transport", "bagstore", "bagstore/realsense/frameset", "bagstore/realsense/rsbag", "bagstore/realsense/rslayout", "camdriver", "msgs"},
	"node/graph":         {"program", "node/ros", "node/ros/roslog", "node/xmlrpc", "node/master", "msgs"},
	"node/transport":     {"msgs", "msgs/imagetransport", "node/graph", "node/ros"},
	"node/xmlrpc":        {"node/internal/budget"},
	"node/master":        {"node/xmlrpc"},
	"node/replay":        {"bagstore", "bagstore/moment", "msgs"},
	"msgs":               {},
	"camdriver":          {"program/pages"},
	"camdriver/hub":      {"camdriver"},
	"camdriver/d400":     {"camdriver"},
	"camdriver/sim":      {"camdriver"},
	"camdriver/playback": {"camdriver", "bagstore/realsense/rsbag"},
	"camdriver/process": {
		"camdriver", "camdriver/process/internal/colormap", "camdriver/process/internal/lens",
		"camdriver/process/internal/smooth", "camdriver/process/internal/splat",
	},
	"camdriver/process/internal/colormap":   {},
	"camdriver/process/internal/lens":       {"camdriver"},
	"camdriver/process/internal/lens/asm":   {}, // writes assembly; a module of its own
	"camdriver/process/internal/smooth/asm": {}, // as lens/asm
	"camdriver/process/internal/splat/asm":  {}, // as lens/asm
	"camdriver/process/internal/smooth":     {},
	"camdriver/process/internal/splat":      {},
	"camdriver/process/syncer":              {"camdriver", "camdriver/process"},

	"examples/goroslib": {"msgs/goros/realsense2_camera"},
	"deploy/dist":       {}, // a module of its own

	"camdriver/imu":           {},
	"msgs/cloud":              {"msgs"},
	"msgs/cloud/internal/asm": {}, // as camdriver/process/internal/lens/asm
	"msgs/jpeg/internal/asm":  {}, // the same

	"node/ros": {
		"msgs", "node/internal/budget", "node/xmlrpc", "node/ros/names", "node/ros/param", "node/ros/rosapi", "node/ros/roslog",
		"node/ros/internal/host", "node/ros/internal/recv", "node/ros/internal/sendqueue", "node/ros/internal/wake", "node/ros/internal/wire",
	},
	"node/ros/names":              {},
	"node/ros/param":              {},
	"node/ros/roslog":             {"msgs"},
	"node/ros/rosapi":             {"node/xmlrpc", "node/ros/internal/wake"},
	"node/ros/internal/host":      {},
	"node/ros/internal/recv":      {"node/internal/budget", "node/ros/internal/wake", "program/pages"},
	"node/ros/internal/sendqueue": {"msgs", "node/ros/internal/wake"},
	"node/ros/internal/wake":      {},
	"node/ros/internal/wire":      {"node/internal/budget"},
	"node/internal/budget":        {},
	"node/websocket":              {},
	"node/foxglove":               {"msgs", "node/guard", "node/websocket"},
	"node/foxglove/nodegraph":     {"bagstore", "msgs", "node/foxglove", "node/graph", "node/replay", "node/ros"},
	"node/guard":                  {},
	"node/viewers":                {"msgs", "node/foxglove", "node/foxglove/nodegraph", "node/graph", "node/record", "node/ros/roslog", "node/view"},
	"node/view/wire":              {},
	"node/view/encode":            {"bagstore/realsense/rslayout", "camdriver", "msgs", "msgs/imagetransport", "node/view/wire"},
	"node/view/library":           {"bagstore", "bagstore/formats/recording", "bagstore/realsense/rsbag", "camdriver", "msgs", "msgs/imagetransport", "node/view/encode", "node/view/wire"},
	"node/view": {
		"web", "node/record", "node/replay", "node/ros/roslog", "node/guard", "node/view/encode", "node/view/library", "node/view/wire", "node/websocket",
		"bagstore", "bagstore/realsense/marks", "bagstore/formats/recording", "bagstore/realsense/rsbag", "camdriver", "camdriver/hub", "camdriver/playback", "msgs",
	},

	"msgs/imagetransport": {"msgs/jpeg", "msgs/png"},
	"msgs/jpeg":           {},
	"msgs/png":            {},
	"msgs/cdr":            {"msgs"},
	"msgs/ros2":           {"msgs", "msgs/cdr"},

	"msgs/goros":                     {},
	"msgs/goros/internal/generate":   {},
	"msgs/goros/dynamic_reconfigure": {},
	"msgs/goros/realsense2_camera":   {},
	"msgs/goros/realsense_msgs":      {},
	"msgs/goros/roscpp":              {},

	"bagstore":                  {"bagstore/atomicfile", "bagstore/internal/disk", "bagstore/internal/lz4", "bagstore/internal/record", "bagstore/internal/tail"},
	"bagstore/atomicfile":       {"bagstore/internal/disk"},
	"bagstore/tools/info":       {"bagstore"},
	"bagstore/internal/disk":    {},
	"bagstore/internal/lz4":     {},
	"bagstore/internal/lz4/asm": {}, // as camdriver/process/internal/lens/asm
	"bagstore/internal/record":  {},
	"bagstore/internal/tail":    {"bagstore/internal/record"},

	"bagstore/formats/container":                {"bagstore"},
	"bagstore/formats/mcap":                     {"bagstore", "bagstore/formats/container", "bagstore/internal/lz4"},
	"bagstore/formats/rosbag2":                  {"bagstore", "bagstore/atomicfile", "bagstore/formats/container", "bagstore/formats/rosbag2/internal/dbpages", "bagstore/internal/disk", "bagstore/formats/rosbag2/internal/pagedb", "bagstore/formats/rosbag2/internal/sqlite"},
	"bagstore/formats/rosbag2/internal/dbpages": {},
	"bagstore/formats/rosbag2/internal/pagedb":  {},
	"bagstore/formats/rosbag2/internal/sqlite":  {},
	"bagstore/formats/recording":                {"bagstore", "bagstore/formats/container", "bagstore/internal/disk", "bagstore/formats/mcap", "bagstore/formats/rosbag2", "msgs", "msgs/ros2"},

	"bagstore/realsense/frameset":                  {"bagstore/realsense/rsbag", "camdriver", "camdriver/process", "camdriver/process/syncer"},
	"bagstore/realsense/marks":                     {"bagstore/realsense/rsbag", "camdriver"},
	"bagstore/realsense/rsbag":                     {"bagstore/realsense/rslayout", "bagstore", "bagstore/formats/recording", "bagstore/realsense/rsbag/internal/cameranode", "bagstore/realsense/rsbag/internal/packed", "bagstore/realsense/rstext", "msgs", "camdriver"},
	"bagstore/realsense/rsbag/internal/cameranode": {"camdriver", "msgs"},
	"bagstore/realsense/rsbag/internal/packed":     {"camdriver"},
	"bagstore/realsense/rslayout":                  {"bagstore/realsense/rstext", "camdriver", "msgs"},
	"bagstore/realsense/rsdb3":                     {"bagstore", "bagstore/formats/recording", "bagstore/formats/rosbag2", "bagstore/realsense/rsbag", "bagstore/realsense/rslayout", "bagstore/realsense/rstext", "camdriver", "msgs", "msgs/cdr"},
	"bagstore/tools/convert":                       {"bagstore", "bagstore/atomicfile", "bagstore/formats/container", "bagstore/formats/mcap", "bagstore/formats/recording", "bagstore/formats/rosbag2", "msgs/ros2", "bagstore/realsense/rsbag", "bagstore/realsense/rslayout", "bagstore/realsense/rsdb3", "bagstore/realsense/rstext", "camdriver", "msgs"},
	"bagstore/realsense/rstext":                    {"camdriver"},
	"bagstore/tools/bagset":                        {"program", "bagstore", "bagstore/moment", "bagstore/formats/recording"},
	"bagstore/moment":                              {"bagstore"},
	"bagstore/tools/missing":                       {"bagstore", "bagstore/tools/bagset", "msgs"},
	"bagstore/tools/cat":                           {"program", "bagstore", "bagstore/tools/bagset", "msgs"},
	"bagstore/tools/export":                        {"program", "bagstore", "bagstore/tools/bagset", "bagstore/formats/container", "bagstore/formats/mcap", "bagstore/realsense/rsbag", "bagstore/realsense/rslayout", "camdriver", "camdriver/process", "camdriver/process/syncer", "msgs", "msgs/png"},
	"bagstore/tools/pyexpr":                        {"msgs"},
	"bagstore/tools/reprocess":                     {"program", "bagstore", "bagstore/atomicfile", "bagstore/realsense/rsbag", "camdriver", "camdriver/process", "camdriver/process/syncer"},
	"bagstore/tools/rewrite":                       {"bagstore", "bagstore/atomicfile"},
	"bagstore/tools/swap":                          {},
}

// onlyIn keeps a library where its matter is at home, so that it can be
// replaced there. A library without a row may be used anywhere.
var onlyIn = map[string][]string{
	"github.com/bluenviron/goroslib": {
		"examples/goroslib", "msgs/goros/internal/generate",
		"msgs/goros/dynamic_reconfigure", "msgs/goros/realsense2_camera", "msgs/goros/realsense_msgs", "msgs/goros/roscpp",
	},
	"github.com/dsnet/compress":          {"bagstore"},
	"github.com/google/gousb":            {"camdriver/d400"},
	"github.com/klauspost/compress/zlib": {"msgs/png"},
	"github.com/ncruces/go-sqlite3":      {"bagstore/formats/rosbag2/internal/sqlite"},
	"github.com/pierrec/lz4":             {"bagstore/internal/lz4", "bagstore/formats/mcap"},
	"github.com/spf13/cobra":             {"cmd/rs-ros-node"},
	"github.com/vbauerster/mpb":          {"cmd/rs-ros-node"},
	"log":                                {}, // a zerolog.Logger is passed in
	"github.com/rs/zerolog/log":          {}, // nor the global one
	"testing":                            {}, // helpers for tests live in _test.go or below test/
}

func ours(importPath string) (folder string, ok bool) {
	return strings.CutPrefix(importPath, module+"/")
}

func belowTest(folder string) bool {
	return folder == "test" || strings.HasPrefix(folder, "test/")
}

func TestImports(t *testing.T) {
	for _, s := range load(t) {
		if s.test || belowTest(s.folder) {
			continue
		}
		allowed, known := mayImport[s.folder]
		if !known {
			t.Errorf("%s: package %s has no row in mayImport", s.path, s.folder)
			continue
		}
		for _, imported := range s.imports(t) {
			if folder, ok := ours(imported); ok && !slices.Contains(allowed, folder) {
				t.Errorf("%s imports %s; package %s may import only %q", s.path, folder, s.folder, allowed)
			}
		}
	}
}

func TestLibrariesStayAtHome(t *testing.T) {
	for _, s := range load(t) {
		if s.test || belowTest(s.folder) {
			continue
		}
		for _, imported := range s.imports(t) {
			for library, homes := range onlyIn {
				inside := imported == library || strings.HasPrefix(imported, library+"/")
				if inside && !slices.Contains(homes, s.folder) {
					t.Errorf("%s imports %s, which belongs in %q only", s.path, imported, homes)
				}
			}
		}
	}
}

// TestPlainBuildNeedsNoC asks the go command what a build without tags is made
// of: nothing outside the standard library may need a C compiler.
func TestPlainBuildNeedsNoC(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,CgoFiles,Error", "./...")
	list.Dir = root
	list.Env = append(os.Environ(), "CGO_ENABLED=1", "GOFLAGS=")
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := list.Start(); err != nil {
		t.Fatal(err)
	}
	packages := 0
	for decoder := json.NewDecoder(out); ; packages++ {
		var p struct {
			ImportPath string
			Standard   bool
			CgoFiles   []string
			Error      *struct{ Err string }
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Error != nil {
			t.Errorf("%s: %s", p.ImportPath, p.Error.Err)
		}
		if !p.Standard && len(p.CgoFiles) > 0 {
			t.Errorf("%s needs cgo: %q", p.ImportPath, p.CgoFiles)
		}
	}
	if err := list.Wait(); err != nil {
		t.Fatal(err)
	}
	if packages == 0 {
		t.Fatal("go list named no package")
	}
}
