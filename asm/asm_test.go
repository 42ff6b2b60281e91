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
		"cloud":  "msgs/cloud/avx2",
		"jpeg":   "msgs/jpeg/avx2",
		"lens":   "camdriver/process/internal/lens/avx2",
		"lz4":    "bagstore/internal/lz4/sse",
		"smooth": "camdriver/process/internal/smooth/avx2",
		"splat":  "camdriver/process/internal/splat/avx2",
		"ycbcr":  "msgs/imagetransport/avx2",
	} {
		t.Run(command, func(t *testing.T) {
			root := t.TempDir()
			if err := os.MkdirAll(filepath.Join(root, filepath.Dir(base)), 0o777); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("go", "run", "./"+command, root).CombinedOutput(); err != nil {
				t.Fatalf("go run ./%s: %v\n%s", command, err, out)
			}
			for _, suffix := range []string{"_amd64.s", "_amd64.go", "_other.go"} {
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
