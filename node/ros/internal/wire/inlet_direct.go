//go:build linux && !race

package wire

import (
	"fmt"
	"io"
	"net"
	"syscall"
	"unsafe"
)

// inlet reads from a connection. Like VectorWriter it doesn't announce to Go's scheduler
// that the copy out of the socket may block: it can't.
type inlet struct {
	conn  net.Conn
	raw   syscall.RawConn // nil: conn has no socket
	level waterLevel

	p    []byte // of the present read
	n    int
	err  error
	step func(fd uintptr) bool
}

func newInlet(conn net.Conn) *inlet {
	i := &inlet{conn: conn}
	if socket, ok := conn.(syscall.Conn); ok {
		if raw, err := socket.SyscallConn(); err == nil {
			i.raw, i.level = raw, newWaterLevel(raw)
			i.step = i.readNow
		}
	}
	return i
}

// mostAtOnce bounds a read in bytes: the garbage collector may wait for it.
const mostAtOnce = 1 << 20

// read reads what has arrived into p, at least a byte. If it has to wait it may wait
// until some bytes are there, which the other end will send in any case.
func (i *inlet) read(p []byte, certain int) (int, error) {
	if i.raw == nil {
		return i.conn.Read(p)
	}
	i.level.set(certain)
	i.p, i.n, i.err = p[:min(len(p), mostAtOnce)], 0, nil
	err := i.raw.Read(i.step)
	i.p = nil
	if i.err != nil {
		err = i.err
	}
	return i.n, err
}

// readNow is called when the socket may have something; true ends the waiting.
func (i *inlet) readNow(fd uintptr) bool {
	for {
		n, _, errno := syscall.RawSyscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(unsafe.SliceData(i.p))), uintptr(len(i.p)))
		switch errno {
		case 0:
			if i.n = int(n); n == 0 {
				i.err = io.EOF
			}
			return true
		case syscall.EINTR:
		case syscall.EAGAIN:
			return false
		default:
			i.err = fmt.Errorf("read from %s: %w", i.conn.RemoteAddr(), errno)
			return true
		}
	}
}
