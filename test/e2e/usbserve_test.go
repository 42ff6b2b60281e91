//go:build unix

package e2e

import (
	"encoding/binary"
	"io"
	"net"
	"regexp"
	"syscall"
	"testing"
	"time"

	"rsros/test/need"
	"rsros/test/peer"
)

// TestUSBServeSignals unplugs and replugs cameras by signals, as seen by a host.
func TestUSBServeSignals(t *testing.T) {
	t.Parallel()
	p := peer.Start(t, peer.Env(t, ""), peer.Program(t), "usb-serve", "--device", "sim", "--device", "sim:7", "--listen", "127.0.0.1:0")
	var address []string
	peer.Await(t, "the address", func() bool {
		address = regexp.MustCompile(`address=(127\.0\.0\.1:\d+)`).FindStringSubmatch(p.Output())
		return address != nil || p.Ended()
	})
	if address == nil {
		t.Fatal("no address")
	}
	// ask returns the connection, and the start of the server's answer.
	ask := func(op byte, busID string, answer []byte) net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", address[1])
		need.Must(t, err)
		t.Cleanup(func() { conn.Close() })
		request := []byte{1, 0x11, 0x80, op, 0, 0, 0, 0}
		if busID != "" {
			request = append(request, append([]byte(busID), make([]byte, 32-len(busID))...)...)
		}
		need.Must(t, conn.SetDeadline(time.Now().Add(peer.Patience)))
		if _, err := conn.Write(request); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(conn, answer); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	listed := func() uint32 {
		var head [12]byte
		ask(5, "", head[:]).Close()
		return binary.BigEndian.Uint32(head[8:])
	}
	imported := func() (conn net.Conn, status byte) {
		var head [8]byte
		conn = ask(3, "1-2", head[:])
		return conn, head[7]
	}

	if n := listed(); n != 2 {
		t.Errorf("%d cameras", n)
	}
	host, status := imported()
	if status != 0 {
		t.Fatalf("status %d", status)
	}
	p.Signal(syscall.SIGUSR1)
	if _, err := io.Copy(io.Discard, host); err != nil { // the rest of the answer, and the end
		t.Errorf("the camera's connection: %v", err)
	}
	peer.Await(t, "no camera", func() bool { return listed() == 0 })
	if _, status := imported(); status != 4 {
		t.Errorf("a camera that is pulled out answers with status %d", status)
	}
	p.Signal(syscall.SIGUSR2)
	peer.Await(t, "both cameras", func() bool { return listed() == 2 })
	if _, status := imported(); status != 0 {
		t.Errorf("a camera that was plugged in again answers with status %d", status)
	}
	if code := p.Interrupt(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
