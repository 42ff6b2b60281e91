package bagstore

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// openDirect opens the file past the page cache, or says why that can't be.
func openDirect(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC|unix.O_DIRECT, 0o666)
	if err != nil {
		if errors.Is(err, unix.EINVAL) {
			return nil, fmt.Errorf("the file system of %s has no O_DIRECT", path)
		}
		return nil, err
	}
	var st unix.Statx_t
	if unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN, &st) != nil || st.Mask&unix.STATX_DIOALIGN == 0 {
		return f, nil // an older kernel: the first write will tell
	}
	if m, o := st.Dio_mem_align, st.Dio_offset_align; o == 0 || directGrain%o != 0 || m > directGrain {
		return nil, errors.Join(fmt.Errorf("%s takes direct writes at multiples of %d bytes from memory at multiples of %d only", path, o, m), f.Close())
	}
	return f, nil
}
