package rsdb3

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"rsros/test/need"
)

// TestCheckReadsNoBag checks that a large bag isn't searched for database pages.
func TestCheckReadsNoBag(t *testing.T) {
	const size = 64 << 20
	path := filepath.Join(t.TempDir(), "x.bag")
	need.Must(t, os.WriteFile(path, []byte("#ROSBAG V2.0\n"), 0o600))
	need.Must(t, os.Truncate(path, size))
	before := bytesRead(t)
	if list, ok, err := Check(t.Context(), path); ok || err != nil {
		t.Errorf("rules %v, ok %v, %v", list, ok, err)
	}
	if n := bytesRead(t) - before; n > size/4 {
		t.Errorf("%d bytes were read", n)
	}
}

// bytesRead returns the number of bytes that this process has read with system calls.
func bytesRead(t *testing.T) (n int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		need.System(t, "%v", err)
	}
	if _, err := fmt.Sscanf(string(text), "rchar: %d", &n); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return n
}
