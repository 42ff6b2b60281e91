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

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"rsros/program/work"
)

// maxClients is the maximum number of clients that a server has at once.
const maxClients = 32

// Member is what a protocol has for each client: a type that embeds *Client.
type Member interface {
	comparable
	client() *Client

	// Handle executes a message of the client, which is valid until it returns. An error ends the client.
	Handle(websocket.MessageType, []byte) error
	// Tick is called about once a second on the writing goroutine.
	Tick(time.Time)
	// Leave is called once the client has ended, and is none of the server's any more.
	Leave()
}

// Server has the clients of one protocol.
type Server[M Member] struct {
	budget  *Budget
	log     zerolog.Logger
	sampled zerolog.Logger // at most one line a second
	slow    atomic.Uint64

	mu      sync.Mutex
	closed  bool
	members []M
	running sync.WaitGroup
}

// NewServer returns a server whose clients share a budget, which is that of the process if b is
// nil. Clients that are disconnected because they are slow are counted in the log.
func NewServer[M Member](b *Budget, log zerolog.Logger) *Server[M] {
	sampled := log.Sample(&zerolog.BurstSampler{Burst: 1, Period: time.Second})
	return &Server[M]{budget: cmp.Or(b, process), log: log, sampled: sampled}
}

// Serve serves a client that speaks one of the subprotocols, the preferred one first, and sends messages
// of at most maxMessage bytes, until it is disconnected. admit may send it something, and then calls
// Join, whose error it returns. The caller has checked the Host and Origin headers.
func (s *Server[M]) Serve(w http.ResponseWriter, r *http.Request, maxMessage int64, subprotocols []string,
	admit func(*Client) (M, error)) {
	c := newClient(s.budget)
	log := s.log.With().Str("client", r.RemoteAddr).Logger()
	if err := c.upgrade(w, r, maxMessage, subprotocols); err != nil {
		log.Debug().Err(err).Msg("a client was refused")
		return
	}
	var m M
	err := c.protect(func() (err error) { m, err = admit(c); return err })
	if err != nil {
		c.end()
		log.Debug().Err(c.Close(websocket.StatusTryAgainLater, err.Error())).Msg("a client was refused")
		return
	}
	log.Debug().Str("subprotocol", c.ws.Subprotocol()).Msg("a client connected")
	s.leave(m, c.run(m.Handle, m.Tick), log)
}

func newClient(b *Budget) *Client {
	c := &Client{budget: b, wake: work.NewSignal(), subs: make(map[*Subscription]struct{})}
	c.ctx, c.fail = context.WithCancelCause(context.Background())
	c.control = c.Subscribe(Options{Class: classControl, Kept: controlBytes, Send: c.sendControl})
	return c
}

// Join adds a client to those of the server, for the admit of Serve. One that finds no room is disconnected.
func (s *Server[M]) Join(m M) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case len(s.members) >= maxClients:
		return ErrFull
	}
	s.members = append(s.members, m)
	s.running.Add(1)
	s.budget.join(m.client(), true)
	return nil
}

// leave removes a client that has ended. Close waits for it.
func (s *Server[M]) leave(m M, cause error, log zerolog.Logger) {
	c := m.client()
	s.budget.join(c, false)
	log.Debug().Err(cause).Uint64("dropped", c.Dropped()).Msg("a client left")
	if p := (*panicked)(nil); errors.As(cause, &p) {
		log.Error().Err(p).Bytes("stack", p.stack).Msg("disconnected a client")
	}
	if errors.Is(cause, ErrSlow) || errors.Is(cause, ErrBudget) {
		s.sampled.Warn().Err(cause).Str("client", c.Address()).Uint64("clients", s.slow.Add(1)).
			Msg("disconnected a slow client")
	}
	s.mu.Lock()
	s.members = slices.DeleteFunc(s.members, func(x M) bool { return x == m })
	s.mu.Unlock()
	m.Leave()
	s.running.Done()
}

// SlowClients is how many clients were disconnected because they were too slow.
func (s *Server[M]) SlowClients() uint64 { return s.slow.Load() }

// All lists the clients, in the order in which they joined.
func (s *Server[M]) All() []M {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.members)
}

// Send queues a message for all clients, as Client.Send does.
func (s *Server[M]) Send(kind websocket.MessageType, data []byte) {
	m := newControl(kind, data)
	defer m.Release()
	for _, to := range s.All() {
		to.client().control.Keep(m)
	}
}

// Drain returns when all clients have been sent what waits for them, or ctx ends.
func (s *Server[M]) Drain(ctx context.Context) error {
	for _, m := range s.All() {
		if err := m.client().drain(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Close disconnects all clients, who have a while to read what waits for them, and waits
// until they have left. It may be called often.
func (s *Server[M]) Close(patience time.Duration) {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var all sync.WaitGroup
	for _, m := range s.All() {
		all.Go(func() {
			m.client().drain(ctx)                                          //nolint:errcheck // it was tried
			m.client().Close(websocket.StatusGoingAway, ErrClosed.Error()) //nolint:errcheck // it is ErrClosed
		})
	}
	all.Wait()
	s.running.Wait()
	if n := s.SlowClients(); n > 0 && first {
		s.log.Warn().Uint64("clients", n).Msg("clients were disconnected because they were slow")
	}
}
