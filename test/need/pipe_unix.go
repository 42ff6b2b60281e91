//go:build unix

package need

import (
	"testing"

	"golang.org/x/sys/unix"
)

// Pipe makes a named pipe and reports whether it is there.
func Pipe(t testing.TB, path string) bool {
	t.Helper()
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return true
}
