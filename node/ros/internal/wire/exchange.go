package wire

import (
	"errors"
	"net"
	"time"
)

// HandshakeTime is the timeout of a connection handshake.
const HandshakeTime = 10 * time.Second

// Exchange sends a header and reads the peer's, within HandshakeTime. If the peer's
// header has an error field, Exchange returns it as an error. Afterwards the connection
// has no deadline.
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
