package place

import (
	"errors"
	"io"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// Locks describes how files are locked.
const Locks = "yes: F_OFD_SETLK"

// lastByte is a lock of the last byte that a file can have: SQLite locks others of a .db3 that is being read.
func lastByte() unix.Flock_t {
	return unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: math.MaxInt64 - 1, Len: 1}
}

// lock locks a file for as long as it is open, so that a second lock, from any process,
// fails with ErrLocked. File systems without locks are not locked.
func lock(f *os.File) error {
	for {
		at := lastByte()
		err := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &at)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EACCES):
			return ErrLocked
		}
		return nil
	}
}

// locked reports whether another open file has the lock. It doesn't take it: who creates the file at this moment gets
// it.
func locked(f *os.File) bool {
	at := lastByte()
	return unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &at) == nil && at.Type != unix.F_UNLCK
}
