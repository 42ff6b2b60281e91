package asm

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestAssemblyIsGenerated checks that the files in the repository are what the
// commands write.
func TestAssemblyIsGenerated(t *testing.T) {
	for command, base := range map[string]string{
		"cloud":  "msgs/cloud/avx2_amd64",
		"jpeg":   "msgs/jpeg/avx2_amd64",
		"lens":   "camdriver/process/internal/lens/avx2_amd64",
		"lz4":    "bagstore/internal/lz4/sse_amd64",
		"smooth": "camdriver/process/internal/smooth/avx2_amd64",
		"splat":  "camdriver/process/internal/splat/avx2_amd64",
		"ycbcr":  "msgs/imagetransport/avx2_amd64",
	} {
		t.Run(command, func(t *testing.T) {
			root := t.TempDir()
			if err := os.MkdirAll(filepath.Join(root, filepath.Dir(base)), 0o777); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("go", "run", "./"+command, root).CombinedOutput(); err != nil {
				t.Fatalf("go run ./%s: %v\n%s", command, err, out)
			}
			for _, suffix := range []string{".s", ".go"} {
				want, err := os.ReadFile(filepath.Join(root, base+suffix))
				if err != nil {
					t.Fatal(err)
				}
				have, err := os.ReadFile(filepath.Join("..", base+suffix))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(have, want) {
					t.Errorf("%s is not what asm/%s writes: go generate ./%s", base+suffix, command, filepath.Dir(base))
				}
			}
		})
	}
}
