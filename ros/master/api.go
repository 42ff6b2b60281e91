package master

import (
	"context"
	"fmt"
	"strings"

	"rsros/ros/names"
	"rsros/ros/xmlrpc"
)

// Status codes of the ROS APIs, the first of the three values of an answer.
const (
	codeError   = -1 // invalid call, or nothing found
	codeFailure = 0  // the call failed
	codeSuccess = 1
)

const anyType = "*" // type of a topic whose subscriber accepts any

// reply is the answer of a method: code, message for users, value.
type reply struct {
	code    int
	message string
	value   any
}

func success(value any, format string, args ...any) reply {
	return reply{codeSuccess, fmt.Sprintf(format, args...), value}
}

// call is a checked call with resolved names.
type call struct {
	caller string
	text   []string // the string arguments in order
	value  any      // the argument of any type
}

type method struct {
	arguments string // names, after the caller's, which all methods take first; see check
	optional  int    // number of last arguments that may be missing
	onError   any    // value of an error answer, of the same type as a success
	run       func(call) reply
}

// api returns all methods. Answers use rosmaster's texts where tools or users know them.
func (m *Master) api() map[string]method {
	none := []any{}
	return map[string]method{
		"shutdown": {"msg", 1, 0, m.askShutdown},
		"getUri":   {"", 0, "", m.getURI},
		"getPid":   {"", 0, -1, m.getPID},

		"registerPublisher":    {"topic topic_type caller_api", 0, none, m.registerPublisher},
		"unregisterPublisher":  {"topic caller_api", 0, 0, m.unregisterPublisher},
		"registerSubscriber":   {"topic topic_type caller_api", 0, none, m.registerSubscriber},
		"unregisterSubscriber": {"topic caller_api", 0, 0, m.unregisterSubscriber},
		"registerService":      {"service service_api caller_api", 0, 0, m.registerService},
		"unregisterService":    {"service service_api", 0, 0, m.unregisterService},

		"lookupNode":         {"node", 0, "", m.lookupNode},
		"lookupService":      {"service", 0, "", m.lookupService},
		"getPublishedTopics": {"subgraph", 0, none, m.getPublishedTopics},
		"getTopicTypes":      {"", 0, none, m.getTopicTypes},
		"getSystemState":     {"", 0, []any{none, none, none}, m.getSystemState},

		"setParam":         {"key value", 0, 0, m.setParam},
		"getParam":         {"key", 0, 0, m.getParam},
		"hasParam":         {"key", 0, false, m.hasParam},
		"deleteParam":      {"key", 0, 0, m.deleteParam},
		"searchParam":      {"search_key", 0, 0, m.searchParam},
		"getParamNames":    {"", 0, none, m.getParamNames},
		"subscribeParam":   {"caller_api key", 0, 0, m.subscribeParam},
		"unsubscribeParam": {"caller_api key", 0, 0, m.unsubscribeParam},
	}
}

// handle answers a call. Calls are executed one at a time.
func (m *Master) handle(_ context.Context, name string, args []any) (any, error) {
	method, ok := m.methods[name]
	if !ok {
		return nil, &xmlrpc.Fault{Code: 1, Message: fmt.Sprintf("method %q is not supported", name)}
	}
	c, err := method.checked(args)
	if err != nil {
		m.log.Debug().Err(err).Str("method", name).Msg("bad call")
		return []any{codeError, err.Error(), method.onError}, nil
	}
	r := m.run(method, c)
	if r.code != codeSuccess && r.value == nil {
		r.value = method.onError
	}
	m.log.Debug().Str("from", c.caller).Strs("args", c.text).Int("code", r.code).Msg(name)
	return []any{r.code, r.message, r.value}, nil
}

func (m *Master) run(d method, c call) reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	return d.run(c)
}

func (d method) checked(args []any) (call, error) {
	if len(args) == 0 {
		return call{}, fmt.Errorf("missing required caller_id parameter")
	}
	caller, ok := args[0].(string)
	if !ok {
		return call{}, fmt.Errorf("caller_id must be a string")
	}
	c := call{caller: caller}
	args = args[1:]
	arguments := strings.Fields(d.arguments)
	if len(args) > len(arguments) || len(args) < len(arguments)-d.optional {
		return call{}, fmt.Errorf("bad call arity")
	}
	for i, value := range args {
		name := arguments[i]
		if name == "value" {
			if value == nil {
				return call{}, fmt.Errorf("ERROR: parameter [%s] must be specified", name)
			}
			c.value = value
			continue
		}
		s, ok := value.(string)
		if !ok {
			return call{}, fmt.Errorf("ERROR: parameter [%s] must be a string", strings.TrimPrefix(name, "search_"))
		}
		s, err := check(name, s, caller)
		if err != nil {
			return call{}, err
		}
		c.text = append(c.text, s)
	}
	return c, nil
}

// check checks the argument of a name and returns it in its final form. Like rosmaster, it refuses
// the characters of URIs and sentences in names and leaves other checks to the nodes.
func check(name, value, caller string) (string, error) {
	bad := func(reason string) (string, error) {
		return "", fmt.Errorf("ERROR: parameter [%s] %s", strings.TrimPrefix(name, "search_"), reason)
	}
	switch name {
	case "topic", "service", "node":
		switch {
		case value == "":
			return bad("must be a non-empty string")
		case strings.ContainsAny(value, ": "):
			return bad("contains illegal chars")
		case names.Clean(value) == "/":
			return bad("cannot be the global namespace")
		}
		return resolve(value, caller), nil
	case "subgraph":
		if value == "" {
			return "/", nil
		}
		return resolve(value, caller), nil
	case "key", "search_key":
		if value == "" {
			return bad("must be specified and non-empty")
		}
		if name == "key" { // a search resolves its own
			value = resolve(value, caller)
		}
	case "caller_api", "service_api":
		if !strings.HasPrefix(value, "http://") && !strings.HasPrefix(value, "rosrpc://") {
			return bad("is not an RPC URI")
		}
	case "topic_type":
		if value != anyType && strings.Count(value, "/") != 1 {
			return bad("is not a valid package resource name")
		}
	}
	return value, nil
}
