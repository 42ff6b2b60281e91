package guard

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	stdlog "log" //nolint:depguard // http.Server takes no other logger
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/rs/zerolog"
)

// Limits of HTTP: a stranger may be slow, but not for ever.
const (
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	maxHeader  = 16 << 10
)

// Listener serves HTTP on a port of its own. A nil one serves nobody.
type Listener struct {
	http  *http.Server
	next  http.Handler
	url   URL
	ended chan struct{} // closed when nobody is served any more
	err   error         // set before ended
}

// Check returns the error of listening on the address now, before there is anything to serve.
func (o Access) Check() error {
	if o.Address == "" {
		return nil
	}
	l, err := net.Listen("tcp", o.Address)
	if err != nil {
		return fmt.Errorf("listen for viewers: %w", err)
	}
	return l.Close()
}

// Listen serves what Wrap passes on to next, until Close. If other machines can reach the
// address, the server goes by its host, too, and viewers need a new token unless o.NoAuth says
// otherwise. After an error, next is closed. What package http reports is logged.
func Listen(o Access, log zerolog.Logger, next http.Handler) (*Listener, error) {
	tcp, err := net.Listen("tcp", o.Address)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen for viewers: %w", err), closeHandler(next))
	}
	at := tcp.Addr().(*net.TCPAddr)
	u := url.URL{Scheme: "http", Host: at.String(), Path: "/"}
	if !at.IP.IsLoopback() {
		host, _, _ := net.SplitHostPort(o.Address) // net.Listen has taken it
		if at.IP.IsUnspecified() {
			host, _ = os.Hostname() // an empty one can be replaced by an address
		}
		o.AllowHosts = append(slices.Clip(o.AllowHosts), host)
		u.Host = net.JoinHostPort(host, fmt.Sprint(at.Port))
		if !o.NoAuth {
			o.token = rand.Text()
		}
	}
	l := &Listener{
		http: &http.Server{
			Handler: Wrap(o, next), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
			ErrorLog: stdlog.New(errorLog{log}, "", 0),
		},
		next: next, url: URL{u.String(), o.token}, ended: make(chan struct{}),
	}
	go func() {
		defer close(l.ended)
		if err := l.http.Serve(tcp); !errors.Is(err, http.ErrServerClosed) {
			l.err = fmt.Errorf("serve on %s: %w", at, err)
		}
	}()
	return l, nil
}

// errorLog logs what package http reports, such as the panic of a handler.
type errorLog struct{ zerolog.Logger }

func (l errorLog) Write(text []byte) (int, error) {
	l.Error().Msgf("%s", bytes.TrimSpace(text))
	return len(text), nil
}

// URL is what viewers open; empty if nobody is served.
func (l *Listener) URL() URL {
	if l == nil {
		return URL{}
	}
	return l.url
}

// URL is an address for viewers. It prints itself without its token.
type URL struct{ address, token string }

func (u URL) String() string {
	if u.token == "" {
		return u.address
	}
	return u.address + "?token=…"
}

// Secret returns the address with the token, which only the user may see.
func (u URL) Secret() string {
	if u.token == "" {
		return u.address
	}
	return u.address + "?" + url.Values{"token": {u.token}}.Encode()
}

// Wait returns when ctx ends, or the listener fails.
func (l *Listener) Wait(ctx context.Context) error {
	select {
	case <-l.ended:
		return l.err
	case <-ctx.Done():
		return nil
	}
}

// Close frees the port, and closes next, which has the sockets, if it is an io.Closer. It may be called more than once.
func (l *Listener) Close() error {
	if l == nil {
		return nil
	}
	err := l.http.Close()
	<-l.ended
	return errors.Join(err, closeHandler(l.next))
}

// closeHandler closes a handler that is an io.Closer.
func closeHandler(h http.Handler) error {
	if c, ok := h.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
