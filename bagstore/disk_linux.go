package bagstore

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// osDisk is a file of the operating system.
type osDisk struct {
	f  *os.File
	fd int
}

func newDisk(f *os.File) *osDisk { return &osDisk{f: f, fd: int(f.Fd())} }

// maxVec is the most buffers that one system call takes (UIO_MAXIOV).
const maxVec = 1024

func (d *osDisk) writev(bufs [][]byte, off int64) error {
	for bufs = dropBytes(bufs, 0); len(bufs) > 0; {
		n, err := unix.Pwritev(d.fd, bufs[:min(len(bufs), maxVec)], off)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return fmt.Errorf("write %s: %w", d.f.Name(), err)
		}
		if n == 0 {
			return fmt.Errorf("write %s: %w", d.f.Name(), unix.ENOSPC)
		}
		off += int64(n)
		bufs = dropBytes(bufs, n)
	}
	return nil
}

func (d *osDisk) sync() error {
	if err := unix.Fdatasync(d.fd); err != nil {
		return fmt.Errorf("sync %s: %w", d.f.Name(), err)
	}
	return nil
}

func (d *osDisk) allocate(size int64) error {
	return unix.Fallocate(d.fd, unix.FALLOC_FL_KEEP_SIZE, 0, size)
}

func (d *osDisk) read(p []byte, off int64) error { return readFull(d.f, p, off) }

func (d *osDisk) truncate(size int64) error { return d.f.Truncate(size) }
func (d *osDisk) close() error              { return d.f.Close() }
