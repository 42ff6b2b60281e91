package bagstore

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// osDisk is a file of the operating system.
type osDisk struct {
	f     *os.File
	fd    int
	queue *aio // made by the first start; nil where the system refuses it
	asked bool // for the queue
	end   int64
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

func (d *osDisk) failed(err error) error { return fmt.Errorf("write %s: %w", d.f.Name(), err) }

// start writes in the ordinary way where the kernel takes no queue, as in some
// containers, or not this write.
func (d *osDisk) start(bufs [][]byte, off int64, done func(error)) {
	if !d.asked {
		d.asked = true
		d.queue, _ = newAIO(maxUnderWay)
	}
	// After a short write the rest is tried again, which also says what is wrong.
	rest := func(n int, err error) {
		if err != nil {
			done(d.failed(err))
			return
		}
		done(d.writev(dropBytes(bufs, n), off+int64(n)))
	}
	if d.queue == nil || d.grow(bufs, off) != nil || d.queue.write(d.fd, bufs, off, rest) != nil {
		rest(0, nil)
	}
}

// grow makes the file so long that it holds what is going to be written: a file
// system writes past a file's end while the caller waits.
func (d *osDisk) grow(bufs [][]byte, off int64) error {
	for _, b := range bufs {
		off += int64(len(b))
	}
	if off <= d.end {
		return nil
	}
	return d.truncate(off)
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

func (d *osDisk) truncate(size int64) error {
	if err := d.f.Truncate(size); err != nil {
		return err
	}
	d.end = size
	return nil
}

func (d *osDisk) close() error {
	var err error
	if d.queue != nil {
		err = d.queue.close()
	}
	return errors.Join(err, d.f.Close())
}

// adviseHuge asks for huge pages: the kernel has to pin every page that it
// writes past the cache. It is a wish.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
