package need

import (
	"net"
	"runtime"
	"testing"
)

// UDP ends the test where there are no UDP sockets: wine's have no SIO_UDP_NETRESET, which
// Go sets on Windows.
func UDP(t testing.TB) {
	t.Helper()
	c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err == nil {
		err = c.Close()
	}
	if err != nil && runtime.GOOS == "windows" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}
