package main

import (
	"os"
	"path/filepath"
	"testing"

	"rsros/test/need"
)

// TestDefinitionsKeepOthers checks that a package which the command hasn't written is neither replaced nor added to.
func TestDefinitionsKeepOthers(t *testing.T) {
	folder := t.TempDir()
	other := filepath.Join(folder, "realsense2_camera")
	need.Must(t, os.Mkdir(other, 0o755))
	has(t, wantLog(t, exitFailed, "definitions", "-o", folder), other+" is another package of this name")
	if left, _ := os.ReadDir(other); len(left) != 0 {
		t.Errorf("written: %v", left)
	}
}
