// Package master is a ROS master: the Master API, where nodes register publishers, subscribers and services, and the
// Parameter Server. It doesn't include the aggregator of /rosout, which roscore starts as a node.
//
// Nodes and tools call it over XML-RPC. It calls nodes back: publisherUpdate when the publishers of a topic change,
// paramUpdate when a parameter changes, and shutdown when another node registers under the same name.
//
// It differs from rosmaster: a node that doesn't answer never delays the updates of others, the topics of a replaced
// node are withdrawn from subscribers, and the parameter tree can't become deeper than XML-RPC answers can be.
package master

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/ros/xmlrpc"
)

// Config configures a master. All fields are optional.
type Config struct {
	// Address is the host:port to listen on. It defaults to "127.0.0.1:11311", which other machines
	// can't reach. Port 0 chooses a free port.
	Address string
	// More are further hosts to listen on, with the port of Address.
	More []string
	// Host is the host in the master's URI. It defaults to "localhost", which nodes on other machines can't use.
	Host string
	Log  zerolog.Logger
}

// Parameters that roscore sets for roslaunch and rosversion, line ends included.
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

	mu         sync.Mutex // guards what follows, and the order in which notifications are queued
	registered *registrations
	params     params
}

// Start starts a master that serves until Close.
func Start(config Config) (*Master, error) {
	config.Address = cmp.Or(config.Address, "127.0.0.1:11311")
	config.Host = cmp.Or(config.Host, "localhost")
	listeners, err := listen(config.Address, config.More)
	if err != nil {
		return nil, fmt.Errorf("start master: %w", err)
	}
	_, port, _ := net.SplitHostPort(listeners[0].Addr().String())
	m := &Master{
		uri:        "http://" + net.JoinHostPort(config.Host, port) + "/",
		log:        config.Log.With().Str("component", "master").Logger(),
		asked:      make(chan struct{}),
		registered: newRegistrations(),
		params:     params{map[string]any{"run_id": newRunID(), "rosdistro": rosDistro, "rosversion": rosVersion}},
	}
	m.methods = m.api()
	m.notifier = newNotifier(m.log, m.forgetParam)
	m.close = sync.OnceValue(m.shutDown)
	m.server = xmlrpc.NewServer(m.handle, m.log)
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

// URI returns the value for ROS_MASTER_URI.
func (m *Master) URI() string { return m.uri }

// ShutdownAsked is closed when a peer calls shutdown. The master still serves until Close.
func (m *Master) ShutdownAsked() <-chan struct{} { return m.asked }

// Close stops serving and drops undelivered notifications. It may be called more than once.
func (m *Master) Close() error { return m.close() }

func (m *Master) shutDown() error {
	// Calls take microseconds; only a peer that sends its request slowly can take longer.
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

// listen listens on an address, and on its port of more hosts.
func listen(address string, more []string) (all []net.Listener, err error) {
	for i := 0; ; i++ {
		l, err := net.Listen("tcp", address)
		if err != nil {
			for _, l := range all {
				l.Close() //nolint:errcheck // another error is returned
			}
			return nil, err
		}
		if all = append(all, l); i == len(more) {
			return all, nil
		}
		_, port, _ := net.SplitHostPort(l.Addr().String())
		address = net.JoinHostPort(more[i], port)
	}
}

// newRunID returns the identifier of a roslaunch session, a UUID version 4.
func newRunID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
