package wire

import (
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// unansweredProbes is the number of successive unanswered zero-window probes after which a machine counts as gone. The
// kernel probes a program that doesn't read ever more rarely, and counts only unanswered probes.
const unansweredProbes = 3

// Unanswered reports whether the peer's kernel hasn't acknowledged sent data for at least d. The kernel acknowledges
// even for a program that doesn't read or is stopped. Keep-alive doesn't detect an unreachable machine while data is
// unsent, and TCP_USER_TIMEOUT would break connections to programs that don't read.
func Unanswered(conn net.Conn, d time.Duration) bool {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	var info *unix.TCPInfo
	if raw.Control(func(fd uintptr) {
		info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
	}) != nil || err != nil {
		return false
	}
	heard := time.Duration(info.Last_ack_recv) * time.Millisecond
	return info.Unacked > 0 && heard >= d || info.Probes >= unansweredProbes
}
