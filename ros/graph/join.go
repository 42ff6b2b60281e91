// Package graph joins a ROS graph for the other packages of node: it reads the ROS arguments of a command line, finds
// the master or starts an embedded one, and offers services to stock tools.
//
// It may use ros, ros/master and ros/xmlrpc. It knows nothing of cameras or bags. A Master and a Node own their
// goroutines, and Close waits for them. Services run on the node's goroutines.
package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"rsros/program"
	"rsros/ros"
	"rsros/ros/rosapi"
)

// Config is a node's identity in the graph.
type Config = ros.Config

// ParseArgs reads the ROS arguments (a:=b, _p:=v, __name:=x, …) of a command line and the ROS environment variables. It
// returns the remaining arguments in order. The program's logger must write to the config's Rosout as well, and use it
// as a hook.
func ParseArgs(args, environ []string) (Config, []string, error) {
	conf, rest, err := ros.ParseArgs(args, environ)
	conf.Rosout = ros.NewLogWriter(zerolog.InfoLevel)
	return conf, rest, err
}

// JoinOptions select the graph that a program joins and its name there.
type JoinOptions struct {
	ROS    Config
	Master Mode // default ROS

	// Name is the node's name if ROS has none. Unique appends the process id and the time to it, as rosbag does.
	Name   string
	Unique bool

	Log zerolog.Logger
}

// Node is a node together with the master that Join started for it, if any.
type Node struct {
	*ros.Node
	stopMaster func()
	masterURI  string
}

// Join starts a node, and before it the embedded master if o.Master asks for one.
// It doesn't wait for a master that runs elsewhere.
//
// The error wraps program.ErrUsage if a name, remap or address is invalid, and
// program.ErrNoMaster if the master can't be started.
func Join(ctx context.Context, o JoinOptions) (*Node, error) {
	if o.ROS.Name == "" {
		o.ROS.Name, o.ROS.Anonymous = o.Name, o.Unique
	}
	stop, err := connect(ctx, cmp.Or(o.Master, ROS), &o.ROS, o.Log)
	if err != nil {
		return nil, err
	}
	o.ROS.Log = o.Log
	n, err := ros.NewNode(ctx, o.ROS)
	if err != nil {
		stop()
		if errors.Is(err, ros.ErrConfig) {
			return nil, fmt.Errorf("%w: %w", program.ErrUsage, err)
		}
		return nil, fmt.Errorf("start the node: %w", err)
	}
	return &Node{Node: n, stopMaster: stop, masterURI: o.ROS.MasterURI}, nil
}

// MasterURI returns the address of the master.
func (n *Node) MasterURI() string { return n.masterURI }

// Close leaves the graph and then stops the master that Join started. The error has a
// MasterError if no master ever answered.
func (n *Node) Close() error {
	err := n.Node.Close()
	n.stopMaster()
	if n.Alone() {
		err = errors.Join(err, MasterError{fmt.Errorf("no ROS master answered at %s", n.masterURI)})
	}
	return err
}

// Params are a node's private parameters, as the parameter server returns them.
type Params = map[string]any

// PrivateParams gets the node's private parameters. It waits for the master.
func PrivateParams(ctx context.Context, n *ros.Node) (Params, error) {
	for {
		v, _, err := n.Param(ctx, "~")
		if err == nil {
			tree, _ := v.(map[string]any)
			return tree, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-n.Done():
			return nil, errors.New("shut down before a master answered")
		case <-time.After(time.Second):
		}
	}
}

// PublishedTopics asks the master for the names of all published topics, sorted.
func (n *Node) PublishedTopics(ctx context.Context) ([]string, error) {
	t, err := n.systemState(ctx)
	return slices.Sorted(maps.Keys(t.Publishers)), err
}

// SubscribedTopics asks the master for the topics that a node subscribes to.
func (n *Node) SubscribedTopics(ctx context.Context, node string) ([]string, error) {
	node, err := n.Resolve(node)
	if err != nil {
		return nil, err
	}
	t, err := n.systemState(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for topic, nodes := range t.Subscribers {
		if slices.Contains(nodes, node) {
			names = append(names, topic)
		}
	}
	return names, nil
}

// Topology has the names of nodes by topic or service, and the types of topics.
type Topology struct {
	Publishers, Subscribers, Providers map[string][]string
	Types                              map[string]string
}

// Topology asks the master. It gives up after ten seconds.
func (n *Node) Topology(ctx context.Context) (Topology, error) {
	t, err := n.systemState(ctx)
	if err != nil {
		return t, err
	}
	list, err := n.CallMaster(ctx, "getTopicTypes")
	t.Types = map[string]string{}
	for name, typ := range rosapi.Pairs(list) {
		t.Types[name], _ = typ.(string)
	}
	return t, err
}

// Addressed is a Topology with the addresses of those who publish or provide something.
type Addressed struct {
	Topology
	Addresses map[string]string // URIs of nodes, by name
}

// Addressed asks the master. It gives up after ten seconds without an answer.
func (n *Node) Addressed(ctx context.Context) (a Addressed, err error) {
	if a.Topology, err = n.Topology(ctx); err != nil {
		return a, err
	}
	nodes := map[string]bool{}
	for _, list := range []map[string][]string{a.Publishers, a.Providers} {
		for _, names := range list {
			for _, name := range names {
				nodes[name] = true
			}
		}
	}
	a.Addresses, err = n.LookupNodes(ctx, slices.Collect(maps.Keys(nodes)))
	return a, err
}

// systemState returns the Topology without types.
func (n *Node) systemState(ctx context.Context) (t Topology, err error) {
	s, err := n.SystemState(ctx)
	return Topology{Publishers: s[rosapi.Publisher], Subscribers: s[rosapi.Subscriber], Providers: s[rosapi.Service]}, err
}

// Doubles returns the other nodes that publish a topic of this one, by topic.
func (n *Node) Doubles(ctx context.Context) (map[string][]string, error) {
	t, err := n.systemState(ctx)
	if err != nil {
		return nil, err
	}
	doubles := map[string][]string{}
	for topic, nodes := range t.Publishers {
		if i := slices.Index(nodes, n.Name()); i >= 0 && len(nodes) > 1 {
			doubles[topic] = slices.Delete(nodes, i, i+1)
		}
	}
	return doubles, nil
}
