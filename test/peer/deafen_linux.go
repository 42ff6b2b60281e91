package peer

import (
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"rsros/test/need"
)

// Deafen drops every packet that arrives on conn, also in the kernel, as if the machine
// were unplugged.
func Deafen(t testing.TB, conn syscall.Conn) {
	t.Helper()
	raw, err := conn.SyscallConn()
	need.Must(t, err)
	nothing := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K}}
	if failed := raw.Control(func(fd uintptr) {
		err = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &nothing[0]})
	}); failed != nil || err != nil {
		t.Fatal(failed, err)
	}
}
