package disk

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// TryDirect finds out whether an empty file can be written past the page cache, with
// gain, and leaves it as it is. An error says why not. It returns the grain for SetDirect.
//
// It looks at what the file system says of this file, and where the kernel is too old
// for that (before 6.1), it writes a block. A file system that accepts O_DIRECT without
// having a disk to write to, such as tmpfs, NFS or overlay, isn't worth it; nor is one that
// doesn't say how writes must be aligned, such as exFAT, which may write through the page
// cache all the same.
func TryDirect(f *os.File) (grain int, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return 0, err
	}
	if unix.Major(uint64(st.Dev)) == 0 {
		return 0, fmt.Errorf("%s is not directly on a disk", fileSystem(f))
	}
	_, told, err := directGrain(f)
	if err == nil && !told && !knownDirect[fileSystemType(f)] {
		err = fmt.Errorf("%s doesn't say how direct writes must be aligned", fileSystem(f))
	}
	if err != nil {
		return 0, err
	}
	if grain, err = SetDirect(f); err != nil {
		return 0, err
	}
	if !told {
		err = tryBlock(NewFile(f), grain)
	}
	return grain, errors.Join(err, SetBuffered(f))
}

// knownDirect are file systems that write directly if they accept it, by their magic
// numbers in statfs.
var knownDirect = map[int64]bool{unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.F2FS_SUPER_MAGIC: true}

// fileSystems are names for messages.
var fileSystems = map[int64]string{
	unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "XFS", unix.F2FS_SUPER_MAGIC: "F2FS", unix.BTRFS_SUPER_MAGIC: "btrfs",
	unix.TMPFS_MAGIC: "tmpfs", unix.RAMFS_MAGIC: "ramfs", unix.OVERLAYFS_SUPER_MAGIC: "overlay",
	unix.NFS_SUPER_MAGIC: "NFS", unix.FUSE_SUPER_MAGIC: "FUSE", unix.V9FS_MAGIC: "9P", unix.CIFS_SUPER_MAGIC: "CIFS", unix.SMB2_SUPER_MAGIC: "SMB",
	unix.MSDOS_SUPER_MAGIC: "FAT", unix.EXFAT_SUPER_MAGIC: "exFAT",
}

// fileSystemType is the magic number of a file's file system; 0: it can't be found out.
func fileSystemType(f *os.File) int64 {
	var st unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &st) != nil {
		return 0
	}
	return int64(uint32(st.Type)) // signed on some platforms
}

// fileSystem names a file's file system.
func fileSystem(f *os.File) string {
	kind := fileSystemType(f)
	if name := fileSystems[kind]; name != "" {
		return name
	}
	return fmt.Sprintf("the file system of type %#x", kind)
}
