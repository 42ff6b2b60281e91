package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
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

// KeepAlive makes the kernel probe idle connections and break those to unreachable
// machines after 25 seconds. The usual default is two hours.
func KeepAlive() net.KeepAliveConfig {
	return net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}
}

// Dialer returns a dialer for topics and services.
func Dialer() *net.Dialer {
	return &net.Dialer{Timeout: HandshakeTime, KeepAliveConfig: KeepAlive()}
}

// DialService connects to a service at the address that the master returned.
func DialService(ctx context.Context, uri string) (net.Conn, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "rosrpc" || u.Port() == "" {
		return nil, fmt.Errorf("the master answers %q, want rosrpc://host:port", uri)
	}
	return Dialer().DialContext(ctx, "tcp", u.Host)
}

// Probe returns the header of the service at uri without calling it.
func Probe(ctx context.Context, uri, caller, service string) (Header, error) {
	conn, err := DialService(ctx, uri)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	return Exchange(conn, Header{KeyCallerID: caller, KeyService: service, KeyMD5: "*", "probe": "1"})
}
