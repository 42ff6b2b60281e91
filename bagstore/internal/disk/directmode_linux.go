package disk

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// DirectCall describes how direct files are written on this machine.
func DirectCall() string {
	q, err := newAIO(1)
	if err != nil {
		return "yes: O_DIRECT, with pwritev, because io_setup fails: " + err.Error()
	}
	_ = q.close()
	return "yes: O_DIRECT, with io_submit"
}

// SetDirect makes writes and reads of a file bypass the page cache. It returns the grain: offsets, lengths and
// addresses must be multiples of it. It returns an error if the file system doesn't support that. A kernel before 6.1
// may not know; then the first write fails with EINVAL.
func SetDirect(f *os.File) (grain int, err error) {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil {
		return 0, err
	}
	if grain, _, err = directGrain(f); err != nil {
		return 0, err
	}
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETFL, flags|unix.O_DIRECT)
	if errors.Is(err, unix.EINVAL) {
		return 0, fmt.Errorf("%s has no O_DIRECT", fileSystem(f))
	}
	return grain, err
}

// SetBuffered undoes SetDirect.
func SetBuffered(f *os.File) error {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil {
		return err
	}
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETFL, flags&^unix.O_DIRECT)
	return err
}

// directGrain returns the file system's grain. known is false if the file system doesn't report it.
func directGrain(f *os.File) (grain int, known bool, err error) {
	var st unix.Statx_t
	err = unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN|unix.STATX_MNT_ID, &st)
	if err != nil || st.Mask&unix.STATX_DIOALIGN == 0 || lacksFields(&st) {
		grain, err = grainFor(Grain, uint32(os.Getpagesize())) // blocks are at most as large as pages
		return grain, false, err
	}
	grain, err = grainFor(st.Dio_mem_align, st.Dio_offset_align)
	return grain, true, err
}

// lacksFields reports whether new fields of st are missing although its mask has them, as
// in an emulator (QEMU 7.2) that knows an older form of the structure. No mount has id 0.
func lacksFields(st *unix.Statx_t) bool { return st.Mask&unix.STATX_MNT_ID != 0 && st.Mnt_id == 0 }

// grainFor returns the grain for the required alignments in memory and in the file.
func grainFor(memory, offset uint32) (int, error) {
	if offset == 0 {
		return 0, errors.New("the file system doesn't support direct writes to this file")
	}
	grain := max(memory, offset, Grain)
	if grain > maxGrain || grain%offset != 0 || grain&(grain-1) != 0 {
		return 0, fmt.Errorf("the file system supports direct writes only at multiples of %d bytes from memory at multiples of %d", offset, memory)
	}
	return int(grain), nil
}
