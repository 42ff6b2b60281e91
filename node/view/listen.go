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

// Listen serves viewers of s on a port of its own until Close, which closes s, too. An
// address that other machines can reach needs a token, which is part of the URL.
func Listen(a Access, s *Server) (*guard.Listener, error) {
	l, err := guard.Listen(a.Address, guard.Options{Hosts: a.AllowHosts, Origins: a.Origins, Open: a.NoAuth}, s)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen for viewers: %w", err), s.Close())
	}
	return l, nil
}
