// Package ros is a participant of a ROS 1 graph on raw bytes: it registers with a master, serves the slave API,
// publishes and subscribes over TCPROS (and publishes over UDPROS), serves and calls services, and reads, writes and
// follows parameters.
//
// Messages are encoded bytes. Publish takes a head, a body and a tail. Head and tail are small and are copied. The body
// (pixels, a replayed message) is written from the caller's memory to every subscriber's socket; msgs.Raw.Owner is
// released once, when the last subscriber is done with it. A received message is in a pooled buffer, valid until the
// callback returns, or until Release if the callback retained it.
//
// Every subscriber connection has its own queue, bounded in messages and bytes. A
// slow subscriber loses its own oldest messages only, and every loss is counted.
//
// A Node keeps a list of its registrations. One goroutine, the registrar, brings
// the master in line with the list: it waits for a master that isn't running yet,
// and registers again what the master lost, or gave to another node that has left.
//
// All methods may be called from several goroutines. Close ends every goroutine that the node started.
package ros

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/program/work"
	"rsros/ros/internal/wire"
	"rsros/ros/names"
	"rsros/ros/rosapi"
	"rsros/ros/xmlrpc"
)

// Node is a participant of a ROS graph.
type Node struct {
	cfg       Config
	names     *names.Resolver
	host      string // advertised
	uri       string // of the slave API
	log       zerolog.Logger
	caller    *rosapi.Caller
	registrar *rosapi.Registrar
	listener  net.Listener // TCPROS
	server    *http.Server // slave API

	ctx        context.Context // ends when Close begins to tear down
	cancel     context.CancelFunc
	connected  context.Context // of accepted connections, ends with the last step of Close; changed with mu held
	disconnect context.CancelFunc
	wg         sync.WaitGroup

	done   context.Context // ends with the slave API's shutdown, or with Close
	finish context.CancelFunc

	connections   atomic.Int64 // last id assigned
	serviceCounts serviceCounts
	persistent    hostCounter // persistent service connections
	datagrams     hostCounter // UDPROS connections, by topic and host
	attendEvery   time.Duration
	time          simTime
	rosout        *LogWriter
	flushRosout   func()      // nil without /rosout
	paramsSet     atomic.Bool // the private parameters are on the master

	mu       sync.Mutex
	closed   bool
	topics   map[string]*topic
	subs     map[string]*subscription
	taps     map[string][]*Tap // by topic
	services map[string]*ServiceServer
	params   []*ParamSubscription

	onOffers func() // see OnOffers
}

const closeTimeout = 5 * time.Second

// NewNode starts a node: it listens, and registers at the master in the background. The master need not be running yet
// (see Sync). ctx bounds the start only; the node runs until Close.
func NewNode(ctx context.Context, cfg Config) (*Node, error) {
	cfg, err := cfg.checked()
	if err != nil {
		return nil, err
	}
	names, err := names.New(cfg.Name, cfg.Namespace, cfg.Remaps)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	n := &Node{cfg: cfg, names: names, host: cfg.Host, caller: rosapi.NewCaller(names.Node),
		rosout: cfg.Rosout, attendEvery: attendEvery,
		topics: make(map[string]*topic), subs: make(map[string]*subscription), taps: make(map[string][]*Tap),
		services: make(map[string]*ServiceServer), onOffers: func() {}}
	if n.rosout == nil {
		n.rosout = NewLogWriter(cfg.Log.GetLevel())
		n.cfg.Log = cfg.Log.Hook(messageHook{LogWriter: n.rosout})
	}
	n.log = n.cfg.Log.With().Str("component", "ros").Logger()
	if n.host == "" {
		n.host = advertisedHost(ctx, cfg.MasterURI)
	}
	n.done, n.finish = context.WithCancel(context.Background())
	n.ctx, n.cancel = context.WithCancel(context.Background())
	n.connected, n.disconnect = context.WithCancel(context.Background())
	if err := n.listen(ctx); err != nil {
		return nil, err
	}
	n.registrar = rosapi.NewRegistrar(n.caller, cfg.MasterURI, n.uri, n.log, n.setPrivateParams)
	n.wg.Go(n.accept)
	n.wg.Go(func() { n.registrar.Run(n.ctx) })
	n.wg.Go(func() { work.Every(n.ctx, trimEvery, n.trim) })
	if err := n.registerDefaults(); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

// registerDefaults registers what every node has.
func (n *Node) registerDefaults() error {
	if !n.cfg.NoRosout {
		if err := n.startRosout(); err != nil {
			return err
		}
	}
	if err := n.offerLoggers(); err != nil {
		return err
	}
	return n.followTime()
}

// listen opens the two ports of a node: one for the slave API, one for TCPROS.
func (n *Node) listen(ctx context.Context) error {
	lc := net.ListenConfig{KeepAliveConfig: wire.KeepAlive()}
	api, err := lc.Listen(ctx, "tcp", listenAddress(n.host))
	if err != nil {
		return fmt.Errorf("listen for the slave API: %w", err)
	}
	n.listener, err = lc.Listen(ctx, "tcp", listenAddress(n.host))
	if err != nil {
		api.Close() //nolint:errcheck // on the way out
		return fmt.Errorf("listen for TCPROS: %w", err)
	}
	n.uri = "http://" + net.JoinHostPort(n.host, fmt.Sprint(port(api))) + "/"
	reach := "other machines can reach this node"
	if isLoopback(n.host) {
		reach = "only this machine can reach this node"
	}
	n.log.Debug().Str("uri", n.uri).Stringer("address", n.listener.Addr()).Msg(reach)
	n.server = xmlrpc.NewServer(n.serveAPI, n.log)
	n.wg.Go(func() { n.server.Serve(api) }) //nolint:errcheck // ends with ErrServerClosed
	return nil
}

func port(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

// setPrivateParams sets the _name:=value arguments on the master, as roscpp does.
func (n *Node) setPrivateParams(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(n.cfg.PrivateParams)) {
		key := names.Clean(n.names.Node + "/" + name)
		if _, err := n.caller.Call(ctx, n.cfg.MasterURI, "setParam", key, n.cfg.PrivateParams[name]); err != nil {
			return err
		}
	}
	n.paramsSet.Store(true)
	return nil
}

// Name returns the node's full name.
func (n *Node) Name() string { return n.names.Node }

// Namespace returns "/" or "/ns".
func (n *Node) Namespace() string { return n.names.Namespace }

// URI returns the address of the node's slave API.
func (n *Node) URI() string { return n.uri }

// Log returns the node's logger, which also writes to /rosout.
func (n *Node) Log() zerolog.Logger { return n.cfg.Log }

// Resolve returns the global name for name, with remaps applied.
func (n *Node) Resolve(name string) (string, error) { return n.names.Resolve(name) }

// Done is closed when the node is asked to shut down (rosnode kill), and by Close.
func (n *Node) Done() <-chan struct{} { return n.done.Done() }

// UntilDone returns a context that ends with ctx, or when Done is closed.
func (n *Node) UntilDone(ctx context.Context) (context.Context, context.CancelFunc) {
	return withEither(ctx, n.done)
}

// untilClosed returns a context that ends with ctx, or when Close begins to tear down.
func (n *Node) untilClosed(ctx context.Context) (context.Context, context.CancelFunc) {
	return withEither(ctx, n.ctx)
}

func withEither(ctx, other context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(other, cancel)
	return ctx, func() { stop(); cancel() }
}

// Sync waits until the master knows everything that was advertised, subscribed and
// set so far. It also waits for a master that isn't running yet.
func (n *Node) Sync(ctx context.Context) error { return n.registrar.Wait(ctx, n.ctx) }

func (n *Node) nextConnection() int { return int(n.connections.Add(1)) }

// Close unregisters, closes every connection and waits for every goroutine. A
// master that doesn't answer delays it by about a second.
func (n *Node) Close() error {
	n.mu.Lock()
	if n.closed {
		n.mu.Unlock()
		n.wg.Wait()
		return nil
	}
	n.closed = true
	n.mu.Unlock()
	n.finish()
	if n.flushRosout != nil {
		n.flushRosout()
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	n.cancel()
	n.registrar.Leave(ctx)
	err := n.listener.Close()
	n.server.Close() //nolint:errcheck // closes listeners and connections
	n.closeTopics()
	n.mu.Lock()
	n.disconnect()
	n.mu.Unlock()
	n.wg.Wait()
	return err
}

// Alone reports whether masters were asked and none ever answered. It may be called after Close.
func (n *Node) Alone() bool { return n.registrar.Alone() }

// closeTopics closes all publishers, the last one first, then the subscriptions of topics and parameters.
func (n *Node) closeTopics() {
	n.mu.Lock()
	params := slices.Clone(n.params)
	var publishers []*Publisher
	for _, t := range n.topics {
		t.mu.Lock()
		publishers = append(publishers, t.publishers...)
		t.mu.Unlock()
	}
	n.mu.Unlock()
	for _, p := range slices.Backward(publishers) {
		p.Close()
	}
	for _, s := range n.subscribers() {
		s.Close()
	}
	for _, p := range params {
		p.Close()
	}
}
