package main

import (
	"os"
	"path/filepath"
	"testing"

	"rsros/test/need"
)

// TestGenerated compares the packages in the repository with what the generator writes.
func TestGenerated(t *testing.T) {
	out := t.TempDir()
	for _, name := range packages {
		need.Must(t, writePackage("../../../definitions", out, name))
		want, _ := filepath.Glob(filepath.Join(out, name, "*"))
		got, _ := filepath.Glob(filepath.Join("../..", name, "*"))
		if len(want) < 2 || len(got) != len(want) {
			t.Errorf("%s has %d files, want %d: go generate ./msgs/goros", name, len(got), len(want))
		}
		for _, file := range want {
			wanted, err := os.ReadFile(file)
			need.Must(t, err)
			is, err := os.ReadFile(filepath.Join("../..", name, filepath.Base(file)))
			if err != nil || string(is) != string(wanted) {
				t.Errorf("%s/%s is out of date: go generate ./msgs/goros (%v)", name, filepath.Base(file), err)
			}
		}
	}
}

func TestConvertUnknownKind(t *testing.T) {
	if _, err := convert("p", "action", "A", ""); err == nil {
		t.Error("an action was converted")
	}
}
