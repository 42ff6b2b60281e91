package master

import (
	"maps"
	"slices"
)

// node is a registered node. It is kept as long as it has registrations.
type node struct {
	api           string // URI of its slave API
	registrations int
}

type provider struct {
	node string
	api  string // rosrpc:// URI of the service itself
}

// registry maps a topic or parameter to the names of its nodes in order of registration.
type registry map[string][]string

// graph holds all registrations. It is not safe for concurrent use.
type graph struct {
	nodes            map[string]*node
	publishers       registry
	subscribers      registry
	paramSubscribers registry
	services         map[string]provider
	types            map[string]string // of all topics that have ever been registered
}

func newGraph() *graph {
	return &graph{
		nodes: map[string]*node{}, publishers: registry{}, subscribers: registry{}, paramSubscribers: registry{},
		services: map[string]provider{}, types: map[string]string{},
	}
}

// replaced is a node whose name was registered again at another URI.
type replaced struct {
	api    string
	topics []string // it published
}

// enter registers a node's current URI. If the name was registered at another URI, that node loses
// all its registrations and is returned.
func (g *graph) enter(name, api string) *replaced {
	old := g.nodes[name]
	if old != nil && old.api == api {
		return nil
	}
	var gone *replaced
	if old != nil {
		gone = &replaced{api: old.api, topics: g.expel(name)}
	}
	g.nodes[name] = &node{api: api}
	return gone
}

func (g *graph) expel(name string) (published []string) {
	for topic := range g.publishers {
		if g.remove(g.publishers, topic, name) {
			published = append(published, topic)
		}
	}
	for topic := range g.subscribers {
		g.remove(g.subscribers, topic, name)
	}
	for key := range g.paramSubscribers {
		g.remove(g.paramSubscribers, key, name)
	}
	for service, p := range g.services {
		if p.node == name {
			g.removeService(service)
		}
	}
	delete(g.nodes, name)
	slices.Sort(published)
	return published
}

// add registers a node for a key. The node must have entered.
func (g *graph) add(r registry, key, name string) {
	if !slices.Contains(r[key], name) {
		r[key] = append(r[key], name)
		g.nodes[name].registrations++
	}
}

func (g *graph) remove(r registry, key, name string) bool {
	i := slices.Index(r[key], name)
	if i < 0 {
		return false
	}
	if r[key] = slices.Delete(r[key], i, i+1); len(r[key]) == 0 {
		delete(r, key)
	}
	g.release(name)
	return true
}

// release removes one of a node's registrations, and the node with the last one.
func (g *graph) release(name string) {
	n := g.nodes[name]
	if n == nil {
		return
	}
	if n.registrations--; n.registrations == 0 {
		delete(g.nodes, name)
	}
}

// registered reports whether a node is registered at a URI. Only then may it unregister.
func (g *graph) registered(name, api string) bool {
	n := g.nodes[name]
	return n != nil && n.api == api
}

// setType sets the type of a topic. "*" never replaces a known type, and a subscriber's type never
// replaces a publisher's.
func (g *graph) setType(topic, typeName string, publisher bool) {
	known, ok := g.types[topic]
	switch {
	case typeName == anyType && (ok || !publisher): // nothing new
	case publisher || !ok || known == anyType:
		g.types[topic] = typeName
	}
}

// addService makes a node the only provider of a service. The node must have entered.
func (g *graph) addService(service, name, api string) {
	g.nodes[name].registrations++ // first, so that a node that renews its only service is kept
	g.removeService(service)
	g.services[service] = provider{node: name, api: api}
}

func (g *graph) removeService(service string) {
	if p, ok := g.services[service]; ok {
		delete(g.services, service)
		g.release(p.node)
	}
}

// apis returns the URIs of a key's nodes.
func (g *graph) apis(r registry, key string) []string {
	apis := []string{}
	for _, name := range r[key] {
		apis = append(apis, g.nodes[name].api)
	}
	return apis
}

// state returns a registry in the form of getSystemState: [[key, [node, …]], …], sorted.
func (r registry) state() []any {
	state := []any{}
	for _, key := range slices.Sorted(maps.Keys(r)) {
		state = append(state, []any{key, slices.Clone(r[key])})
	}
	return state
}

func (g *graph) serviceState() []any {
	state := []any{}
	for _, service := range slices.Sorted(maps.Keys(g.services)) {
		state = append(state, []any{service, []string{g.services[service].node}})
	}
	return state
}
