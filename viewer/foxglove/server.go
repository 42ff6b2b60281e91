package foxglove

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/viewer/clients"
)

// subprotocols are the names of the protocol, the preferred one first.
func subprotocols() []string { return []string{"foxglove.sdk.v1", "foxglove.websocket.v1"} }

// Options configure a server. Source is required.
type Options struct {
	Name     string // of the server, shown to the user
	Source   Source
	Playback Playback // nil if nothing is ever played
	Control  bool     // clients may publish, call services, set parameters and control playback

	Budget *clients.Budget // nil means the process's
	Log    zerolog.Logger
}

// Server serves any number of clients.
type Server struct {
	o       Options
	graph   Graph // the source; nil if it isn't a graph
	log     zerolog.Logger
	clients *clients.Server[*client]

	playing atomic.Bool  // messages have times of the recording
	round   atomic.Int64 // last PlaybackState.Jumps

	// following guards unfollow. It is taken before mu.
	following sync.Mutex
	unfollow  func() // while there are clients

	// mu guards:
	mu       sync.Mutex
	session  string // sent to clients
	state    *State // sent to clients
	topics   advertised[Topic]
	services advertised[Service]
	channels map[uint32]*channel // of the topics that clients named
	sent     sentPlayback
}

// New returns a server without clients. It doesn't use the graph until the first client connects.
func New(o Options) *Server {
	s := &Server{
		o: o, log: o.Log.With().Str("component", "foxglove").Logger(),
		channels: make(map[uint32]*channel), state: &State{},
	}
	s.graph, _ = o.Source.(Graph)
	s.clients = clients.NewServer[*client](o.Budget, s.log)
	s.Begin()
	return s
}

// Begin begins a session, because something else is shown. Clients discard the state of the
// previous one, and their subscriptions end.
func (s *Server) Begin() {
	_, _, playing := s.playback()
	s.mu.Lock()
	s.session = strconv.FormatInt(time.Now().UnixNano(), 10)
	s.playing.Store(playing)
	for _, c := range s.clients.All() {
		c.playback = false
		c.send("serverInfo", s.info())
	}
	s.mu.Unlock()
	s.Update(&State{})
}

// playback returns the range of the recording that is played; ok is false if there is none.
func (s *Server) playback() (start, end int64, ok bool) {
	if s.o.Playback == nil {
		return 0, 0, false
	}
	return s.o.Playback.Range()
}

// Offered reports whether a request is from a client of the protocol, whatever its version. ServeHTTP answers it.
func (s *Server) Offered(r *http.Request) bool {
	return slices.ContainsFunc(clients.Offered(r), func(p string) bool { return strings.HasPrefix(p, "foxglove.") })
}

// maxRequest is the maximum size of a client's message in bytes.
const maxRequest = 16 << 20

// ServeHTTP serves a client until it disconnects. The caller must have checked the Host and Origin headers.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.clients.Serve(w, r, maxRequest, subprotocols(), func(conn *clients.Client) (*client, error) {
		c := newClient(s, conn)
		err := s.join(c)
		if err == nil {
			c.Go(c.doSlow)
		}
		return c, err
	})
}

// join adds the client and sends it the current state.
func (s *Server) join(c *client) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.send("serverInfo", s.info())
	if len(s.topics.live) == 0 {
		c.send("advertise", object{"channels": []channelInfo{}})
	}
	c.advertise(slices.Collect(maps.Keys(s.topics.live)))
	c.advertiseServices(slices.Collect(maps.Keys(s.services.live)))
	for _, p := range s.state.Problems {
		c.status(levelWarning, p)
	}
	return s.clients.Join(c)
}

// Leave ends the client's subscriptions and publications.
func (c *client) Leave() {
	for len(c.slow) > 0 {
		c.Unreserve((<-c.slow).kept)
	}
	for _, p := range c.publishing {
		p.Close()
	}
	c.s.mu.Lock()
	subs := c.subs
	c.subs = nil
	c.s.mu.Unlock()
	for _, sub := range subs {
		if sub != nil {
			sub.close()
		}
	}
	c.s.follow()
}

// follow follows the graph as long as there are clients.
func (s *Server) follow() {
	if s.graph == nil {
		return
	}
	s.following.Lock()
	defer s.following.Unlock()
	switch wanted := len(s.clients.All()) > 0; {
	case wanted && s.unfollow == nil:
		s.unfollow = s.graph.Follow(s.Update)
	case !wanted && s.unfollow != nil:
		s.unfollow()
		s.unfollow = nil
	}
}

// Close disconnects all clients and waits for every goroutine. It may be called more than once.
func (s *Server) Close() { s.clients.Close(0) }

// info returns the first message to a client.
func (s *Server) info() serverInfo {
	i := serverInfo{Name: s.o.Name, Capabilities: s.capabilities(), SupportedEncodings: []string{encodingROS},
		// Lichtblick decodes ROS 1's common types for this name, and takes any other name for ROS 2.
		Metadata: map[string]string{"ROS_DISTRO": "noetic"}, SessionID: s.session}
	if start, end, ok := s.playback(); ok && s.o.Control {
		i.DataStartTime, i.DataEndTime = stampOf(start), stampOf(end)
	}
	return i
}

// Update informs the clients of the source's new state. A [Graph] is followed instead.
func (s *Server) Update(state *State) {
	for _, sub := range s.setState(state) {
		sub.close()
	}
}

// setState does Update's work, and returns the subscriptions of topics that are gone.
func (s *Server) setState(state *State) (ended []*subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended = s.updateTopics(state.Topics)
	s.updateServices(state.Services)
	s.updateParams(state.Params)
	s.updateConnections(state)
	for _, p := range state.Problems {
		if !slices.Contains(s.state.Problems, p) {
			for _, c := range s.clients.All() {
				c.status(levelWarning, p)
			}
		}
	}
	s.state = state
	return ended
}

// Drain waits until the clients have been sent their queued messages, or ctx ends.
func (s *Server) Drain(ctx context.Context) error { return s.clients.Drain(ctx) }

// Counts returns the counters of all clients' subscriptions, two of each: of small and of large messages.
func (s *Server) Counts() (list []clients.Counts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.clients.All() {
		for _, sub := range c.subs {
			if sub != nil {
				list = append(list, sub.small.Counts(), sub.large.Counts())
			}
		}
	}
	return list
}
