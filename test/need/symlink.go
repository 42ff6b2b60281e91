package need

import (
	"os"
	"runtime"
	"testing"
)

// Symlink makes a symbolic link and reports whether it is there. On Windows users need a
// privilege to make one, and wine makes none and returns no error.
func Symlink(t testing.TB, target, link string) bool {
	t.Helper()
	err := os.Symlink(target, link)
	if err == nil {
		_, err = os.Lstat(link)
	}
	if err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	return err == nil
}
