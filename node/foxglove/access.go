package foxglove

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"rsros/node/guard"
)

// DefaultAddress is where Foxglove and Lichtblick look first.
const DefaultAddress = "127.0.0.1:8765"

// Access says where clients connect and who may.
type Access struct {
	// Address is host:port to listen on; "" means not at all. Port 0 is any.
	Address string
	// Origins are those of other web pages that may connect, such as
	// https://app.foxglove.dev.
	Origins []string
	// ViewOnly lets nobody publish, call services, set parameters or control playback.
	ViewOnly bool
}

// Listener serves clients on a port of its own.
type Listener struct {
	server *Server
	http   *http.Server
	ended  chan struct{}
	url    string
}

// Listen serves clients until Close, which also closes the server. An address that
// other machines can reach needs a token, which is part of the URL.
func Listen(a Access, o Options) (*Listener, error) {
	l, err := net.Listen("tcp", a.Address)
	if err != nil {
		return nil, fmt.Errorf("listen for Foxglove: %w", err)
	}
	if !a.ViewOnly {
		o.Control = func(*http.Request) bool { return true }
	}
	who := guard.Options{Origins: a.Origins, Programs: true}
	address := l.Addr().(*net.TCPAddr)
	u := url.URL{Scheme: "ws", Host: address.String()}
	if !address.IP.IsLoopback() {
		who.Token = guard.NewToken()
		u.RawQuery = url.Values{"token": {who.Token}}.Encode()
	}
	s := &Listener{server: New(o), url: u.String(), ended: make(chan struct{})}
	s.http = &http.Server{Handler: guard.Wrap(who, s.server), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	go func() {
		defer close(s.ended)
		s.http.Serve(l) //nolint:errcheck // ends with ErrServerClosed
	}()
	return s, nil
}

// URL is what clients connect to, with the token if there is one.
func (l *Listener) URL() string { return l.url }

// Drain waits until the clients have been sent what waits for them, up to a time. A nil
// Listener has no clients.
func (l *Listener) Drain(ctx context.Context, most time.Duration) {
	if l == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	l.server.Drain(ctx) //nolint:errcheck // it was tried
}

// Close disconnects all clients and frees the port. It may be called often, and of a
// nil Listener.
func (l *Listener) Close() {
	if l == nil {
		return
	}
	l.http.Close() //nolint:errcheck // closes the listener
	<-l.ended
	l.server.Close()
}
