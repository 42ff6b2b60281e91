package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// stand is a release with a program that is a few bytes, and its documents.
func stand(t *testing.T) (r *release, program, documents string) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"program": "the program", "documents/man/rs-ros-node.1": "a page", "documents/completions/rs-ros-node": "a script",
		"documents/completions/_rs-ros-node": "another", "documents/completions/rs-ros-node.fish": "a third", "documents/" + licensesFile: "licenses",
	} {
		name = filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r = &release{root: "../..", out: t.TempDir(), work: folder, version: "1.2.3", commit: "0123456789ab", time: time.Unix(1e9, 0).UTC()}
	return r, filepath.Join(folder, "program"), filepath.Join(folder, "documents")
}

// made packs a release for each platform and returns the files by name.
func made(t *testing.T) map[string][]byte {
	t.Helper()
	r, program, documents := stand(t)
	for _, p := range platforms {
		if err := r.archive(p, program, documents); err != nil {
			t.Fatal(err)
		}
		if p.debian == "" {
			continue
		}
		if err := r.debianPackage(p, program, documents); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.checksums(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(r.out)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(r.out, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestSameBytesTwice packs the same twice, from folders of different names and files of different times.
func TestSameBytesTwice(t *testing.T) {
	first, second := made(t), made(t)
	if len(first) != len(platforms)+3+1 { // an archive each, three packages, the sums
		t.Errorf("%d files were made", len(first))
	}
	for name, text := range first {
		if !bytes.Equal(text, second[name]) {
			t.Errorf("%s differs the second time", name)
		}
	}
}

func TestArchivesHoldAPackage(t *testing.T) {
	files := made(t)
	packed, err := gzip.NewReader(bytes.NewReader(files["rs-ros-node_1.2.3_linux_armv7.tar.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if h.Mode == 0o755 {
			names = append(names, "!"+h.Name)
		} else {
			names = append(names, h.Name)
		}
	}
	for _, want := range []string{"!bin/rs-ros-node", "package.xml", "launch/camera.launch", "!launch/drop-in.sh", "man/rs-ros-node.1", "completions/_rs-ros-node", "LICENSE", licensesFile} {
		executable := strings.HasPrefix(want, "!")
		name := "rs-ros-node_1.2.3_linux_armv7/" + strings.TrimPrefix(want, "!")
		if executable {
			name = "!" + name
		}
		if !slices.Contains(names, name) {
			t.Errorf("no %s in %q", name, names)
		}
	}
	windows := files["rs-ros-node_1.2.3_windows_arm64.zip"]
	z, err := zip.NewReader(bytes.NewReader(windows), int64(len(windows)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Open("rs-ros-node_1.2.3_windows_arm64/bin/rs-ros-node.exe"); err != nil {
		t.Error(err)
	}
}

func TestChoose(t *testing.T) {
	if got, err := choose("linux/arm/7,windows/amd64"); err != nil || len(got) != 2 || got[0].name() != "linux_armv7" {
		t.Errorf("%v %v", got, err)
	}
	if _, err := choose("linux/mips"); err == nil {
		t.Error("an unknown platform was taken")
	}
}
