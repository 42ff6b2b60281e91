package view

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"rsros/node/guard"
)

// Access says where viewers connect and who may.
type Access struct {
	Address    string   // host:port to listen on; "" means not at all; port 0 is a free one
	AllowHosts []string // see guard.Options
	Origins    []string // see guard.Options
	NoAuth     bool     // no token, although other machines can connect
}

// DefaultAddress is where a node serves its viewers unless told otherwise.
const DefaultAddress = "127.0.0.1:8090"

// Limits of HTTP: a stranger may be slow, but not for ever.
const (
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	maxHeader  = 16 << 10
)

// Listener serves viewers on a port of its own.
type Listener struct {
	server *Server
	http   *http.Server
	url    string
	ended  chan struct{}
	err    error // set before ended
}

// Listen serves viewers of s until Close. An address that other machines can reach needs
// a token, which is part of the URL.
func Listen(a Access, s *Server) (*Listener, error) {
	tcp, err := net.Listen("tcp", a.Address)
	if err != nil {
		return nil, fmt.Errorf("listen for viewers: %w", err)
	}
	l := &Listener{server: s, url: "http://" + tcp.Addr().String() + "/", ended: make(chan struct{})}
	who := guard.Options{Hosts: a.AllowHosts, Origins: a.Origins}
	if at := tcp.Addr().(*net.TCPAddr); !at.IP.IsLoopback() {
		host, _, _ := net.SplitHostPort(a.Address) // Listen has taken it
		if at.IP.IsUnspecified() {
			host, _ = os.Hostname() // an empty one can be replaced by an address
		}
		who.Hosts = append(who.Hosts, host)
		l.url = fmt.Sprintf("http://%s/", net.JoinHostPort(host, fmt.Sprint(at.Port)))
		if !a.NoAuth {
			who.Token = guard.NewToken()
			l.url += "?token=" + who.Token
		}
	}
	l.http = &http.Server{Handler: guard.Wrap(who, s), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader}
	go func() {
		defer close(l.ended)
		if err := l.http.Serve(tcp); !errors.Is(err, http.ErrServerClosed) {
			l.err = fmt.Errorf("serve viewers: %w", err)
		}
	}()
	return l, nil
}

// URL is what a browser opens, with the token if there is one.
func (l *Listener) URL() string { return l.url }

// Wait returns when ctx ends, or the listener fails.
func (l *Listener) Wait(ctx context.Context) error {
	select {
	case <-l.ended:
		return l.err
	case <-ctx.Done():
		return nil
	}
}

// Close disconnects all viewers, frees the port and closes the server. It may be called
// often.
func (l *Listener) Close() error {
	err := l.server.Close() // viewers first: their connections are no longer the HTTP server's
	err = errors.Join(err, l.http.Close())
	<-l.ended
	return err
}
