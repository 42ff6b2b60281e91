package lz4

import (
	"bytes"
	"os/exec"
	"testing"

	"rsros/test/need"
)

// TestTool reads our frames with the reference implementation.
func TestTool(t *testing.T) {
	tool, err := exec.LookPath("lz4")
	if err != nil {
		need.Missing(t, "the lz4 program is not installed")
	}
	var e Encoder
	for i, src := range blocksOf()[:7] {
		cmd := exec.Command(tool, "-d", "-c")
		cmd.Stdin = bytes.NewReader(e.Append(nil, src))
		if out, err := cmd.Output(); err != nil || !bytes.Equal(out, src) {
			t.Errorf("content %d: %v", i, err)
		}
	}
}
