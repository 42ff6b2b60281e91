package disk

import (
	"errors"
	"os"
	"slices"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// aio is a queue of asynchronous writes or reads (Linux AIO). A thread that blocks in a system call
// would cost a Go program more than the write, because the runtime's monitor thread wakes up
// (docs/internals/decisions/0008). Many containers refuse io_uring.
type aio struct {
	context uintptr
	event   *os.File // eventfd: counts completed requests
	eventFD int
	ended   chan struct{} // closed when the kernel has destroyed the queue

	mu    sync.Mutex
	slots []aioRequest
}

// aioRequest is a pending request. It keeps what the kernel uses alive and in place.
type aioRequest struct {
	bufs    [][]byte
	done    func(n int, err error) // nil: the slot is free
	vec     []unix.Iovec
	request iocb
}

// iocb and ioEvent are struct iocb and struct io_event of linux/aio_abi.h.
type iocb struct {
	data   uint64 // comes back in the event
	_      uint64
	opcode uint16
	_      int16
	fd     uint32
	buf    uint64 // address of iovecs
	nbytes uint64 // how many there are
	offset int64
	_      uint64
	flags  uint32
	event  uint32
}

type ioEvent struct {
	data, _ uint64
	result  int64 // bytes, or a negative errno
	_       int64
}

const (
	iocbPreadv      = 7
	iocbPwritev     = 8
	iocbFlagEventFD = 1
)

// newAIO returns a queue for at most depth concurrent requests. The system may refuse it.
func newAIO(depth int) (*aio, error) {
	q := &aio{slots: make([]aioRequest, depth), ended: make(chan struct{})}
	if _, _, errno := unix.Syscall(unix.SYS_IO_SETUP, uintptr(depth), uintptr(unsafe.Pointer(&q.context)), 0); errno != 0 {
		return nil, errno
	}
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		q.destroy()
		return nil, err
	}
	q.eventFD, q.event = fd, os.NewFile(uintptr(fd), "eventfd")
	conn, err := q.event.SyscallConn()
	if err != nil {
		q.destroy()
		return nil, errors.Join(err, q.event.Close())
	}
	go q.reap(conn)
	return q, nil
}

// start starts a write (iocbPwritev) or a read (iocbPreadv). Unless start returns an error,
// done is called from another goroutine with the number of bytes written or read.
func (q *aio) start(opcode uint16, fd int, bufs [][]byte, off int64, done func(n int, err error)) error {
	slot, err := q.take(opcode, fd, bufs, off, done)
	if err != nil {
		return err
	}
	request := &q.slots[slot].request
	if _, _, errno := unix.Syscall(unix.SYS_IO_SUBMIT, q.context, 1, uintptr(unsafe.Pointer(&request))); errno != 0 {
		q.give(slot)
		return errno
	}
	return nil
}

var errQueueFull = errors.New("too many pending requests")

func (q *aio) take(opcode uint16, fd int, bufs [][]byte, off int64, done func(n int, err error)) (slot int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	slot = slices.IndexFunc(q.slots, func(w aioRequest) bool { return w.done == nil })
	if slot < 0 {
		return 0, errQueueFull
	}
	w := &q.slots[slot]
	w.bufs, w.done, w.vec = bufs, done, w.vec[:0]
	for _, b := range bufs {
		if len(b) > 0 {
			w.vec = append(w.vec, unix.Iovec{Base: unsafe.SliceData(b)})
			w.vec[len(w.vec)-1].SetLen(len(b))
		}
	}
	w.request = iocb{
		data: uint64(slot), opcode: opcode, fd: uint32(fd), offset: off, flags: iocbFlagEventFD, event: uint32(q.eventFD),
		buf: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(w.vec)))), nbytes: uint64(len(w.vec)),
	}
	return slot, nil
}

func (q *aio) give(slot int) (done func(n int, err error)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := &q.slots[slot]
	done = w.done
	clear(w.vec)
	w.done, w.bufs = nil, nil
	return done
}

// reap collects completed requests and calls their done functions, until close. Its system
// calls don't block, so they bypass the scheduler's accounting.
func (q *aio) reap(conn syscall.RawConn) {
	defer close(q.ended)
	defer q.destroy()
	events := make([]ioEvent, len(q.slots))
	var count [8]byte
	// Read fails when the file is closed.
	_ = conn.Read(func(fd uintptr) bool {
		// An error means that there is nothing to read.
		unix.RawSyscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(&count)), unsafe.Sizeof(count))
		n, _, errno := unix.RawSyscall6(unix.SYS_IO_GETEVENTS, q.context, 0, uintptr(len(events)),
			uintptr(unsafe.Pointer(&events[0])), 0, 0)
		if errno == 0 {
			q.finish(events[:n])
		}
		return false // wait for more
	})
}

func (q *aio) finish(events []ioEvent) {
	for _, e := range events {
		done := q.give(int(e.data))
		if e.result < 0 {
			done(0, unix.Errno(-e.result))
		} else {
			done(int(e.result), nil)
		}
	}
}

// close ends reap. No request may be pending. It doesn't wait for the kernel to destroy the
// queue, which takes some 30 ms; ended is closed then.
func (q *aio) close() error { return q.event.Close() }

// destroy ignores an error, about which nothing could be done.
func (q *aio) destroy() { unix.Syscall(unix.SYS_IO_DESTROY, q.context, 0, 0) }
