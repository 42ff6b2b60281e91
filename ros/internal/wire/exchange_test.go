package wire

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"rsros/test/need"
)

// TestConnectionOutlivesHandshake checks that the timeout of the handshake ends with it.
func TestConnectionOutlivesHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer ours.Close()
		go func() {
			defer theirs.Close()
			if _, err := ReadHeader(theirs); err == nil {
				theirs.Write(Header{KeyCallerID: "/a"}.AppendTo(nil)) //nolint:errcheck // shows in the answer
				time.Sleep(2 * HandshakeTime)
				theirs.Write([]byte("late")) //nolint:errcheck // shows in the read
			}
		}()
		_, err := Exchange(ours, Header{KeyCallerID: "/b"})
		need.Must(t, err)
		var b [4]byte
		if _, err := ours.Read(b[:]); err != nil || string(b[:]) != "late" {
			t.Errorf("%q, %v", b, err)
		}
	})
}
