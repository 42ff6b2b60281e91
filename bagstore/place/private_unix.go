//go:build unix

package place

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// stored returns what a file takes of the disk.
func stored(st fs.FileInfo) int64 {
	if own, ok := st.Sys().(*syscall.Stat_t); ok {
		return own.Blocks * 512
	}
	return st.Size()
}

// private returns an error unless dir is a folder that only this user can read and write.
func private(dir string) error {
	st, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if own, ok := st.Sys().(*syscall.Stat_t); !ok || int(own.Uid) != os.Geteuid() || !st.IsDir() || st.Mode()&0o077 != 0 {
		return fmt.Errorf("%s isn't a folder of this user alone: %w", dir, fs.ErrPermission)
	}
	return nil
}
