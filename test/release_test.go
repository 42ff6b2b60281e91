package test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"rsros/program"
	"rsros/test/need"
)

// TestVersions checks that the source, the ROS package and the changelog have the same version. A
// version in development, which ends in -dev, has no heading in the changelog yet.
func TestVersions(t *testing.T) {
	version, dev := strings.CutSuffix(program.Version, "-dev")
	first := func(file, pattern string) string {
		text, err := os.ReadFile(filepath.Join(root, file))
		need.Must(t, err)
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

// TestWhatIsReleasedIsChecked checks that make cross checks every platform that a program is released for.
func TestWhatIsReleasedIsChecked(t *testing.T) {
	var config struct {
		Builds []struct{ Targets []string }
	}
	text, err := os.ReadFile(filepath.Join(root, "deploy/goreleaser.yaml"))
	need.Must(t, err)
	if err := yaml.Unmarshal(text, &config); err != nil || len(config.Builds) == 0 {
		t.Fatal(err, config)
	}
	script, err := os.ReadFile(filepath.Join(root, "test/cross.sh"))
	need.Must(t, err)
	checked := strings.Fields(string(script))
	for _, target := range config.Builds[0].Targets {
		if !slices.Contains(checked, strings.ReplaceAll(target, "_", "/")) {
			t.Errorf("%s is released, and test/cross.sh doesn't check it", target)
		}
	}
}
