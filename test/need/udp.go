package need

import (
	"net"
	"runtime"
	"testing"
)

// NotOnWindows fails the test if there is an error, and on Windows ends it.
func NotOnWindows(t testing.TB, err error) {
	t.Helper()
	switch {
	case err == nil:
	case runtime.GOOS == "windows":
		t.Skip(err)
	default:
		t.Fatal(err)
	}
}

// UDP ends the test where there are no UDP sockets: wine's have no SIO_UDP_NETRESET, which
// Go sets on Windows.
func UDP(t testing.TB) {
	t.Helper()
	c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err == nil {
		err = c.Close()
	}
	NotOnWindows(t, err)
}
