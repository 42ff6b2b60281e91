package wire

import (
	"context"
	"errors"
	"net"
	"time"
)

// HandshakeTime is the timeout of a connection handshake.
const HandshakeTime = 10 * time.Second

// Exchange sends a header and reads the peer's, within HandshakeTime. If the peer's header has an error field, Exchange
// returns it as an error. Afterwards the connection has no deadline.
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

// KeepAlive makes the kernel probe idle connections and break those to unreachable
// machines after 25 seconds. The usual default is two hours.
func KeepAlive() net.KeepAliveConfig {
	return net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}
}

// Connect connects to a topic or a service, and exchanges headers as Exchange does. The connection is
// closed when ctx ends. The caller must cancel ctx, even if it closes the connection itself.
func Connect(ctx context.Context, address string, h Header) (net.Conn, Header, error) {
	dialer := net.Dialer{Timeout: HandshakeTime, KeepAliveConfig: KeepAlive()}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, nil, err
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	answer, err := Exchange(conn, h)
	if err != nil {
		conn.Close() //nolint:errcheck // another error is returned
		return nil, nil, err
	}
	return conn, answer, nil
}
