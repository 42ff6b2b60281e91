package master

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The methods of the Parameter Server. They run under the master's lock.

func (m *Master) setParam(c call) reply {
	key := c.text[0]
	if err := m.params.set(split(key), c.value); err != nil {
		return reply{codeError, "Error: invalid arguments: " + err.Error(), nil}
	}
	m.paramChanged(key, c.value, c.caller)
	return success(0, "parameter %s set", key)
}

func (m *Master) getParam(c call) reply {
	value, ok := m.params.get(split(c.text[0]))
	if !ok {
		return reply{codeError, fmt.Sprintf("Parameter [%s] is not set", c.text[0]), nil}
	}
	return success(value, "Parameter [%s]", c.text[0])
}

func (m *Master) hasParam(c call) reply {
	_, ok := m.params.get(split(c.text[0]))
	return success(ok, "%s", c.text[0])
}

func (m *Master) deleteParam(c call) reply {
	key := c.text[0]
	if !m.params.remove(split(key)) {
		return reply{codeError, fmt.Sprintf("parameter [%s] is not set", key), nil}
	}
	m.paramChanged(key, map[string]any{}, "")
	return success(0, "parameter %s deleted", key)
}

func (m *Master) searchParam(c call) reply {
	key := c.text[0]
	if strings.HasPrefix(key, "~") || !strings.HasPrefix(c.caller, "/") {
		reason := "invalid key"
		if !strings.HasPrefix(key, "~") {
			reason = "namespace must be global"
		}
		return reply{codeFailure, "Internal failure: " + reason, 0}
	}
	if strings.HasPrefix(key, "/") {
		if _, ok := m.params.get(split(key)); ok {
			return success(key, "Found [%s]", key)
		}
	} else if space, ok := m.params.search(split(c.caller), split(key)); ok {
		found := strings.TrimSuffix(join(space), "/") + "/" + key // as the caller wrote it
		return success(found, "Found [%s]", found)
	}
	return reply{codeError, fmt.Sprintf("Cannot find parameter [%s] in an upwards search", key), ""}
}

func (m *Master) getParamNames(call) reply { return success(m.params.names(), "Parameter names") }

// subscribeParam answers with the current value; an empty struct means that it isn't set.
func (m *Master) subscribeParam(c call) reply {
	api, key := c.text[0], c.text[1]
	m.enter(c.caller, api)
	m.graph.add(m.graph.paramSubscribers, key, c.caller)
	return success(m.valueOrUnset(key), "Subscribed to parameter [%s]", key)
}

func (m *Master) unsubscribeParam(c call) reply {
	api, key := c.text[0], c.text[1]
	if m.graph.registered(c.caller, api) {
		m.graph.remove(m.graph.paramSubscribers, key, c.caller)
	}
	return success(1, "Unsubscribe to parameter [%s]", key) // also if there was none
}

// valueOrUnset returns a parameter's value in the form of updates.
func (m *Master) valueOrUnset(key string) any {
	if value, ok := m.params.get(split(key)); ok {
		return value
	}
	return map[string]any{}
}

// paramChanged notifies the subscribers of a parameter, of namespaces that contain it and of
// parameters below it. It doesn't notify the caller of the first two. Names in updates end with a
// slash, as rosmaster's do.
func (m *Master) paramChanged(key string, value any, caller string) {
	for _, subscribed := range slices.Sorted(maps.Keys(m.graph.paramSubscribers)) {
		for _, name := range m.graph.paramSubscribers[subscribed] {
			api := m.graph.nodes[name].api
			switch {
			case within(key, subscribed):
				if name != caller {
					m.notifier.queue(api, update{paramUpdate, withSlash(key), value})
				}
			case within(subscribed, key):
				m.notifier.queue(api, update{paramUpdate, withSlash(subscribed), m.valueOrUnset(subscribed)})
			}
		}
	}
}

func withSlash(key string) string { return strings.TrimSuffix(key, "/") + "/" }

// forgetParam removes the subscriptions to a parameter of all nodes at a URI.
func (m *Master) forgetParam(api, param string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := canonical(param)
	for name, n := range maps.Clone(m.graph.nodes) {
		if n.api == api {
			m.graph.remove(m.graph.paramSubscribers, key, name)
		}
	}
}
