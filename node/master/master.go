// Package master is a ROS master: the Master API, where nodes register what they publish, subscribe
// and serve, and the Parameter Server. It replaces roscore where there is none; the collector of
// /rosout, which roscore also starts, is an ordinary node and not here.
//
// In: XML-RPC calls of nodes and tools. Out: their answers, and calls back to nodes: publisherUpdate
// when the publishers of a topic they subscribe to change, paramUpdate when a parameter they subscribe
// to does, shutdown when another node takes their name.
//
// Beyond rosmaster: a node that doesn't answer never delays another one's updates, a node that takes
// over a name also withdraws its predecessor's topics from subscribers, and the parameter tree can't
// be made deeper than an answer can carry.
package master

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/node/xmlrpc"
)

// Config says where a master listens.
type Config struct {
	// Address is where to listen, host:port. (optional) It defaults to "127.0.0.1:11311", which other
	// machines can't reach; port 0 takes a free one.
	Address string
	// More are further hosts to listen on, with the port of Address. (optional)
	More []string
	// Host is the name or address in URI, by which nodes reach the master. (optional) It defaults to
	// "localhost", which nodes on other machines can't use.
	Host string
	Log  zerolog.Logger
}

// What roscore sets for roslaunch and rosversion to find, line ends included.
const (
	rosDistro  = "noetic\n"
	rosVersion = "1.16.0\n" // the last ros_comm, whose API this is
)

// Master is a running master. Its methods may be called from any goroutine.
type Master struct {
	uri      string
	log      zerolog.Logger
	methods  map[string]method
	server   *http.Server
	serving  sync.WaitGroup // the server, once for each address
	notifier *notifier
	asked    chan struct{} // closed when a peer called shutdown
	askOnce  sync.Once
	close    func() error

	mu     sync.Mutex // guards what follows, and the order in which notifications are queued
	graph  *graph
	params params
}

// Start listens and serves until Close.
func Start(config Config) (*Master, error) {
	if config.Address == "" {
		config.Address = "127.0.0.1:11311"
	}
	if config.Host == "" {
		config.Host = "localhost"
	}
	listener, err := net.Listen("tcp", config.Address)
	if err != nil {
		return nil, fmt.Errorf("start master: %w", err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listeners := []net.Listener{listener}
	for _, host := range config.More {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			closeAll(listeners)
			return nil, fmt.Errorf("start master: %w", err)
		}
		listeners = append(listeners, l)
	}
	m := &Master{
		uri:   "http://" + net.JoinHostPort(config.Host, strconv.Itoa(port)) + "/",
		log:   config.Log.With().Str("component", "master").Logger(),
		asked: make(chan struct{}),
		graph: newGraph(),
	}
	m.methods = m.api()
	m.notifier = newNotifier(m.log, m.forgetParam)
	m.close = sync.OnceValue(m.shutDown)
	for name, value := range map[string]any{"run_id": newRunID(), "rosdistro": rosDistro, "rosversion": rosVersion} {
		if err := m.params.set(path{name}, value); err != nil {
			closeAll(listeners)
			return nil, err
		}
	}
	m.server = xmlrpc.NewServer(m.handle)
	for _, l := range listeners {
		m.serving.Go(func() {
			if err := m.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				m.log.Error().Err(err).Msg("master stopped serving")
			}
		})
		m.log.Info().Str("uri", m.uri).Stringer("address", l.Addr()).Msg("master listens")
	}
	return m, nil
}

// URI is what ROS_MASTER_URI should say.
func (m *Master) URI() string { return m.uri }

// ShutdownAsked is closed when a peer called the master's shutdown. The master goes on serving:
// whether to Close it is its owner's decision.
func (m *Master) ShutdownAsked() <-chan struct{} { return m.asked }

// Close stops serving and drops notifications still to be delivered. It may be called twice.
func (m *Master) Close() error { return m.close() }

func (m *Master) shutDown() error {
	// Calls take microseconds; only a peer that sends its request slowly can exhaust this.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := m.server.Shutdown(ctx)
	if err != nil {
		err = m.server.Close()
	}
	m.serving.Wait()
	m.notifier.close()
	return err
}

func closeAll(listeners []net.Listener) {
	for _, l := range listeners {
		l.Close() //nolint:errcheck // on the way out
	}
}

// newRunID makes the identity that a roslaunch session shares, in the form of a UUID version 4.
func newRunID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
