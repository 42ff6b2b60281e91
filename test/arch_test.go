// Package test checks rules of the repository's architecture, code and documents. Its folders have tests that
// span packages, and what tests share.
package test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// onlyIn restricts a library to the packages that wrap it, so that it can be replaced there. A library
// without a row may be used anywhere.
var onlyIn = map[string][]string{
	"github.com/bluenviron/goroslib": {
		"examples/goroslib", "msgs/goros/internal/generate",
		"msgs/goros/dynamic_reconfigure", "msgs/goros/realsense2_camera", "msgs/goros/realsense_msgs", "msgs/goros/roscpp",
	},
	"github.com/dsnet/compress":          {"bagstore"},
	"github.com/foxglove/mcap":           {}, // tests compare with it
	"github.com/google/gousb":            {"camdriver/d400"},
	"github.com/klauspost/compress/zlib": {"msgs/png"},
	"github.com/mattn/go-runewidth":      {"cmd/rs-ros-node"},
	"github.com/pierrec/lz4":             {"bagstore/internal/lz4", "bagstore/formats/mcap"},
	"github.com/spf13/cobra":             {"cmd/rs-ros-node"},
	"github.com/vbauerster/mpb":          {"cmd/rs-ros-node"},
	"go.yaml.in/yaml":                    {"program/yaml"},
	"log":                                {}, // a zerolog.Logger is passed in
	"github.com/rs/zerolog/log":          {}, // nor the global one
	"testing":                            {}, // helpers for tests live in _test.go or below test/
}

func belowTest(folder string) bool {
	return folder == "test" || strings.HasPrefix(folder, "test/")
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

// TestReadsRegularFiles checks that the program opens files for reading with program/regular, which
// refuses named pipes.
func TestReadsRegularFiles(t *testing.T) {
	homes := []string{"bagstore/place", "bagstore/internal/disk", "msgs/goros/internal/generate", "program/regular"} // folders, /proc, sources
	for _, s := range load(t) {
		if s.test || belowTest(s.folder) || strings.HasPrefix(s.folder, "deploy/") || strings.HasPrefix(s.folder, "web/") || slices.Contains(homes, s.folder) {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if ok && fmt.Sprint(call.X) == "os" && (call.Sel.Name == "Open" || call.Sel.Name == "ReadFile") {
				t.Errorf("%s:%d calls os.%s: use program/regular", s.path, s.line(n.Pos()), call.Sel.Name)
			}
			return true
		})
	}
}

// TestPlainBuildNeedsNoC lists with the go command what a build without tags consists of: nothing
// outside the standard library may need a C compiler.
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

// TestVersionsOfTheProgram checks that the modules which only tests or other
// packages need don't raise the versions that the program is built with.
func TestVersionsOfTheProgram(t *testing.T) {
	used := map[string]bool{module: true} // "path@version"
	indirect := map[string]bool{}
	for _, line := range goLines(t, "list", "-deps", "-f", "{{with .Module}}{{.Path}}@{{.Version}} {{.Indirect}}{{end}}", "./cmd/rs-ros-node") {
		if version, isIndirect, ok := strings.Cut(line, " "); ok {
			used[version] = true
			indirect[version] = isIndirect == "true"
		}
	}
	asked := map[string]bool{}
	for _, line := range goLines(t, "mod", "graph") {
		if by, version, _ := strings.Cut(line, " "); by != module && used[by] {
			asked[version] = true
		}
	}
	for version := range used {
		if indirect[version] && !asked[version] {
			t.Errorf("the program is built with %s, which no module of it asks for", version)
		}
	}
}

// TestProgramHasNoTests checks that no test code is linked into the program.
func TestProgramHasNoTests(t *testing.T) {
	for _, tags := range []string{"", "usb"} {
		for _, imported := range goLines(t, "list", "-deps", "-tags", tags, "./cmd/rs-ros-node") {
			if imported == "testing" || strings.HasPrefix(imported, "testing/") || strings.Contains(imported, "/testify") {
				t.Errorf("the program (-tags %q) imports %s", tags, imported)
			}
		}
	}
}

// goLines runs the go command in the repository and returns the lines it prints.
func goLines(t *testing.T, args ...string) []string {
	t.Helper()
	run := exec.Command("go", args...)
	run.Dir, run.Stderr = root, os.Stderr
	out, err := run.Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
