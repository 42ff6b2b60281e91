//go:build !linux || race

package wire

import "net"

// VectorWriter writes byte slices to a connection with net.Buffers. The race detector
// needs that: it doesn't see direct system calls.
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
