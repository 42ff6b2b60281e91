package main

import (
	"flag"
	"os"
	"testing"

	"rsros/program/help"
	"rsros/test/need"
)

var update = flag.Bool("update", false, "write the help into its file")

// TestHelpPages checks that the folder of help pages has that of rs-lerobot; a test of rs-ros-node checks its form.
func TestHelpPages(t *testing.T) {
	const file = "../rs-ros-node/testdata/help/rs-lerobot.txt"
	page := help.Page(newCommand(), help.Standard, false)
	if *update {
		need.Must(t, os.WriteFile(file, []byte(page), 0o644))
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != page {
		t.Errorf("%s isn't what the program prints; if that is meant: go test ./cmd/rs-lerobot -run TestHelpPages -update (%v)", file, err)
	}
}
