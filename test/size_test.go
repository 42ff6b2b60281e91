package test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxPackageLines is the limit for a package without its tests. A larger one
// usually has two duties.
const maxPackageLines = 3000

// largePackages lists the packages above maxPackageLines and the size at which
// each must be looked at again. Why a package is that large is written in
// largePackagesPage; the test fails if the reason is missing there.
var largePackages = map[string]int{
	"bagstore":                 5800,
	"bagstore/realsense/rsbag": 3800,
	"camdriver/d400":           5200,
	"cmd/rs-ros-node":          3300,
	"node/ros":                 3400,
}

// largePackagesPage is the page, and the heading on it, that gives the reasons.
const largePackagesPage, largePackagesHeading = "docs/architecture.md", "## Large packages"

func TestPackagesAreSmall(t *testing.T) {
	lines := map[string]int{}
	for _, s := range load(t) {
		if !s.test {
			lines[s.folder] += s.lines
		}
	}
	reasons := section(t, largePackagesPage, largePackagesHeading)
	for folder, n := range lines {
		limit, large := largePackages[folder]
		switch {
		case !large && n > maxPackageLines:
			t.Errorf("package %s has %d lines without tests; the limit is %d: split it, or add it to largePackages and give the reason in %s, %q",
				folder, n, maxPackageLines, largePackagesPage, largePackagesHeading)
		case large && n > limit:
			t.Errorf("package %s has %d lines without tests; largePackages allows it %d: split it, or raise that number and review the reason in %s",
				folder, n, limit, largePackagesPage)
		case large && n <= maxPackageLines:
			t.Errorf("package %s has %d lines without tests, no more than the limit of %d: delete it from largePackages and from %s", folder, n, maxPackageLines, largePackagesPage)
		case large && !strings.Contains(reasons, "`"+folder+"`"):
			t.Errorf("package %s is in largePackages, but %s, %q doesn't name it: write there why it is that large", folder, largePackagesPage, largePackagesHeading)
		}
	}
	for folder := range largePackages {
		if lines[folder] == 0 {
			t.Errorf("largePackages lists %s, which doesn't exist: delete it there and in %s", folder, largePackagesPage)
		}
	}
}

// section returns the text of a page from a heading to the next heading of the
// same level.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	start := slices.Index(lines, heading)
	if start < 0 {
		t.Fatalf("%s has no heading %q", page, heading)
	}
	level, _, _ := strings.Cut(heading, " ")
	rest := lines[start+1:]
	if end := slices.IndexFunc(rest, func(line string) bool { return strings.HasPrefix(line, level+" ") }); end >= 0 {
		rest = rest[:end]
	}
	return strings.Join(rest, "\n")
}
