package wire

import (
	"fmt"
	"io"
	"net"
	"syscall"
)

// inlet reads from a connection, of a socket with direct system calls.
type inlet struct {
	conn  net.Conn
	raw   syscall.RawConn // nil: conn has no socket
	level waterLevel

	p    []byte // destination of the current read
	n    int
	err  error
	step func(fd uintptr) bool // kept, so that a read allocates nothing
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

// mostAtOnce is the size limit of a read in bytes: the garbage collector may have to wait for it.
const mostAtOnce = 1 << 20

// read reads at least one byte into p. If it has to wait, it may wait for certain bytes,
// which the peer must be going to send.
func (i *inlet) read(p []byte, certain int) (int, error) {
	if i.raw == nil || len(p) == 0 {
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
		switch n, err := read(fd, i.p); {
		case n > 0:
			i.n = n
			return true
		case err == nil:
			i.err = io.EOF
			return true
		case err == syscall.EAGAIN:
			return false
		case err != syscall.EINTR:
			i.err = fmt.Errorf("read from %s: %w", i.conn.RemoteAddr(), err)
			return true
		}
	}
}
