package websocket

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

func TestUnsentIsBounded(t *testing.T) {
	done := make(chan int, 1)
	dial(t, serve(t, Options{Unsent: 128 << 10}, func(c *Conn) {
		raw, err := c.conn.(*net.TCPConn).SyscallConn()
		if err != nil {
			t.Error(err)
		}
		bytes := 0
		raw.Control(func(fd uintptr) { //nolint:errcheck // then it is 0
			bytes, _ = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT)
		})
		done <- bytes
	}))
	if bytes := <-done; bytes != 128<<10 {
		t.Errorf("the kernel takes %d bytes that it can't send", bytes)
	}
}
