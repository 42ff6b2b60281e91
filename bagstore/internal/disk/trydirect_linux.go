package disk

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// TryDirect checks whether writing an empty file past the page cache works and pays, and leaves the file unchanged. It
// returns the grain for SetDirect, or an error with the reason against it.
//
// It asks the file system about the file. If the kernel is too old for that (before 6.1), it writes a block. File
// systems that accept O_DIRECT without a disk of their own, such as tmpfs, NFS or overlay, are refused, and so are
// those that don't report the required alignment, such as exFAT, because they may use the page cache nevertheless.
func TryDirect(f *os.File) (grain int, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return 0, err
	}
	if unix.Major(uint64(st.Dev)) == 0 {
		return 0, fmt.Errorf("%s is not directly on a disk", fileSystem(f))
	}
	_, known, err := directGrain(f)
	if err == nil && !known && !knownDirect[fileSystemType(f)] {
		err = fmt.Errorf("%s doesn't report the alignment of direct writes", fileSystem(f))
	}
	if err != nil {
		return 0, err
	}
	if grain, err = SetDirect(f); err != nil {
		return 0, err
	}
	if !known {
		err = tryBlock(NewFile(f), grain)
	}
	return grain, errors.Join(err, SetBuffered(f))
}

// knownDirect has the file systems, by their magic numbers in statfs, that write directly if they accept O_DIRECT.
var knownDirect = map[int64]bool{unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.F2FS_SUPER_MAGIC: true}

var fileSystems = map[int64]string{
	unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "XFS", unix.F2FS_SUPER_MAGIC: "F2FS",
	unix.BTRFS_SUPER_MAGIC: "btrfs",
	unix.TMPFS_MAGIC:       "tmpfs", unix.RAMFS_MAGIC: "ramfs", unix.OVERLAYFS_SUPER_MAGIC: "overlay",
	unix.NFS_SUPER_MAGIC: "NFS", unix.FUSE_SUPER_MAGIC: "FUSE", unix.V9FS_MAGIC: "9P",
	unix.CIFS_SUPER_MAGIC: "CIFS", unix.SMB2_SUPER_MAGIC: "SMB",
	unix.MSDOS_SUPER_MAGIC: "FAT", unix.EXFAT_SUPER_MAGIC: "exFAT",
}

// fileSystemType returns the magic number of a file's file system, or 0 if it is unknown.
func fileSystemType(f *os.File) int64 {
	var st unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &st) != nil {
		return 0
	}
	return int64(uint32(st.Type)) // signed on some platforms
}

func fileSystem(f *os.File) string {
	kind := fileSystemType(f)
	if name := fileSystems[kind]; name != "" {
		return name
	}
	return fmt.Sprintf("the file system of type %#x", kind)
}
