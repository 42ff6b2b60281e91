package peer

import (
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Deafen makes a connection hear nothing any more: its kernel answers nothing that
// arrives, as if its machine were unplugged.
func Deafen(t testing.TB, conn syscall.Conn) {
	t.Helper()
	raw, err := conn.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	nothing := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K}}
	if failed := raw.Control(func(fd uintptr) {
		err = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &nothing[0]})
	}); failed != nil || err != nil {
		t.Fatal(failed, err)
	}
}
