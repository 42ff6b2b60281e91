package need

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"
)

// SmallDisk returns the folder of a file system of its own. Only root can make one.
func SmallDisk(t testing.TB, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); errors.Is(err, fs.ErrPermission) {
		System(t, "only root can make a small disk")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}
