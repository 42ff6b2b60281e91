package viewer

import (
	"errors"
	"fmt"

	"rsros/viewer/guard"
)

// Access is the address for viewers and the rules of access.
type Access struct {
	Address    string   // host:port to listen on; "" to not listen; port 0 chooses a free one
	AllowHosts []string // see guard.Options
	Origins    []string // see guard.Options
	NoAuth     bool     // require no token even if other machines can connect
}

// Listen serves viewers of s on a port of its own until Close, which also closes s. If other
// machines can reach the address, the URL contains a token that viewers need.
func Listen(a Access, s *Server) (*guard.Listener, error) {
	l, err := guard.Listen(a.Address, guard.Options{Hosts: a.AllowHosts, Origins: a.Origins, Open: a.NoAuth, Log: s.o.Log}, s)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen for viewers: %w", err), s.Close())
	}
	return l, nil
}
