//go:build !linux

package wire

import (
	"net"
	"time"
)

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

// waterLevel leaves the level as it is.
type waterLevel struct{}

func newWaterLevel(net.Conn) *waterLevel { return nil }

func (*waterLevel) set(int) {}

// Unanswered is implemented for Linux only. Elsewhere the kernel breaks connections to
// unreachable machines after some minutes.
func Unanswered(net.Conn, time.Duration) bool { return false }
