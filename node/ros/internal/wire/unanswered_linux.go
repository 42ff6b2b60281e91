package wire

import (
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// unansweredProbes is how many questions for room in a row tell that nobody is there to
// answer them. The kernel asks a program that doesn't read ever more rarely, and
// counts only while no answer comes.
const unansweredProbes = 3

// Unanswered tells whether the other end's kernel owes an answer to what was sent, and
// has said nothing for at least d. A program that doesn't read, or that was stopped,
// leaves that to its kernel, which answers. Keep-alive doesn't find a machine that
// went away while something is to be sent, and TCP_USER_TIMEOUT ends connections to
// programs that don't read.
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
	if raw.Control(func(fd uintptr) { info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) }) != nil || err != nil {
		return false
	}
	heard := time.Duration(info.Last_ack_recv) * time.Millisecond
	return info.Unacked > 0 && heard >= d || info.Probes >= unansweredProbes
}
