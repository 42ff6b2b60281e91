package wire

import (
	"io"
	"net"
	"syscall"
)

// VectorWriter writes byte slices to a connection, all of them with one writev if the socket's buffer has room.
//
// Unlike net.Buffers, it can write without waiting, and its system calls are direct.
type VectorWriter struct {
	raw  syscall.RawConn
	vec  []syscall.Iovec // memory of writev's vector
	left [][]byte        // what isn't written of the current one
	done int64           // written bytes of it
	err  error

	// Kept, so that a write allocates nothing.
	step, once func(fd uintptr) bool
}

// NewVectorWriter returns a writer to a connection that has a socket.
func NewVectorWriter(conn net.Conn) (*VectorWriter, error) {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return nil, syscall.ENOTSUP
	}
	raw, err := socket.SyscallConn()
	w := &VectorWriter{raw: raw}
	w.step = w.write
	w.once = func(fd uintptr) bool { w.write(fd); return true }
	return w, err
}

// WriteAll writes vec without its first skip bytes. It waits while the socket's buffer is full, and changes vec.
func (w *VectorWriter) WriteAll(vec [][]byte, skip int64) (int64, error) {
	return w.run(vec, skip, w.step)
}

// WriteNow writes as much as the socket's buffer has room for, and changes vec. The next WriteAll returns any error.
func (w *VectorWriter) WriteNow(vec [][]byte) int64 {
	n, _ := w.run(vec, 0, w.once)
	return n
}

func (w *VectorWriter) run(vec [][]byte, skip int64, step func(fd uintptr) bool) (int64, error) {
	w.left, w.err = vec, nil
	w.consume(int(skip))
	w.done = 0
	err := w.raw.Write(step)
	w.left = nil
	if w.err != nil {
		err = w.err
	}
	return w.done, err
}

// write writes without waiting. It returns false if the socket's buffer is full.
func (w *VectorWriter) write(fd uintptr) bool {
	for len(w.left) > 0 {
		switch n, err := w.writev(fd); {
		case n > 0:
			w.consume(n)
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			return false
		case err != nil:
			w.err = err
			return true
		default:
			w.err = io.ErrUnexpectedEOF
			return true
		}
	}
	return true
}

// consume drops n written bytes, and empty slices, from the front.
func (w *VectorWriter) consume(n int) {
	w.done += int64(n)
	for len(w.left) > 0 && n >= len(w.left[0]) {
		n -= len(w.left[0])
		w.left = w.left[1:]
	}
	if n > 0 {
		w.left[0] = w.left[0][n:]
	}
}
