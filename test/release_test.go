package test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rsros/program"
)

// TestVersions checks that the source, the ROS package and the changelog have the same version. A
// version in development, which ends in -dev, has no heading in the changelog yet.
func TestVersions(t *testing.T) {
	version, dev := strings.CutSuffix(program.Version, "-dev")
	first := func(file, pattern string) string {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(pattern).FindSubmatch(text); found != nil {
			return string(found[1])
		}
		return ""
	}
	if got := first("package.xml", `<version>([^<]+)</version>`); got != version {
		t.Errorf("package.xml: version %q, program/version.go has %s", got, program.Version)
	}
	if got := first("CHANGELOG.md", `(?m)^## \[([0-9][^\]]*)\]`); (got == version) == dev {
		t.Errorf("CHANGELOG.md: latest version %q, program/version.go has %s", got, program.Version)
	}
}

// TestWhatIsReleasedIsChecked checks that make cross checks every platform that deploy/dist builds
// programs for.
func TestWhatIsReleasedIsChecked(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	checked := strings.Fields(read("test/cross.sh"))
	released := regexp.MustCompile(`\{os: "(\w+)", arch: "(\w+)"(?:, arm: "(\d)")?`).FindAllStringSubmatch(read("deploy/dist/build.go"), -1)
	if len(released) == 0 {
		t.Fatal("no platform found in deploy/dist/build.go")
	}
	for _, p := range released {
		if name := strings.TrimSuffix(strings.Join(p[1:], "/"), "/"); !slices.ContainsFunc(checked, func(w string) bool { return strings.Trim(w, "()\"") == name }) {
			t.Errorf("%s is released, and test/cross.sh doesn't check it", name)
		}
	}
}
