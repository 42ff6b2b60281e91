package foxglove

import (
	"context"
	"fmt"
	"time"

	"rsros/node/guard"
)

// Access is the address for clients and the rules of access.
type Access struct {
	// Address is host:port to listen on; "" to not listen. Port 0 chooses a free one.
	Address string
	// Origins are the origins of other web pages that may connect, such as
	// https://app.foxglove.dev.
	Origins []string
	// ViewOnly forbids clients to publish, call services, set parameters or control playback.
	ViewOnly bool
}

// Listener serves clients on a port of its own.
type Listener struct {
	*guard.Listener
	server *Server
}

// Listen serves clients until Close, which also closes the server. If other machines can
// reach the address, the URL contains a token that clients need.
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

// Drain waits until the clients have been sent their queued messages, for at most the time most.
// A nil Listener has no clients.
func (l *Listener) Drain(ctx context.Context, most time.Duration) {
	if l == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	l.server.Drain(ctx) //nolint:errcheck // best effort
}

// Close disconnects all clients and frees the port. It may be called more than once, and for a
// nil Listener.
func (l *Listener) Close() {
	if l == nil {
		return
	}
	l.Listener.Close() //nolint:errcheck // the port is free
	l.server.Close()
}
