package clients

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rsros/node/websocket"
)

// DefaultMax is how many clients a server has at once unless it is told otherwise.
const DefaultMax = 32

var (
	// ErrFull means that there are as many clients as are allowed.
	ErrFull = errors.New("there are as many clients as are allowed")
	// ErrClosed means that the server has been closed.
	ErrClosed = errors.New("the program ends")
)

// Server has the clients of one protocol.
type Server struct {
	max    int
	budget *Budget
	slow   atomic.Uint64

	mu      sync.Mutex
	closed  bool
	clients []*Client
	running sync.WaitGroup
}

// NewServer returns a server of at most max clients, DefaultMax if it is 0. They share a
// budget, which is that of the process if b is nil.
func NewServer(max int, b *Budget) *Server {
	return &Server{max: cmp.Or(max, DefaultMax), budget: cmp.Or(b, process)}
}

// unsent is how many bytes the kernel may hold that it hasn't sent, so that what is late
// can still be replaced.
const unsent = 128 << 10

// Accept upgrades a request's connection. The caller may send the client something, and
// then passes it to Join. An error has been answered.
func (s *Server) Accept(w http.ResponseWriter, r *http.Request, o websocket.Options) (*Client, error) {
	c := newClient(s)
	o.Unsent, o.Memory = unsent, incoming{c}
	var err error
	c.ws, err = websocket.Upgrade(w, r, o)
	return c, err
}

func newClient(s *Server) *Client {
	c := &Client{server: s, wake: make(chan struct{}, 1)}
	c.ctx, c.fail = context.WithCancelCause(context.Background())
	c.control = c.Subscribe(Options{Class: classControl, Kept: controlBytes, Send: c.sendControl})
	return c
}

// Room returns an error if no other client may join.
func (s *Server) Room() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.room()
}

// room does Room's work; mu is held.
func (s *Server) room() error {
	switch {
	case s.closed:
		return ErrClosed
	case len(s.clients) >= s.max:
		return ErrFull
	}
	return nil
}

// Join adds a client to those of the server. The caller runs it. One that finds no room is
// disconnected.
func (s *Server) Join(c *Client) error {
	s.mu.Lock()
	err := s.room()
	if err == nil {
		s.clients = append(s.clients, c)
		s.running.Add(1)
	}
	s.mu.Unlock()
	if err != nil {
		c.ws.Close(websocket.StatusTryAgain, err.Error())
		c.ws.HangUp()
		c.mu.Lock()
		c.end(err)
		c.mu.Unlock()
		return err
	}
	s.budget.join(c, true)
	return nil
}

// leave removes a client that has ended.
func (s *Server) leave(c *Client) {
	s.budget.join(c, false)
	if cause := context.Cause(c.ctx); errors.Is(cause, ErrSlow) || errors.Is(cause, ErrBudget) {
		s.slow.Add(1)
	}
	s.mu.Lock()
	s.clients = slices.DeleteFunc(s.clients, func(x *Client) bool { return x == c })
	s.mu.Unlock()
	s.running.Done()
}

// Slow is how many clients were disconnected because they were too slow.
func (s *Server) Slow() uint64 { return s.slow.Load() }

// Clients lists the clients.
func (s *Server) Clients() []*Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.clients)
}

// Send queues a message for all clients, as Client.Send does.
func (s *Server) Send(kind websocket.Kind, data []byte) { send(kind, data, s.Clients()...) }

// Drain returns when all clients have been sent what waits for them, or ctx ends.
func (s *Server) Drain(ctx context.Context) error {
	for _, c := range s.Clients() {
		if err := c.drain(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Close disconnects all clients, who have a while to read what waits for them, and waits
// until they have left. It may be called often.
func (s *Server) Close(patience time.Duration) {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var all sync.WaitGroup
	for _, c := range s.Clients() {
		all.Go(func() {
			c.drain(ctx) //nolint:errcheck // it was tried
			c.Close(websocket.StatusGoingAway, ErrClosed.Error())
		})
	}
	all.Wait()
	s.running.Wait()
}
