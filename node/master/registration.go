package master

import (
	"fmt"
	"maps"
	"os"
	"slices"
)

// The methods of the graph. They run under the master's lock.

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
	old := m.graph.enter(caller, api)
	if old == nil {
		return
	}
	m.log.Info().Str("node", caller).Str("old", old.api).Str("new", api).Msg("node replaced by one with the same name")
	reason := fmt.Sprintf("[%s] Reason: new node registered with same name", caller)
	m.notifier.queue(old.api, update{method: shutdownNode, subject: reason})
	for _, topic := range old.topics {
		m.publishersChanged(topic)
	}
}

func (m *Master) publishersChanged(topic string) {
	publishers := m.graph.apis(m.graph.publishers, topic)
	for _, api := range m.graph.apis(m.graph.subscribers, topic) {
		m.notifier.queue(api, update{publisherUpdate, topic, publishers})
	}
}

func (m *Master) registerPublisher(c call) reply {
	topic, typeName, api := c.text[0], c.text[1], c.text[2]
	m.enter(c.caller, api)
	m.graph.add(m.graph.publishers, topic, c.caller)
	m.graph.setType(topic, typeName, true)
	m.publishersChanged(topic)
	return success(m.graph.apis(m.graph.subscribers, topic), "Registered [%s] as publisher of [%s]", c.caller, topic)
}

func (m *Master) unregisterPublisher(c call) reply {
	r := m.unregister(m.graph.publishers, c.caller, c.text[0], c.text[1])
	if r.value == 1 {
		m.publishersChanged(c.text[0])
	}
	return r
}

func (m *Master) registerSubscriber(c call) reply {
	topic, typeName, api := c.text[0], c.text[1], c.text[2]
	m.enter(c.caller, api)
	m.graph.add(m.graph.subscribers, topic, c.caller)
	m.graph.setType(topic, typeName, false)
	return success(m.graph.apis(m.graph.publishers, topic), "Subscribed to [%s]", topic)
}

func (m *Master) unregisterSubscriber(c call) reply {
	return m.unregister(m.graph.subscribers, c.caller, c.text[0], c.text[1])
}

// unregister removes a topic registration. Without one it succeeds as well, with the value 0.
func (m *Master) unregister(r registry, caller, topic, api string) reply {
	if m.graph.nodes[caller] == nil {
		return success(0, "[%s] is not a registered node", caller)
	}
	if !m.graph.registered(caller, api) || !m.graph.remove(r, topic, caller) {
		return success(0, "[%s] is not a known provider of [%s]", caller, topic)
	}
	return success(1, "Unregistered [%s] as provider of [%s]", caller, topic)
}

func (m *Master) registerService(c call) reply {
	service, serviceAPI, api := c.text[0], c.text[1], c.text[2]
	m.enter(c.caller, api)
	m.graph.addService(service, c.caller, serviceAPI)
	return success(1, "Registered [%s] as provider of [%s]", c.caller, service)
}

func (m *Master) unregisterService(c call) reply {
	service, api := c.text[0], c.text[1]
	if m.graph.nodes[c.caller] == nil {
		return success(0, "[%s] is not a registered node", c.caller)
	}
	if m.graph.services[service] != (provider{c.caller, api}) {
		return success(0, "[%s] is no longer the current service api handle for [%s]", api, service)
	}
	m.graph.removeService(service)
	return success(1, "Unregistered [%s] as provider of [%s]", c.caller, service)
}

func (m *Master) lookupNode(c call) reply {
	if n := m.graph.nodes[c.text[0]]; n != nil {
		return success(n.api, "node api")
	}
	return reply{codeError, fmt.Sprintf("unknown node [%s]", c.text[0]), nil}
}

func (m *Master) lookupService(c call) reply {
	if p, ok := m.graph.services[c.text[0]]; ok {
		return success(p.api, "rosrpc URI: [%s]", p.api)
	}
	return reply{codeError, "no provider", nil}
}

func (m *Master) getPublishedTopics(c call) reply {
	topics := []any{}
	for _, topic := range slices.Sorted(maps.Keys(m.graph.publishers)) {
		if within(topic, c.text[0]) {
			topics = append(topics, []string{topic, m.graph.types[topic]})
		}
	}
	return success(topics, "current topics")
}

func (m *Master) getTopicTypes(call) reply {
	types := []any{}
	for _, topic := range slices.Sorted(maps.Keys(m.graph.types)) {
		types = append(types, []string{topic, m.graph.types[topic]})
	}
	return success(types, "current system state")
}

func (m *Master) getSystemState(call) reply {
	g := m.graph
	return success([]any{g.publishers.state(), g.subscribers.state(), g.serviceState()}, "current system state")
}
