package graph

import (
	"context"
	"fmt"
	"iter"
	"slices"
)

// PublishedTopics asks the master for the names of all published topics.
func (n *Node) PublishedTopics(ctx context.Context) ([]string, error) {
	list, err := n.ask(ctx, "getPublishedTopics", "")
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range pairs(list) {
		names = append(names, name)
	}
	return names, nil
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

func (n *Node) ask(ctx context.Context, method string, args ...any) ([]any, error) {
	v, err := n.CallMaster(ctx, method, args...)
	list, _ := v.([]any)
	return list, err
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
	list, err := n.ask(ctx, "getTopicTypes")
	t.Types = map[string]string{}
	for name, typ := range pairs(list) {
		t.Types[name], _ = typ.(string)
	}
	return t, err
}

// systemState returns the Topology without types.
func (n *Node) systemState(ctx context.Context) (t Topology, err error) {
	state, err := n.ask(ctx, "getSystemState")
	if err != nil {
		return t, err
	}
	if len(state) != 3 {
		return t, fmt.Errorf("getSystemState: the master answered %d lists, not publishers, subscribers and services", len(state))
	}
	for i, side := range []*map[string][]string{&t.Publishers, &t.Subscribers, &t.Providers} {
		*side = map[string][]string{}
		list, _ := state[i].([]any)
		for name, nodes := range pairs(list) {
			nodes, _ := nodes.([]any)
			for _, node := range nodes {
				if text, ok := node.(string); ok {
					(*side)[name] = append((*side)[name], text)
				}
			}
		}
	}
	return t, nil
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

// pairs yields the entries [name, value] of a list.
func pairs(list []any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, entry := range list {
			if pair, _ := entry.([]any); len(pair) == 2 {
				if name, _ := pair[0].(string); name != "" && !yield(name, pair[1]) {
					return
				}
			}
		}
	}
}
