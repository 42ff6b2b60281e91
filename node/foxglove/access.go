package foxglove

import (
	"context"
	"fmt"
	"time"

	"rsros/node/guard"
)

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
	*guard.Listener
	server *Server
}

// Listen serves clients until Close, which also closes the server. An address that
// other machines can reach needs a token, which is part of the URL.
func Listen(a Access, o Options) (*Listener, error) {
	o.Control = !a.ViewOnly
	s := New(o)
	l, err := guard.Listen(a.Address, guard.Options{Origins: a.Origins, Programs: true}, s)
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("listen for Foxglove: %w", err)
	}
	return &Listener{l, s}, nil
}

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
	l.Listener.Close() //nolint:errcheck // the port is free
	l.server.Close()
}
