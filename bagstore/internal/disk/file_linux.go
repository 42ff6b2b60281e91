package disk

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Reserves describes whether disk space is reserved ahead.
const Reserves = "yes: fallocate"

// HugePageCall describes whether buffers.AdviseHuge has an effect.
func HugePageCall() string {
	if err := adviseSpare(unix.PROT_READ|unix.PROT_WRITE, unix.MADV_HUGEPAGE); err != nil {
		return "no: MADV_HUGEPAGE fails: " + err.Error()
	}
	if mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled"); err == nil &&
		bytes.Contains(mode, []byte("[never]")) {
		return "no: the system has turned them off"
	}
	return "yes: madvise"
}

// File is a Disk on an operating system file.
type File struct {
	f     *os.File
	fd    int
	queue *aio // created by the first Start; nil if the system refuses it
	asked bool // for the queue
	end   int64
}

// NewFile returns a Disk on f.
func NewFile(f *os.File) *File { return &File{f: f, fd: int(f.Fd())} }

// maxVec is the largest number of buffers in a system call (UIO_MAXIOV).
const maxVec = 1024

// Writev implements Disk.
func (d *File) Writev(bufs [][]byte, off int64) error {
	for bufs = dropBytes(bufs, 0); len(bufs) > 0; {
		n, err := unix.Pwritev(d.fd, bufs[:min(len(bufs), maxVec)], off)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return d.failed(err)
		}
		if n == 0 {
			return d.failed(unix.ENOSPC)
		}
		off += int64(n)
		bufs = dropBytes(bufs, n)
	}
	return nil
}

func (d *File) failed(err error) error { return &fs.PathError{Op: "write", Path: d.f.Name(), Err: err} }

// Start implements Disk. It writes synchronously if the kernel refuses a queue, as in some containers, or this write.
func (d *File) Start(bufs [][]byte, off int64, done func(error)) {
	if !d.asked {
		d.asked = true
		d.queue, _ = newAIO(MaxUnderWay)
	}
	// After a short write, write the rest, which also returns the error.
	rest := func(n int, err error) {
		if err != nil {
			done(d.failed(err))
			return
		}
		done(d.Writev(dropBytes(bufs, n), off+int64(n)))
	}
	if d.queue == nil || d.grow(bufs, off) != nil || d.queue.start(iocbPwritev, d.fd, bufs, off, rest) != nil {
		rest(0, nil)
	}
}

// grow extends the file to the end of a write that is about to start, because file systems
// execute writes past the end of a file synchronously.
func (d *File) grow(bufs [][]byte, off int64) error {
	for _, b := range bufs {
		off += int64(len(b))
	}
	if off <= d.end {
		return nil
	}
	return d.Truncate(off)
}

// Sync implements Disk.
func (d *File) Sync() error {
	if err := unix.Fdatasync(d.fd); err != nil {
		return fmt.Errorf("sync %s: %w", d.f.Name(), err)
	}
	return nil
}

// Allocate implements Disk.
func (d *File) Allocate(size int64) error {
	return unix.Fallocate(d.fd, unix.FALLOC_FL_KEEP_SIZE, 0, size)
}

// Read implements Disk.
func (d *File) Read(p []byte, off int64) error {
	_, err := io.ReadFull(io.NewSectionReader(d.f, off, int64(len(p))), p)
	return err
}

// Truncate implements Disk.
func (d *File) Truncate(size int64) error {
	if err := d.f.Truncate(size); err != nil {
		return err
	}
	d.end = size
	return nil
}

// Close implements Disk: it releases what Start allocated. No write may be pending. It doesn't close the file.
func (d *File) Close() error {
	q := d.queue
	if q == nil {
		return nil
	}
	d.queue, d.asked = nil, false
	return q.close()
}
