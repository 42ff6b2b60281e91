//go:build unix

package localfile

import "golang.org/x/sys/unix"

// FreeSpaceMethod says in words how free space is found.
const FreeSpaceMethod = "yes: statfs"

// FreeSpace returns how many bytes may still be written to the file system of dir.
func FreeSpace(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil // their types differ between systems
}
