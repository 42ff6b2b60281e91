package foxglove

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/node/websocket"
)

// subprotocols are the names of the protocol, the preferred one first.
func subprotocols() []string { return []string{"foxglove.sdk.v1", "foxglove.websocket.v1"} }

// Options are a server's surroundings and settings. Graph is needed.
type Options struct {
	Name     string // of the server, shown to the user
	Graph    Graph
	Playback Playback // nil if nothing is played

	// Control tells whether the client of a request may publish, call services, set
	// parameters and control playback. nil means that none may.
	Control func(*http.Request) bool

	MaxClients int // at once; default 32
	Log        zerolog.Logger
}

const defaultClients = 32

// Server serves any number of clients.
type Server struct {
	o       Options
	log     zerolog.Logger
	session string
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	wg      sync.WaitGroup

	round atomic.Int64 // PlaybackState.Jumps, as last heard

	following sync.Mutex // orders the beginning and the end of following; taken before mu

	mu       sync.Mutex
	closed   bool
	clients  map[*client]struct{}
	unfollow []func() // while there are clients
	known    bool     // the state below has come
	problems []string // that were told
	channels channels
	services services
	params   map[string]any
	graph    connections
	playback playbackNews
}

// New returns a server without clients. It asks the graph for nothing until the first
// one comes.
func New(o Options) *Server {
	o.MaxClients = cmp.Or(o.MaxClients, defaultClients)
	s := &Server{
		o: o, log: o.Log.With().Str("component", "foxglove").Logger(),
		session:  strconv.FormatInt(time.Now().UnixNano(), 10),
		clients:  make(map[*client]struct{}),
		channels: newChannels(), services: newServices(),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Offered tells whether the client of a request speaks the protocol, under a name that
// the server knows or not. ServeHTTP answers it.
func (s *Server) Offered(r *http.Request) bool {
	return websocket.Requested(r) && slices.ContainsFunc(websocket.Offered(r), func(p string) bool { return strings.HasPrefix(p, "foxglove.") })
}

const (
	maxRequest = 16 << 20  // bytes of a client's message
	unsent     = 128 << 10 // bytes in the kernel: what waits longer can still be replaced
)

// ServeHTTP upgrades the request's connection and serves the client until it leaves. It
// doesn't look at the Host and Origin headers: the caller has done that.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := s.room(); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	ws, err := websocket.Upgrade(w, r, websocket.Options{Subprotocols: subprotocols(), MaxMessage: maxRequest, Unsent: unsent})
	if err != nil {
		s.log.Debug().Err(err).Str("client", r.RemoteAddr).Msg("a client was refused")
		return
	}
	defer ws.HangUp()
	c := newClient(s, ws, s.o.Control != nil && s.o.Control(r))
	if err := s.join(c); err != nil {
		ws.Close(websocket.StatusTryAgain, err.Error())
		return
	}
	log := s.log.With().Str("client", ws.RemoteAddr().String()).Logger()
	log.Info().Str("subprotocol", ws.Subprotocol()).Bool("control", c.control).Msg("a Foxglove client connected")
	err = c.run()
	s.leave(c)
	e := log.Info().Uint64("dropped", c.lanes.lost())
	var closed *websocket.ClosedError
	if err != nil && !errors.As(err, &closed) {
		e = e.AnErr("reason", err)
	}
	e.Msg("a Foxglove client left")
}

var (
	errClosed      = errors.New("the program ends")
	errFull        = errors.New("there are as many clients as are allowed")
	errControlFull = errors.New("the client doesn't read what it is told")
	errLatchedFull = errors.New("the client doesn't read latched messages")
)

// room says whether another client may come.
func (s *Server) room() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return errClosed
	case len(s.clients) >= s.o.MaxClients:
		return errFull
	}
	return nil
}

// join makes the client known and tells it what there is.
func (s *Server) join(c *client) error {
	if err := s.room(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.closed || len(s.clients) >= s.o.MaxClients {
		s.mu.Unlock()
		return errFull
	}
	s.wg.Add(1)
	s.clients[c] = struct{}{}
	c.say(s.info(c))
	s.channels.introduce(c)
	s.services.introduce(c)
	for _, p := range s.problems {
		c.status(levelWarning, p)
	}
	s.mu.Unlock()
	s.follow()
	return nil
}

// leave ends all that the client has asked for.
func (s *Server) leave(c *client) {
	s.mu.Lock()
	subs := c.subs
	c.subs = nil
	delete(s.clients, c)
	s.mu.Unlock()
	for _, sub := range subs {
		sub.stop()
		sub.end()
	}
	c.lanes.close()
	s.follow()
	s.wg.Done()
}

// follow follows the graph and the playback as long as there are clients.
func (s *Server) follow() {
	s.following.Lock()
	defer s.following.Unlock()
	s.mu.Lock()
	wanted, unfollow := len(s.clients) > 0 && !s.closed, s.unfollow
	s.mu.Unlock()
	switch {
	case wanted && unfollow == nil:
		unfollow = []func(){s.o.Graph.Follow(s.update)}
		if s.o.Playback != nil {
			unfollow = append(unfollow, s.o.Playback.Follow(s.played))
		}
	case !wanted && unfollow != nil:
		for _, stop := range unfollow {
			stop()
		}
		unfollow = nil
	}
	s.mu.Lock()
	s.unfollow = unfollow
	s.mu.Unlock()
}

// Close disconnects all clients and waits for every goroutine. It may be called often.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	clients := make([]*client, 0, len(s.clients))
	for c := range s.clients {
		clients = append(clients, c)
	}
	s.mu.Unlock()
	s.cancel()
	var all sync.WaitGroup
	for _, c := range clients {
		all.Go(func() { c.ws.Close(websocket.StatusGoingAway, errClosed.Error()) })
	}
	all.Wait()
	s.wg.Wait()
}

// info is the first message to a client.
func (s *Server) info(c *client) serverInfo {
	i := serverInfo{Op: "serverInfo", Name: s.o.Name, Capabilities: c.capabilities(), SupportedEncodings: []string{encodingROS},
		// Lichtblick knows ROS 1's common types by this name, and takes every other one for ROS 2.
		Metadata: map[string]string{"ROS_DISTRO": "noetic"}, SessionID: s.session}
	if s.o.Playback != nil && c.control {
		start, end := s.o.Playback.Range()
		i.DataStartTime, i.DataEndTime = stampOf(start), stampOf(end)
	}
	return i
}

// update hears what there is in the graph now.
func (s *Server) update(state *State) {
	s.mu.Lock()
	ended := s.channels.update(state.Topics, s.clients)
	s.services.update(state.Services, s.clients)
	s.updateParams(state.Params)
	s.graph.update(state, s.clients)
	for _, p := range state.Problems {
		if !slices.Contains(s.problems, p) {
			for c := range s.clients {
				c.status(levelWarning, p)
			}
		}
	}
	s.problems, s.known = state.Problems, true
	s.mu.Unlock()
	for _, sub := range ended {
		sub.stop()
		sub.end()
	}
}

// Drain returns when the clients have been sent everything that waits for them, or when
// ctx ends.
func (s *Server) Drain(ctx context.Context) error {
	s.mu.Lock()
	var all []<-chan struct{}
	for c := range s.clients {
		all = append(all, c.lanes.drained())
	}
	s.mu.Unlock()
	for _, empty := range all {
		select {
		case <-empty:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Client says what was sent to one client.
type Client struct {
	Address string
	Topics  []Counts
}

// Clients lists the clients that are connected.
func (s *Server) Clients() []Client {
	now := time.Now().UnixNano()
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Client
	for c := range s.clients {
		one := Client{Address: c.ws.RemoteAddr().String()}
		for _, sub := range c.subs {
			one.Topics = append(one.Topics, sub.count(now))
		}
		slices.SortFunc(one.Topics, func(a, b Counts) int { return strings.Compare(a.Topic, b.Topic) })
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b Client) int { return strings.Compare(a.Address, b.Address) })
	return list
}
