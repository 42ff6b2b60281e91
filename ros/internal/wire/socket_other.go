//go:build !linux

package wire

import (
	"net"
	"time"
)

// inlet reads from a connection through package net.
type inlet struct{ conn net.Conn }

func newInlet(conn net.Conn) *inlet { return &inlet{conn} }

// read reads at least one byte into p. The number of bytes to wait for is used on Linux only.
func (i *inlet) read(p []byte, _ int) (int, error) { return i.conn.Read(p) }

// VectorWriter writes byte slices to a connection with net.Buffers.
type VectorWriter struct {
	conn net.Conn
	left net.Buffers
}

// NewVectorWriter returns a writer to a connection.
func NewVectorWriter(conn net.Conn) (*VectorWriter, error) { return &VectorWriter{conn: conn}, nil }

// WriteAll writes vec. There is nothing to skip, because WriteNow writes nothing.
func (w *VectorWriter) WriteAll(vec [][]byte, _ int64) (int64, error) {
	w.left = vec
	return w.left.WriteTo(w.conn)
}

// WriteNow writes nothing: net.Buffers can't write without waiting.
func (w *VectorWriter) WriteNow([][]byte) int64 { return 0 }

// Unanswered is implemented for Linux only. Elsewhere the kernel breaks connections to
// unreachable machines after some minutes.
func Unanswered(net.Conn, time.Duration) bool { return false }
