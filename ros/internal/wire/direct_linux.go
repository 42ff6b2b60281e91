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

// mostAtOnce is the size limit of a read in bytes: the garbage collector may have to wait for it.
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
		n, _, errno := syscall.RawSyscall(syscall.SYS_READ, fd,
			uintptr(unsafe.Pointer(unsafe.SliceData(i.p))), uintptr(len(i.p)))
		switch errno {
		case 0:
			if i.n = int(n); n == 0 {
				i.err = io.EOF
			}
			received(fd, i.p[:i.n])
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

// VectorWriter writes byte slices to a TCP connection with writev.
//
// It differs from net.Buffers in two ways. It doesn't allocate, and it bypasses the scheduler's system call accounting.
// Writing to a non-blocking socket can't block, and the accounting wakes the runtime's monitor thread for every image,
// which costs more than a tenth of the copy into the socket (half a millisecond for an image).
type VectorWriter struct {
	raw  syscall.RawConn
	all  []syscall.Iovec // the current vector
	left []syscall.Iovec // its unwritten part
	done int64           // written bytes of the current vector
	err  error
	step func(fd uintptr) bool
	once func(fd uintptr) bool
}

func NewVectorWriter(conn net.Conn) (*VectorWriter, error) {
	tcp, ok := conn.(syscall.Conn)
	if !ok {
		return nil, syscall.ENOTSUP
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil, err
	}
	w := &VectorWriter{raw: raw}
	w.step = w.write
	w.once = func(fd uintptr) bool { w.write(fd); return true }
	return w, nil
}

// WriteAll writes vec without its first skip bytes. It waits while the socket's buffer is full.
func (w *VectorWriter) WriteAll(vec [][]byte, skip int64) (int64, error) {
	return w.run(vec, skip, w.step)
}

// WriteNow writes as much as the socket's buffer has room for. The next WriteAll returns any error.
func (w *VectorWriter) WriteNow(vec [][]byte) int64 {
	n, _ := w.run(vec, 0, w.once)
	return n
}

func (w *VectorWriter) run(vec [][]byte, skip int64, step func(fd uintptr) bool) (int64, error) {
	w.all, w.err = w.all[:0], nil
	for _, b := range vec {
		if len(b) > 0 {
			v := syscall.Iovec{Base: &b[0]}
			v.SetLen(len(b))
			w.all = append(w.all, v)
		}
	}
	w.left = w.all
	w.consume(int(skip))
	w.done = 0
	err := w.raw.Write(step)
	w.left = nil
	clear(w.all) // for the garbage collector
	if w.err != nil {
		err = w.err
	}
	return w.done, err
}

// write writes without waiting. It returns false if the socket's buffer is full.
func (w *VectorWriter) write(fd uintptr) bool {
	for len(w.left) > 0 {
		sending(fd, w.left)
		n, _, errno := syscall.RawSyscall(syscall.SYS_WRITEV, fd, uintptr(unsafe.Pointer(&w.left[0])), uintptr(len(w.left)))
		switch errno {
		case 0:
			if n == 0 {
				w.err = io.ErrUnexpectedEOF
				return true
			}
			w.consume(int(n))
		case syscall.EINTR:
		case syscall.EAGAIN:
			return false
		default:
			w.err = errno
			return true
		}
	}
	return true
}

// consume drops n written bytes from the front.
func (w *VectorWriter) consume(n int) {
	w.done += int64(n)
	for n > 0 {
		v := &w.left[0]
		if size := int(v.Len); n >= size {
			n -= size
			w.left = w.left[1:]
			continue
		}
		v.Base = (*byte)(unsafe.Add(unsafe.Pointer(v.Base), n))
		v.SetLen(int(v.Len) - n)
		n = 0
	}
}
