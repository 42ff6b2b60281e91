package graph

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"rsros/node/xmlrpc"
)

// PublishedTopics asks the master for the names of all published topics. It gives up
// after askTimeout.
func (n *Node) PublishedTopics(ctx context.Context) ([]string, error) {
	list, err := n.ask(ctx, "getPublishedTopics", "")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range list {
		if pair, _ := entry.([]any); len(pair) == 2 {
			if name, ok := pair[0].(string); ok {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// SubscribedTopics asks the master for the names of the topics that a node
// subscribes to. It gives up after askTimeout.
func (n *Node) SubscribedTopics(ctx context.Context, node string) ([]string, error) {
	node, err := n.Resolve(node)
	if err != nil {
		return nil, err
	}
	subscribers, err := n.systemState(ctx, 1)
	if err != nil {
		return nil, err
	}
	var names []string
	for topic, nodes := range subscribers {
		if slices.Contains(nodes, node) {
			names = append(names, topic)
		}
	}
	return names, nil
}

// systemState returns which nodes publish (side 0) or subscribe to (1) each topic.
func (n *Node) systemState(ctx context.Context, side int) (map[string][]string, error) {
	state, err := n.ask(ctx, "getSystemState")
	if err != nil {
		return nil, err
	}
	return sideOf(state, side)
}

// sideOf reads one of the lists of getSystemState: publishers, subscribers, services.
func sideOf(state []any, side int) (map[string][]string, error) {
	if len(state) != 3 {
		return nil, fmt.Errorf("getSystemState: the master answered %d lists, not publishers, subscribers and services", len(state))
	}
	list, _ := state[side].([]any)
	nodes := map[string][]string{}
	for _, entry := range list {
		pair, _ := entry.([]any)
		if len(pair) != 2 {
			continue
		}
		topic, _ := pair[0].(string)
		names, _ := pair[1].([]any)
		for _, name := range names {
			if text, ok := name.(string); ok && topic != "" {
				nodes[topic] = append(nodes[topic], text)
			}
		}
	}
	return nodes, nil
}

// askTimeout bounds a call to the master.
const askTimeout = 10 * time.Second

// ask calls a method of the master that answers with a list.
func (n *Node) ask(ctx context.Context, method string, args ...any) ([]any, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	v, err := xmlrpc.Call(ctx, http.DefaultClient, n.masterURI, method, append([]any{n.Name()}, args...)...)
	if err != nil {
		return nil, err
	}
	answer, _ := v.([]any)
	if len(answer) != 3 || answer[0] != 1 {
		return nil, fmt.Errorf("%s: the master answered %v", method, v)
	}
	list, _ := answer[2].([]any)
	return list, nil
}

// Topology is who publishes, subscribes and provides what: names of nodes by topic or
// service, and the types of topics as the master knows them.
type Topology struct {
	Publishers, Subscribers, Providers map[string][]string
	Types                              map[string]string
}

// Topology asks the master. It gives up after askTimeout.
func (n *Node) Topology(ctx context.Context) (Topology, error) {
	var t Topology
	state, err := n.ask(ctx, "getSystemState")
	if err != nil {
		return t, err
	}
	for i, side := range []*map[string][]string{&t.Publishers, &t.Subscribers, &t.Providers} {
		if *side, err = sideOf(state, i); err != nil {
			return t, err
		}
	}
	list, err := n.ask(ctx, "getTopicTypes")
	if err != nil {
		return t, err
	}
	t.Types = make(map[string]string, len(list))
	for _, entry := range list {
		if pair, _ := entry.([]any); len(pair) == 2 {
			name, _ := pair[0].(string)
			t.Types[name], _ = pair[1].(string)
		}
	}
	return t, nil
}
