package wire

import (
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// highWater is the level for a large message: an image comes in dozens of segments, and
// to be woken for each of them costs more than to copy it. It is what a processor's
// cache holds while the publisher goes on.
const highWater = 1 << 20

// waterLevel is how many bytes must have arrived before the reader of a socket is woken
// (SO_RCVLOWAT). The zero value leaves it at one.
type waterLevel struct {
	raw   syscall.RawConn // nil: the level stays
	now   int32
	apply func(fd uintptr)
}

func newWaterLevel(raw syscall.RawConn) waterLevel {
	if !levelGrowsBuffer() {
		return waterLevel{}
	}
	return waterLevel{raw: raw, now: 1}
}

// set sets the level to n bytes, which the other end must be going to send, or to
// highWater if that is less.
func (l *waterLevel) set(n int) {
	level := int32(min(n, highWater))
	if l.raw == nil || level == l.now {
		return
	}
	if l.apply == nil {
		l.apply = l.setNow
	}
	l.now = level
	_ = l.raw.Control(l.apply) // a closed connection tells the read
}

// setNow, like inlet's read, doesn't announce itself to Go's scheduler. Where the kernel
// refuses a level, the reader is only woken more often.
func (l *waterLevel) setNow(fd uintptr) {
	syscall.RawSyscall6(syscall.SYS_SETSOCKOPT, fd, unix.SOL_SOCKET, unix.SO_RCVLOWAT, uintptr(unsafe.Pointer(&l.now)), unsafe.Sizeof(l.now), 0) //nolint:errcheck // see above
}

// levelGrowsBuffer: since Linux 4.18 a socket's buffer grows with its level, and since 5.12
// the reader is also woken when small segments fill it before. Earlier kernels could let a
// reader wait for more than a publisher was allowed to send.
var levelGrowsBuffer = sync.OnceValue(func() bool {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return false
	}
	release := strings.Split(unix.ByteSliceToString(name.Release[:]), ".")
	if len(release) < 2 {
		return false
	}
	major, _ := strconv.Atoi(release[0])
	minor, _ := strconv.Atoi(release[1])
	return major > 5 || major == 5 && minor >= 12
})
