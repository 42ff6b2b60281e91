// Package test checks rules of the repository's architecture, code and documents. Its folders have tests that
// span packages, and what tests share.
package test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

const (
	module = "rsros"
	root   = ".." // the repository, relative to this folder
)

// modules are the folders of the modules that have the programs.
var modules = []string{root, root + "/cmd/rs-lerobot"}

// TestPlainBuildNeedsNoC checks that in a build without tags nothing outside the standard library needs a C compiler.
func TestPlainBuildNeedsNoC(t *testing.T) {
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("GOFLAGS", "")
	for _, folder := range modules {
		for _, name := range goLines(t, folder, "list", "-deps", "-f", "{{if and .CgoFiles (not .Standard)}}{{.ImportPath}}{{end}}", "./...") {
			if name != "" {
				t.Errorf("%s needs cgo", name)
			}
		}
	}
}

// TestVersionsOfTheProgram checks that the modules which only tests or other
// packages need don't raise the versions that the program is built with.
func TestVersionsOfTheProgram(t *testing.T) {
	used := map[string]bool{module: true} // "path@version"
	indirect := map[string]bool{}
	for _, line := range goLines(t, root, "list", "-deps", "-f", "{{with .Module}}{{.Path}}@{{.Version}} {{.Indirect}}{{end}}", "./cmd/rs-ros-node") {
		if version, isIndirect, ok := strings.Cut(line, " "); ok {
			used[version] = true
			indirect[version] = isIndirect == "true"
		}
	}
	asked := map[string]bool{}
	for _, line := range goLines(t, root, "mod", "graph") {
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
		for _, imported := range goLines(t, root, "list", "-deps", "-tags", tags, "./cmd/rs-ros-node") {
			if imported == "testing" || strings.HasPrefix(imported, "testing/") || strings.Contains(imported, "/testify") {
				t.Errorf("the program (-tags %q) imports %s", tags, imported)
			}
		}
	}
}

// goLines runs the go command in a folder and returns the lines it prints.
func goLines(t *testing.T, folder string, args ...string) []string {
	t.Helper()
	run := exec.Command("go", args...)
	run.Dir, run.Stderr = folder, os.Stderr
	out, err := run.Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
