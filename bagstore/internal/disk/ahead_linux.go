package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"rsros/program/buffers"
)

// coldFile is a ColdFile on an operating system file, opened twice.
type coldFile struct {
	*os.File          // read through the page cache
	direct   *os.File // read past the page cache
	queue    *aio     // created by the first read
	resident []byte   // for Cached
}

// AheadCall describes how large files are read ahead on this machine.
func AheadCall() string {
	q, err := newAIO(1)
	if err != nil {
		return "no: files are read through the page cache, because io_setup fails: " + err.Error()
	}
	_ = q.close()
	return "yes: O_DIRECT, with io_submit"
}

// OpenAhead returns an Ahead for an open file of any size, or nil if it can't be read past
// the page cache. The caller closes f.
func OpenAhead(f *os.File, size int64, always bool) *Ahead {
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || size == 0 {
		return nil
	}
	// O_NONBLOCK: a named pipe that replaced the file must not block.
	direct, err := os.OpenFile(f.Name(), os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	same, err := direct.Stat()
	if err == nil && os.SameFile(st, same) {
		if _, err = SetDirect(direct); err == nil {
			return NewAhead(&coldFile{File: f, direct: direct}, size, aheadBlock, always)
		}
	}
	direct.Close() //nolint:errcheck // nothing was read
	return nil
}

func (c *coldFile) Start(p []byte, off int64, done func(n int, err error)) (err error) {
	if c.queue == nil {
		if c.queue, err = newAIO(aheadSlots); err != nil {
			return err
		}
	}
	return c.queue.start(iocbPreadv, int(c.direct.Fd()), [][]byte{p}, off, done)
}

func (c *coldFile) Close() error {
	var err error
	if c.queue != nil {
		err = c.queue.close()
		<-c.queue.ended
	}
	return errors.Join(err, c.direct.Close())
}

// newPages returns memory outside the heap, unless the system refuses it.
func newPages(n int) pages {
	mapping, err := unix.Mmap(-1, 0, n+buffers.HugePage, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return pages{bytes: buffers.Aligned(n, buffers.HugePage)}
	}
	return pages{buffers.Align(mapping, n, buffers.HugePage), mapping}
}
