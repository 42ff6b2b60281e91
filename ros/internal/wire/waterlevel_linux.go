package wire

import (
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// highWater is the level for large messages. An image arrives in dozens of segments, and waking up for each costs more
// than copying it. The level is small enough to stay in the processor's cache.
const highWater = 1 << 20

// waterLevel is the number of bytes that must have arrived before a socket's reader is
// woken (SO_RCVLOWAT). The zero value leaves it at one.
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

// set sets the level to the smaller of highWater and n bytes, which the peer must be going to send.
func (l *waterLevel) set(n int) {
	level := int32(min(n, highWater))
	if l.raw == nil || level == l.now {
		return
	}
	if l.apply == nil {
		l.apply = l.setNow
	}
	l.now = level
	_ = l.raw.Control(l.apply) // a read of a closed connection returns the error
}

// setNow bypasses the scheduler's accounting, like inlet. If the kernel refuses the
// level, the reader is woken more often.
func (l *waterLevel) setNow(fd uintptr) {
	syscall.RawSyscall6(unix.SYS_SETSOCKOPT, fd, unix.SOL_SOCKET, unix.SO_RCVLOWAT,
		uintptr(unsafe.Pointer(&l.now)), unsafe.Sizeof(l.now), 0)
}

// levelGrowsBuffer reports whether a level is safe. Since Linux 4.18 a socket's buffer grows with its level, and since
// 5.12 the reader is also woken when small segments fill the buffer. With earlier kernels a reader could wait for more
// than the publisher was allowed to send.
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
