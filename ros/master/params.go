package master

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rsros/ros/names"
)

// maxParamDepth limits the depth of names and values together, as XML-RPC's is limited.
const maxParamDepth = 48

// params is the parameter tree: structs are namespaces, anything else is a value. A key has the parts
// of an absolute name; the root's has none. Trees are immutable: set and remove copy everything on
// the path, so results of get may be read without a lock. Otherwise params is not safe for concurrent use.
type params struct{ root map[string]any }

func (p *params) get(key []string) (any, bool) {
	var value any = p.root
	for _, part := range key {
		space, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = space[part]; !ok {
			return nil, false
		}
	}
	return value, true
}

// set stores a value. It replaces the value at key, and plain values on the path. The caller must not
// change the value afterwards.
func (p *params) set(key []string, value any) error {
	if len(key)+depth(value) > maxParamDepth {
		return errors.New("parameter tree would be too deep")
	}
	root, ok := withValue(p.root, key, value).(map[string]any)
	if !ok {
		return errors.New("cannot set root of parameter tree to non-dictionary")
	}
	p.root = root
	return nil
}

// withValue returns tree with value at key.
func withValue(tree any, key []string, value any) any {
	if len(key) == 0 {
		return value
	}
	space, _ := tree.(map[string]any)
	grown := maps.Clone(space)
	if grown == nil {
		grown = map[string]any{}
	}
	grown[key[0]] = withValue(space[key[0]], key[1:], value)
	return grown
}

func (p *params) remove(key []string) bool {
	if len(key) == 0 {
		return false
	}
	last := len(key) - 1
	value, _ := p.get(key[:last])
	space, ok := value.(map[string]any)
	if !ok {
		return false
	}
	if _, ok = space[key[last]]; !ok {
		return false
	}
	left := maps.Clone(space)
	delete(left, key[last])
	p.root = withValue(p.root, key[:last], left).(map[string]any)
	return true
}

// search looks for a relative key from a namespace upwards. It returns the first namespace that has the
// key's first part, even if it doesn't have the rest.
func (p *params) search(from, key []string) ([]string, bool) {
	for up := len(from); up >= 0; up-- {
		if _, ok := p.get(slices.Concat(from[:up], key[:1])); ok {
			return from[:up], true
		}
	}
	return nil, false
}

func (p *params) names() []string {
	list := []string{}
	var walk func(space map[string]any, prefix string)
	walk = func(space map[string]any, prefix string) {
		for _, name := range slices.Sorted(maps.Keys(space)) {
			if below, ok := space[name].(map[string]any); ok {
				walk(below, prefix+name+"/")
			} else {
				list = append(list, prefix+name)
			}
		}
	}
	walk(p.root, "/")
	return list
}

// depth returns the nesting depth of a value; a plain value has depth 0.
func depth(value any) int {
	deepest := 0
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			deepest = max(deepest, depth(inner))
		}
	case []any:
		for _, inner := range v {
			deepest = max(deepest, depth(inner))
		}
	default:
		return 0
	}
	return deepest + 1
}

func join(p []string) string { return "/" + strings.Join(p, "/") }

// resolve returns the global form of a caller's name.
func resolve(name, caller string) string {
	p := names.Split(caller)
	return names.Expand(name, caller, join(p[:max(0, len(p)-1)]))
}

// within reports whether name is space or below it.
func within(name, space string) bool {
	rest, ok := strings.CutPrefix(name, space)
	return ok && (rest == "" || rest[0] == '/' || space == "/")
}

// The methods of the Parameter Server. They run under the master's lock.

func (m *Master) setParam(c call) reply {
	key := c.text[0]
	if err := m.params.set(names.Split(key), c.value); err != nil {
		return reply{codeError, "Error: invalid arguments: " + err.Error(), nil}
	}
	m.paramChanged(key, c.value, c.caller)
	return success(0, "parameter %s set", key)
}

func (m *Master) getParam(c call) reply {
	value, ok := m.params.get(names.Split(c.text[0]))
	if !ok {
		return reply{codeError, fmt.Sprintf("Parameter [%s] is not set", c.text[0]), nil}
	}
	return success(value, "Parameter [%s]", c.text[0])
}

func (m *Master) hasParam(c call) reply {
	_, ok := m.params.get(names.Split(c.text[0]))
	return success(ok, "%s", c.text[0])
}

func (m *Master) deleteParam(c call) reply {
	key := c.text[0]
	if !m.params.remove(names.Split(key)) {
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
		if _, ok := m.params.get(names.Split(key)); ok {
			return success(key, "Found [%s]", key)
		}
	} else if space, ok := m.params.search(names.Split(c.caller), names.Split(key)); ok {
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
	m.registered.add(m.registered.paramSubscribers, key, c.caller)
	return success(m.valueOrUnset(key), "Subscribed to parameter [%s]", key)
}

func (m *Master) unsubscribeParam(c call) reply {
	api, key := c.text[0], c.text[1]
	if m.registered.isAt(c.caller, api) {
		m.registered.remove(m.registered.paramSubscribers, key, c.caller)
	}
	return success(1, "Unsubscribe to parameter [%s]", key) // even if there was none
}

// valueOrUnset returns a parameter's value in the form of updates.
func (m *Master) valueOrUnset(key string) any {
	if value, ok := m.params.get(names.Split(key)); ok {
		return value
	}
	return map[string]any{}
}

// paramChanged notifies the subscribers of a parameter, of namespaces that contain it and of parameters below it. It
// doesn't notify the caller of the first two. Names in updates end with a slash, as rosmaster's do.
func (m *Master) paramChanged(key string, value any, caller string) {
	for _, subscribed := range slices.Sorted(maps.Keys(m.registered.paramSubscribers)) {
		for _, name := range m.registered.paramSubscribers[subscribed] {
			api := m.registered.nodes[name].api
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
	key := names.Clean(param)
	for name, n := range maps.Clone(m.registered.nodes) {
		if n.api == api {
			m.registered.remove(m.registered.paramSubscribers, key, name)
		}
	}
}
