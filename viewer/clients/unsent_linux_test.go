package clients

import (
	"net"
	"testing"

	"github.com/coder/websocket"
	"golang.org/x/sys/unix"

	"rsros/test/need"
)

func TestUnsentIsBounded(t *testing.T) {
	done := make(chan int, 1)
	_, url := serve(t, nil, func(c *Client, _ websocket.MessageType, _ []byte) error {
		raw, err := c.conn.Conn.(*net.TCPConn).SyscallConn()
		if err != nil {
			t.Error(err)
		}
		bytes := 0
		raw.Control(func(fd uintptr) { //nolint:errcheck // then it is 0
			bytes, _ = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT)
		})
		done <- bytes
		return nil
	})
	need.Must(t, dial(t, url).Write(t.Context(), websocket.MessageText, nil))
	if bytes := <-done; bytes != unsentBytes {
		t.Errorf("the kernel takes %d bytes that it can't send", bytes)
	}
}
