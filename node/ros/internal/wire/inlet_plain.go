//go:build !linux || race

package wire

import (
	"net"
	"syscall"
)

// inlet reads from a connection, also under the race detector, which knows nothing of
// system calls made directly.
type inlet struct {
	conn  net.Conn
	level waterLevel
}

func newInlet(conn net.Conn) *inlet {
	i := &inlet{conn: conn}
	if socket, ok := conn.(syscall.Conn); ok {
		if raw, err := socket.SyscallConn(); err == nil {
			i.level = newWaterLevel(raw)
		}
	}
	return i
}

// read reads what has arrived into p, at least a byte. If it has to wait it may wait
// until some bytes are there, which the other end will send in any case.
func (i *inlet) read(p []byte, certain int) (int, error) {
	i.level.set(certain)
	return i.conn.Read(p)
}
