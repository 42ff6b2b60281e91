package master

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"rsros/ros/xmlrpc"
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

// registrations are all that nodes have registered. It is not safe for concurrent use.
type registrations struct {
	nodes            map[string]*node
	publishers       registry
	subscribers      registry
	paramSubscribers registry
	services         map[string]provider
	types            map[string]string // of all topics that have ever been registered
}

func newRegistrations() *registrations {
	return &registrations{
		nodes: map[string]*node{}, publishers: registry{}, subscribers: registry{}, paramSubscribers: registry{},
		services: map[string]provider{}, types: map[string]string{},
	}
}

// enter registers a node's current URI. If the name was registered at another URI, that node loses
// all its registrations, and enter returns the URI and the topics that it published.
func (g *registrations) enter(name, api string) (replaced string, topics []string) {
	if old := g.nodes[name]; old != nil {
		if old.api == api {
			return "", nil
		}
		replaced, topics = old.api, g.removeNode(name)
	}
	g.nodes[name] = &node{api: api}
	return replaced, topics
}

func (g *registrations) removeNode(name string) (published []string) {
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
func (g *registrations) add(r registry, key, name string) {
	if !slices.Contains(r[key], name) {
		r[key] = append(r[key], name)
		g.nodes[name].registrations++
	}
}

func (g *registrations) remove(r registry, key, name string) bool {
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
func (g *registrations) release(name string) {
	n := g.nodes[name]
	if n == nil {
		return
	}
	if n.registrations--; n.registrations == 0 {
		delete(g.nodes, name)
	}
}

// isAt reports whether a node is registered at a URI. Only then may it unregister.
func (g *registrations) isAt(name, api string) bool {
	n := g.nodes[name]
	return n != nil && n.api == api
}

// setType sets the type of a topic. "*" never replaces a known type, and a subscriber's type never
// replaces a publisher's.
func (g *registrations) setType(topic, typeName string, publisher bool) {
	known, ok := g.types[topic]
	switch {
	case typeName == anyType && (ok || !publisher): // nothing new
	case publisher || !ok || known == anyType:
		g.types[topic] = typeName
	}
}

// addService makes a node the only provider of a service. The node must have entered.
func (g *registrations) addService(service, name, api string) {
	g.nodes[name].registrations++ // first, so that a node that renews its only service is kept
	g.removeService(service)
	g.services[service] = provider{node: name, api: api}
}

func (g *registrations) removeService(service string) {
	if p, ok := g.services[service]; ok {
		delete(g.services, service)
		g.release(p.node)
	}
}

func (g *registrations) apis(r registry, key string) []string {
	apis := []string{}
	for _, name := range r[key] {
		apis = append(apis, g.nodes[name].api)
	}
	return apis
}

// state returns a registry in the form of getSystemState: [[key, [node, …]], …], sorted.
func (r registry) state() []any {
	return xmlrpc.Pairs(r, func(nodes []string) any { return slices.Clone(nodes) })
}

func (g *registrations) serviceState() []any {
	return xmlrpc.Pairs(g.services, func(p provider) any { return []string{p.node} })
}

// The methods for registrations. They run under the master's lock.

func (m *Master) askShutdown(c call) reply {
	m.log.Info().Str("from", c.caller).Strs("reason", c.text).Msg("shutdown asked")
	m.askOnce.Do(func() { close(m.asked) })
	return success(0, "shutdown")
}

func (m *Master) getURI(call) reply { return success(m.uri, "") }

func (m *Master) getPID(call) reply { return success(os.Getpid(), "") }

// enter registers the caller's URI, before its other registrations. A node that had the name at
// another URI is asked to shut down, and its topics are withdrawn.
func (m *Master) enter(caller, api string) {
	old, topics := m.registered.enter(caller, api)
	if old == "" {
		return
	}
	m.log.Info().Str("node", caller).Str("old", old).Str("new", api).Msg("node replaced by one with the same name")
	reason := fmt.Sprintf("[%s] Reason: new node registered with same name", caller)
	m.notifier.queue(old, update{method: shutdownNode, subject: reason})
	for _, topic := range topics {
		m.publishersChanged(topic)
	}
}

func (m *Master) publishersChanged(topic string) {
	publishers := m.registered.apis(m.registered.publishers, topic)
	for _, api := range m.registered.apis(m.registered.subscribers, topic) {
		m.notifier.queue(api, update{publisherUpdate, topic, publishers})
	}
}

func (m *Master) registerPublisher(c call) reply {
	topic, typeName, api := c.text[0], c.text[1], c.text[2]
	m.enter(c.caller, api)
	m.registered.add(m.registered.publishers, topic, c.caller)
	m.registered.setType(topic, typeName, true)
	m.publishersChanged(topic)
	subscribers := m.registered.apis(m.registered.subscribers, topic)
	return success(subscribers, "Registered [%s] as publisher of [%s]", c.caller, topic)
}

func (m *Master) unregisterPublisher(c call) reply {
	r := m.unregister(m.registered.publishers, c.caller, c.text[0], c.text[1])
	if r.value == 1 {
		m.publishersChanged(c.text[0])
	}
	return r
}

func (m *Master) registerSubscriber(c call) reply {
	topic, typeName, api := c.text[0], c.text[1], c.text[2]
	m.enter(c.caller, api)
	m.registered.add(m.registered.subscribers, topic, c.caller)
	m.registered.setType(topic, typeName, false)
	return success(m.registered.apis(m.registered.publishers, topic), "Subscribed to [%s]", topic)
}

func (m *Master) unregisterSubscriber(c call) reply {
	return m.unregister(m.registered.subscribers, c.caller, c.text[0], c.text[1])
}

// unregister removes a topic registration. Without one it succeeds as well, with the value 0.
func (m *Master) unregister(r registry, caller, topic, api string) reply {
	if m.registered.nodes[caller] == nil {
		return success(0, "[%s] is not a registered node", caller)
	}
	if !m.registered.isAt(caller, api) || !m.registered.remove(r, topic, caller) {
		return success(0, "[%s] is not a known provider of [%s]", caller, topic)
	}
	return success(1, "Unregistered [%s] as provider of [%s]", caller, topic)
}

func (m *Master) registerService(c call) reply {
	service, serviceAPI, api := c.text[0], c.text[1], c.text[2]
	m.enter(c.caller, api)
	m.registered.addService(service, c.caller, serviceAPI)
	return success(1, "Registered [%s] as provider of [%s]", c.caller, service)
}

func (m *Master) unregisterService(c call) reply {
	service, api := c.text[0], c.text[1]
	if m.registered.nodes[c.caller] == nil {
		return success(0, "[%s] is not a registered node", c.caller)
	}
	if m.registered.services[service] != (provider{c.caller, api}) {
		return success(0, "[%s] is no longer the current service api handle for [%s]", api, service)
	}
	m.registered.removeService(service)
	return success(1, "Unregistered [%s] as provider of [%s]", c.caller, service)
}

func (m *Master) lookupNode(c call) reply {
	if n := m.registered.nodes[c.text[0]]; n != nil {
		return success(n.api, "node api")
	}
	return reply{codeError, fmt.Sprintf("unknown node [%s]", c.text[0]), nil}
}

func (m *Master) lookupService(c call) reply {
	if p, ok := m.registered.services[c.text[0]]; ok {
		return success(p.api, "rosrpc URI: [%s]", p.api)
	}
	return reply{codeError, "no provider", nil}
}

func (m *Master) getPublishedTopics(c call) reply {
	topics, space := []any{}, c.text[0]
	for _, topic := range slices.Sorted(maps.Keys(m.registered.publishers)) {
		if within(topic, space) && topic != space { // a topic isn't in the namespace of its own name
			topics = append(topics, []string{topic, m.registered.types[topic]})
		}
	}
	return success(topics, "current topics")
}

func (m *Master) getTopicTypes(call) reply {
	return success(xmlrpc.Pairs(m.registered.types, func(name string) any { return name }), "current system state")
}

func (m *Master) getSystemState(call) reply {
	g := m.registered
	return success([]any{g.publishers.state(), g.subscribers.state(), g.serviceState()}, "current system state")
}
