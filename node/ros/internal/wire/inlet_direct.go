//go:build linux && !race

package wire

import (
	"fmt"
	"io"
	"net"
	"syscall"
	"unsafe"
)

// inlet reads from a connection. Like VectorWriter, it bypasses the scheduler's system
// call accounting, because reading from a non-blocking socket can't block.
type inlet struct {
	conn  net.Conn
	raw   syscall.RawConn // nil: conn has no socket
	level waterLevel

	p    []byte // destination of the current read
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

// mostAtOnce is the size limit of a read in bytes: the garbage collector may have to
// wait for it.
const mostAtOnce = 1 << 20

// read reads at least one byte into p. If it has to wait, it may wait for certain bytes,
// which the peer must be going to send.
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

// readNow reads without waiting. It returns false if the socket has no data.
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
