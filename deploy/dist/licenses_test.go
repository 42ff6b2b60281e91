package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestLicenses: the texts of Go, of modules, of parts of modules and of the page are there, once each.
func TestLicenses(t *testing.T) {
	r, _, _ := stand(t)
	text, err := r.licenses()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"== Go, LICENSE ==", "\n== github.com/spf13/cobra@", "/zstd/internal/xxhash, LICENSE.txt ==", "preact@", "The Go Authors"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	headings := map[string]bool{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "== ") {
			if headings[line] {
				t.Errorf("%q comes twice", line)
			}
			headings[line] = true
		}
	}
}

// TestNoLicense: a module without a license is an error that names it, and so is a folder that can't be read.
func TestNoLicense(t *testing.T) {
	empty := t.TempDir()
	for folder, want := range map[string]string{empty: "no file is named like one", filepath.Join(empty, "none"): "no such file"} {
		err := licenses{}.addModule("example.org/module@v1.0.0", folder, folder)
		if err == nil || !strings.Contains(err.Error(), "example.org/module@v1.0.0") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestPageComponents: the bill of materials has the packages of the page, by names that other programs know.
func TestPageComponents(t *testing.T) {
	r, _, _ := stand(t)
	list, err := r.pageComponents()
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, c := range list {
		names += c.PackageURL + " "
	}
	if !strings.Contains(names, "pkg:npm/preact@") || !strings.Contains(names, "pkg:npm/%40preact/signals@") {
		t.Errorf("components %s", names)
	}
}
