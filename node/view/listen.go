package view

import (
	"errors"
	"fmt"

	"rsros/node/guard"
)

// Access says where viewers connect and who may.
type Access struct {
	Address    string   // host:port to listen on; "" means not at all; port 0 is a free one
	AllowHosts []string // see guard.Options
	Origins    []string // see guard.Options
	NoAuth     bool     // no token, although other machines can connect
}

// Listener serves viewers on a port of its own.
type Listener struct {
	*guard.Listener
	server *Server
}

// Listen serves viewers of s until Close. An address that other machines can reach needs
// a token, which is part of the URL.
func Listen(a Access, s *Server) (*Listener, error) {
	l, err := guard.Listen(a.Address, guard.Options{Hosts: a.AllowHosts, Origins: a.Origins, Open: a.NoAuth}, s)
	if err != nil {
		return nil, fmt.Errorf("listen for viewers: %w", err)
	}
	return &Listener{l, s}, nil
}

// Close frees the port, disconnects all viewers and closes the server. It may be called
// often.
func (l *Listener) Close() error {
	return errors.Join(l.Listener.Close(), l.server.Close())
}
