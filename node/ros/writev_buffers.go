//go:build !linux || race

package ros

import "net"

// vectorWriter writes byte slices to a connection with net.Buffers, also under the
// race detector, which knows nothing of system calls made directly.
type vectorWriter struct {
	conn net.Conn
	left net.Buffers
}

func newVectorWriter(conn net.Conn) (*vectorWriter, error) { return &vectorWriter{conn: conn}, nil }

func (w *vectorWriter) writeAll(vec [][]byte, _ int64) (int64, error) {
	w.left = vec
	return w.left.WriteTo(w.conn)
}

// writeNow can't be done without waiting: all is left to writeAll.
func (w *vectorWriter) writeNow([][]byte) int64 { return 0 }
