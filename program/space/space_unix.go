//go:build unix

package record

import "golang.org/x/sys/unix"

// FreeSpace says in words how the free space of a disk is found.
const FreeSpace = "yes: statfs"

// Free is how many bytes may still be written to the file system of dir.
func Free(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil // their types differ between systems
}
