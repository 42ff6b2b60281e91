//go:build !linux

package wire

import (
	"net"
	"syscall"
)

// inlet reads from a connection through package net.
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

// read reads at least one byte into p. If it has to wait, it may wait for certain bytes,
// which the peer must be going to send.
func (i *inlet) read(p []byte, certain int) (int, error) {
	i.level.set(certain)
	return i.conn.Read(p)
}

// VectorWriter writes byte slices to a connection with net.Buffers.
type VectorWriter struct {
	conn net.Conn
	left net.Buffers
}

func NewVectorWriter(conn net.Conn) (*VectorWriter, error) { return &VectorWriter{conn: conn}, nil }

func (w *VectorWriter) WriteAll(vec [][]byte, _ int64) (int64, error) {
	w.left = vec
	return w.left.WriteTo(w.conn)
}

// WriteNow writes nothing: net.Buffers can't write without waiting.
func (w *VectorWriter) WriteNow([][]byte) int64 { return 0 }
