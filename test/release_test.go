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

// TestVersions: the source, the ROS package and the changelog are about one version. Before the first release the
// changelog has none.
func TestVersions(t *testing.T) {
	for file, pattern := range map[string]string{
		"package.xml":  `<version>([^<]+)</version>`,
		"CHANGELOG.md": `(?m)^## \[([0-9][^\]]*)\]`,
	} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(pattern).FindSubmatch(text)
		if found == nil && file == "CHANGELOG.md" {
			continue
		}
		if found == nil || string(found[1]) != program.Version {
			t.Errorf("%s: version %q, program/version.go has %s", file, found, program.Version)
		}
	}
}

// TestWhatIsReleasedIsChecked: make cross checks every platform that deploy/dist makes programs for.
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
