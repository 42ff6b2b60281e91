//go:build !linux

package need

import "testing"

// SmallDisk returns the folder of a file system of its own. Only Linux has one that is easily made.
func SmallDisk(t testing.TB, _ string) string {
	t.Helper()
	System(t, "a small disk is made on Linux only")
	return ""
}
