package ros2

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"rsros/program/work"
	"rsros/ros2/internal/dds"
	"rsros/ros2/internal/rtps"
)

// GUID identifies a publisher, a subscriber or a participant.
type GUID = rtps.GUID

// Node is a node in a graph of ROS 2.
type Node struct {
	config Config
	p      *dds.Participant
	info   *dds.Writer // ros_discovery_info

	changes work.Signal // the graph has changed
	ctx     context.Context
	cancel  context.CancelFunc
	wg      sync.WaitGroup

	// mu guards:
	mu       sync.Mutex
	closed   bool
	own      map[GUID]func() // closes each endpoint
	infos    map[rtps.Prefix][]nodeInfo
	types    map[string]typeText
	watchers map[*func()]struct{}
}

// typeText is what is known of a type.
type typeText struct{ hash, definition string }

// Join starts a node. It returns at once: others are found later.
func Join(ctx context.Context, config Config) (*Node, error) {
	if config.Namespace == "" {
		config.Namespace = "/"
	}
	if !baseName.MatchString(config.Name) || config.Namespace != "/" && !fullName.MatchString(config.Namespace) {
		return nil, fmt.Errorf("join ROS 2: node %q in namespace %q: want letters, digits and '_'",
			config.Name, config.Namespace)
	}
	if config.Enclave == "" {
		config.Enclave = "/"
	}
	n := &Node{
		config: config, changes: work.NewSignal(), own: map[GUID]func(){}, infos: map[rtps.Prefix][]nodeInfo{},
		types: map[string]typeText{}, watchers: map[*func()]struct{}{},
	}
	n.ctx, n.cancel = context.WithCancel(ctx)
	var err error
	n.p, err = dds.Join(dds.Config{
		Domain: config.Domain, Range: config.Range, Peers: config.Peers,
		UserData: "enclave=" + config.Enclave + ";", Changed: n.changes.Set, Log: config.Log,
	})
	if err != nil {
		n.cancel()
		return nil, err
	}
	if err := n.openInfo(); err != nil {
		n.Close()
		return nil, err
	}
	if err := n.serveDescriptions(); err != nil {
		n.Close()
		return nil, err
	}
	n.wg.Go(n.tellWatchers)
	return n, nil
}

// FullName returns the node's name with its namespace.
func (n *Node) FullName() string {
	return strings.TrimSuffix(n.config.Namespace, "/") + "/" + n.config.Name
}

// GUID returns that of the node's participant.
func (n *Node) GUID() GUID { return n.p.GUID() }

// tellWatchers calls those who want to know of changes.
func (n *Node) tellWatchers() {
	for {
		select {
		case <-n.ctx.Done():
			return
		case <-n.changes:
		}
		n.mu.Lock()
		list := slices.Collect(maps.Keys(n.watchers))
		n.mu.Unlock()
		for _, call := range list {
			(*call)()
		}
	}
}

// OnChange calls a function whenever the graph has changed, until stop is called. Changes that come together are told
// once.
func (n *Node) OnChange(call func()) (stop func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.watchers[&call] = struct{}{}
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.watchers, &call)
	}
}

// adopt registers endpoints, which Close closes by end, and tells others that they are the node's.
func (n *Node) adopt(end func(), list ...GUID) error {
	n.mu.Lock()
	if n.closed {
		n.mu.Unlock()
		end()
		return ErrClosed
	}
	for i, g := range list {
		n.own[g] = func() {}
		if i == 0 {
			n.own[g] = end
		}
	}
	n.mu.Unlock()
	n.publishInfo()
	return nil
}

// disown is the inverse of adopt. It reports false if the endpoints have been closed.
func (n *Node) disown(list ...GUID) bool {
	n.mu.Lock()
	_, ok := n.own[list[0]]
	for _, g := range list {
		delete(n.own, g)
	}
	n.mu.Unlock()
	if ok {
		n.publishInfo()
	}
	return ok
}

// learn keeps a type's definition for those who ask.
func (n *Node) learn(name, hash, definition string) {
	if definition == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.types[name] = typeText{hash, definition}
}

// Close leaves the graph and waits for all goroutines. Publishers and subscribers are closed.
func (n *Node) Close() {
	n.mu.Lock()
	if n.closed {
		n.mu.Unlock()
		return
	}
	n.closed = true
	list := slices.Collect(maps.Values(n.own))
	clear(n.own)
	n.mu.Unlock()
	n.cancel()
	for _, end := range list {
		end()
	}
	n.p.Close()
	n.wg.Wait()
}
