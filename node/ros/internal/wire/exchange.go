package wire

import (
	"errors"
	"net"
	"time"
)

// HandshakeTime is how long a peer has for its connection header.
const HandshakeTime = 10 * time.Second

// Exchange sends a header and reads the other end's, which may be an error. Both
// together may take HandshakeTime; the connection has no deadline afterwards.
func Exchange(conn net.Conn, h Header) (Header, error) {
	if err := conn.SetDeadline(time.Now().Add(HandshakeTime)); err != nil {
		return nil, err
	}
	if _, err := conn.Write(h.AppendTo(nil)); err != nil {
		return nil, err
	}
	answer, err := ReadHeader(conn)
	if err != nil {
		return nil, err
	}
	if reason := answer[KeyError]; reason != "" {
		return nil, errors.New("refused: " + reason)
	}
	return answer, conn.SetDeadline(time.Time{})
}
