package disk

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// OpenDirect creates or truncates a file to be written past the page cache, or says why
// that isn't possible.
func OpenDirect(path string) (*os.File, error) {
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
	if m, o := st.Dio_mem_align, st.Dio_offset_align; o == 0 || Grain%o != 0 || m > Grain {
		return nil, errors.Join(fmt.Errorf("%s supports direct writes only at multiples of %d bytes from memory at multiples of %d", path, o, m), f.Close())
	}
	return f, nil
}
