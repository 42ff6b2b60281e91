package localfile

import (
	"math"

	"golang.org/x/sys/windows"
)

// FreeSpaceMethod says in words how free space is found.
const FreeSpaceMethod = "yes: GetDiskFreeSpaceEx"

// FreeSpace returns how many bytes may still be written to the file system of dir.
func FreeSpace(dir string) (int64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return 0, err
	}
	return int64(min(free, math.MaxInt64)), nil
}
