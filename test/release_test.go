package test

import (
	"os"
	"path/filepath"
	"regexp"
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
