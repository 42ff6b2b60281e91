package disk

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// SetDirect has a file written and read past the page cache, at multiples of Grain, or
// no longer so. An error says why the file system doesn't support that. A kernel before
// 6.1 may not know; then the first write fails with EINVAL.
func SetDirect(f *os.File, on bool) error {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil {
		return fmt.Errorf("direct writing to %s: %w", f.Name(), err)
	}
	if !on {
		_, err = unix.FcntlInt(f.Fd(), unix.F_SETFL, flags&^unix.O_DIRECT)
		return err
	}
	if err := directAlignment(f); err != nil {
		return err
	}
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETFL, flags|unix.O_DIRECT)
	if errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("the file system of %s has no O_DIRECT", f.Name())
	}
	return err
}

// directAlignment checks that the file system accepts multiples of Grain.
func directAlignment(f *os.File) error {
	var st unix.Statx_t
	if unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN, &st) != nil || st.Mask&unix.STATX_DIOALIGN == 0 {
		return nil
	}
	if m, o := st.Dio_mem_align, st.Dio_offset_align; o == 0 || Grain%o != 0 || m > Grain {
		return fmt.Errorf("%s supports direct writes only at multiples of %d bytes from memory at multiples of %d", f.Name(), o, m)
	}
	return nil
}
