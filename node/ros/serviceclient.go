package ros

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"rsros/msgs"
	"rsros/node/ros/internal/wire"
	"rsros/node/ros/names"
	"rsros/node/ros/rosapi"
)

// ServiceError is an error reported by the service itself.
type ServiceError struct {
	Service string
	Text    string
}

func (e *ServiceError) Error() string { return fmt.Sprintf("service %s: %s", e.Service, e.Text) }

// CallService calls a service once, on its own connection.
func (n *Node) CallService(ctx context.Context, name string, service msgs.Service, req []byte) ([]byte, error) {
	c, err := n.NewServiceClient(name, service)
	if err != nil {
		return nil, err
	}
	c.persistent = false
	defer c.Close()
	return c.Call(ctx, req)
}

// ServiceClient calls a service over a persistent connection. It reconnects if the
// connection breaks.
type ServiceClient struct {
	node       *Node
	name       string
	service    msgs.Service
	persistent bool

	mu   sync.Mutex // one call at a time
	conn net.Conn
}

// NewServiceClient returns a client that connects with the first call. An MD5 of "*"
// matches every type.
func (n *Node) NewServiceClient(name string, service msgs.Service) (*ServiceClient, error) {
	full, err := n.Resolve(name)
	if err != nil {
		return nil, err
	}
	return &ServiceClient{node: n, name: full, service: service, persistent: true}, nil
}

// Call sends a request and returns the response. An error reported by the service is
// a *ServiceError; after any other error the next call reconnects.
func (c *ServiceClient) Call(ctx context.Context, req []byte) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, cancel := c.node.whileOpen(ctx)
	defer cancel()
	resp, err := c.call(ctx, req)
	var reported *ServiceError
	if err != nil && !errors.As(err, &reported) {
		c.hangUp()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, fmt.Errorf("call %s: %w", c.name, err)
	}
	return resp, err
}

func (c *ServiceClient) call(ctx context.Context, req []byte) ([]byte, error) {
	if c.conn == nil {
		if err := c.connect(ctx); err != nil {
			return nil, err
		}
	}
	conn := c.conn
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if _, err := conn.Write(wire.AppendSized(nil, req)); err != nil {
		return nil, err
	}
	ok, err := wire.ReadGrowing(conn, nil, 1)
	if err != nil {
		return nil, err
	}
	resp, err := wire.ReadSized(conn, c.node.cfg.MaxMessage)
	if err == nil && ok[0] == 0 {
		err = &ServiceError{c.name, string(resp)}
	}
	return resp, err
}

// connect asks the master where the service is and exchanges headers with it.
func (c *ServiceClient) connect(ctx context.Context) error {
	n := c.node
	answer, err := n.caller.Call(ctx, n.cfg.MasterURI, "lookupService", c.name)
	if err != nil {
		return err
	}
	uri, _ := answer.(string)
	conn, err := wire.DialService(ctx, uri)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	h := Header{wire.KeyCallerID: n.Name(), wire.KeyService: c.name, wire.KeyMD5: c.service.MD5, wire.KeyType: c.service.Name}
	if c.persistent {
		h[wire.KeyPersistent] = "1"
	}
	if _, err := wire.Exchange(conn, h); err != nil {
		conn.Close() //nolint:errcheck // the handshake's error counts
		return err
	}
	c.conn = conn
	return nil
}

func (c *ServiceClient) hangUp() {
	if c.conn != nil {
		c.conn.Close() //nolint:errcheck // nothing to lose
		c.conn = nil
	}
}

// Close closes the connection.
func (c *ServiceClient) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hangUp()
}

// ServiceProvider returns the name of the node that provides a service, or "" if there
// is none or it doesn't answer (a killed node stays registered). If several nodes offer
// a service, the last one to register provides it.
func (n *Node) ServiceProvider(ctx context.Context, name string) (string, error) {
	uri, err := n.lookUpService(ctx, name)
	if uri == "" || err != nil {
		return "", err
	}
	full, err := n.Resolve(name)
	if err != nil {
		return "", err
	}
	h, err := wire.Probe(ctx, uri, n.Name(), full)
	if err != nil {
		return "", nil // it doesn't answer
	}
	return cmp.Or(h[wire.KeyCallerID], uri), nil
}

// lookUpService returns the address of a service, or "" if the master has none.
func (n *Node) lookUpService(ctx context.Context, name string) (string, error) {
	full, err := n.Resolve(name)
	if err != nil {
		return "", err
	}
	answer, err := n.callMaster(ctx, "lookupService", full)
	if none := new(rosapi.Error); errors.As(err, &none) {
		return "", nil
	}
	uri, _ := answer.(string)
	return uri, err
}

// WaitForService waits until the service is registered.
func (n *Node) WaitForService(ctx context.Context, name string) error {
	for {
		if uri, err := n.lookUpService(ctx, name); uri != "" {
			return nil
		} else if refused := new(names.Error); errors.As(err, &refused) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-n.ctx.Done():
			return ErrClosed
		case <-time.After(100 * time.Millisecond):
		}
	}
}
