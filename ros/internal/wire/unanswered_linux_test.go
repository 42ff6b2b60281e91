package wire

import (
	"net"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rsros/test/need"
	"rsros/test/peer"
)

// control runs f on a connection's socket.
func control(t *testing.T, conn syscall.Conn, f func(fd int) error) {
	t.Helper()
	raw, err := conn.SyscallConn()
	need.Must(t, err)
	inner := error(nil)
	if err := raw.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil || inner != nil {
		t.Fatal(err, inner)
	}
}

// fill writes until the socket buffer is full.
func fill(t *testing.T, conn net.Conn) {
	t.Helper()
	for block := make([]byte, 1<<20); ; {
		conn.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)) //nolint:errcheck // the write shows it
		if _, err := conn.Write(block); err != nil {
			return
		}
	}
}

// Data sent to a machine that went away stay unacknowledged.
func TestUnanswered(t *testing.T) {
	ours, theirs := connected(t)
	if Unanswered(ours, 0) {
		t.Error("nothing was sent, and nothing answered")
	}
	peer.Deafen(t, theirs)
	if _, err := ours.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	peer.Await(t, "silence", func() bool { return Unanswered(ours, 300*time.Millisecond) })
}

// The kernel of a program that doesn't read acknowledges data, until its machine goes away.
func TestUnreadIsAnswered(t *testing.T) {
	ours, theirs := connected(t)
	peer.Await(t, "a full window", func() bool {
		fill(t, ours)
		full := false
		control(t, ours, func(fd int) error {
			info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
			full = err == nil && info.Unacked == 0 && info.Notsent_bytes > 0
			return err
		})
		return full
	})
	if Unanswered(ours, 0) {
		t.Error("a program that doesn't read counts as gone")
	}
	peer.Deafen(t, theirs)
	peer.Await(t, "silence", func() bool { return Unanswered(ours, time.Hour) })
}
