package foxglove

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
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
	guard := &guard{next: New(o), origins: a.Origins}
	address := l.Addr().(*net.TCPAddr)
	guard.loopback = address.IP.IsLoopback()
	u := url.URL{Scheme: "ws", Host: address.String()}
	if !guard.loopback {
		guard.token = rand.Text()
		u.RawQuery = url.Values{"token": {guard.token}}.Encode()
	}
	s := &Listener{server: guard.next, url: u.String(), ended: make(chan struct{})}
	s.http = &http.Server{Handler: guard, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	go func() {
		defer close(s.ended)
		s.http.Serve(l) //nolint:errcheck // ends with ErrServerClosed
	}()
	return s, nil
}

// URL is what clients connect to, with the token if there is one.
func (l *Listener) URL() string { return l.url }

// Server is what serves the clients.
func (l *Listener) Server() *Server { return l.server }

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

// guard lets in those that the user trusts: programs of this machine and pages that they
// show, pages that were named, and whoever has the token.
type guard struct {
	next     *Server
	loopback bool
	origins  []string
	token    string // "" if none is needed
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if status, err := g.check(r); err != nil {
		http.Error(w, err.Error(), status)
		return
	}
	g.next.ServeHTTP(w, r)
}

func (g *guard) check(r *http.Request) (status int, err error) {
	if g.token != "" && subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("token")), []byte(g.token)) != 1 {
		return http.StatusUnauthorized, errors.New("the token that the program printed is missing")
	}
	// A name that somebody else's DNS lets point to this machine is no name of it.
	if g.loopback && !loopbackName(r.Host) {
		return http.StatusForbidden, fmt.Errorf("the host %q isn't this machine", r.Host)
	}
	if origin := r.Header.Get("Origin"); !g.trusts(origin, r.Host) {
		return http.StatusForbidden, fmt.Errorf("pages of %q may not connect", origin)
	}
	return 0, nil
}

// trusts tells whether pages of an origin may connect. Programs send none, and
// desktop applications that of a file.
func (g *guard) trusts(origin, host string) bool {
	switch {
	case origin == "", origin == "file://", slices.Contains(g.origins, origin):
		return true
	}
	_, from, _ := strings.Cut(origin, "://")
	return from == host
}

func loopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback()
}
