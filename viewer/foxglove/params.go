package foxglove

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// updateParams informs the clients of changes of the parameters that they follow. Callers hold mu.
func (s *Server) updateParams(now map[string]any) {
	names := changed(s.state.Params, now, func(a, b any) bool { return reflect.DeepEqual(a, b) })
	for _, c := range s.clients.All() {
		var list []parameter
		for _, name := range names {
			if !c.allParams && !c.params[name] {
				continue
			}
			if value, has := now[name]; has {
				list = append(list, parameterOf(name, value))
			} else {
				list = append(list, parameter{Name: name})
			}
		}
		if len(list) > 0 {
			c.send("parameterValues", parameterValues{Parameters: list})
		}
	}
}

// getParams answers with the named parameters that have a value; no names means all.
func (c *client) getParams(names []string, id string) {
	s := c.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(s.state.Params))
	}
	list := []parameter{}
	for _, name := range names {
		if value, has := s.state.Params[name]; has {
			list = append(list, parameterOf(name, value))
		}
	}
	c.send("parameterValues", parameterValues{list, id})
}

// setParams sets parameters on the client's third goroutine, and answers with their new
// values if the client gave an id.
func (c *client) setParams(list []parameter, id string) {
	s := c.s
	var names []string
	for i := range list {
		p := &list[i]
		value, err := p.value()
		if err == nil && s.graph == nil {
			err = errNoGraph
		}
		if err == nil {
			ctx, cancel := context.WithTimeout(c.Context(), callTime)
			err = s.graph.SetParam(ctx, p.Name, value)
			cancel()
		}
		names = append(names, p.Name)
		if err != nil {
			c.status(levelError, "Parameter can't be set: "+err.Error())
			continue
		}
		s.mu.Lock()
		now := *s.state
		now.Params = make(map[string]any)
		maps.Copy(now.Params, s.state.Params)
		delete(now.Params, p.Name)
		flatten(now.Params, p.Name, value)
		s.updateParams(now.Params)
		s.state = &now
		s.mu.Unlock()
	}
	if id != "" && len(names) > 0 {
		c.getParams(names, id)
	}
}

// flatten adds a value, or the leaves of a tree, to a map of parameters.
func flatten(to map[string]any, name string, value any) {
	tree, isTree := value.(map[string]any)
	if !isTree {
		if value != nil {
			to[name] = value
		}
		return
	}
	for k, v := range tree {
		flatten(to, strings.TrimSuffix(name, "/")+"/"+k, v)
	}
}

// Flatten returns the leaves of a tree of parameters by their full names, for [State.Params].
func Flatten(tree map[string]any) map[string]any {
	list := make(map[string]any)
	flatten(list, "", tree)
	return list
}

// followParams starts or stops sending changes of parameters to the client; no names means all.
func (c *client) followParams(names []string, on bool) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	switch {
	case len(names) == 0:
		c.allParams = on
		if !on {
			clear(c.params)
		}
	case on:
		for _, name := range names {
			if len(c.params) >= maxNames {
				c.status(levelError, "Too many parameters are followed")
				return
			}
			c.params[name] = true
		}
	default:
		for _, name := range names {
			delete(c.params, name)
		}
	}
}

// maxNames bounds the subscriptions of a client, and the parameters that it follows.
const maxNames = 10000
