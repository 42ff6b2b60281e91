package wire

import (
	"context"
	"fmt"
	"net"
	"net/url"
)

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
