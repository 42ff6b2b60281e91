package master

import (
	"context"
	"fmt"
	"strings"

	"rsros/node/xmlrpc"
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

type argument struct {
	name  string
	check func(name, value, caller string) (string, error) // nil: any value
}

type method struct {
	arguments []argument // after the caller's name, which all methods take first
	optional  int        // number of last arguments that may be missing
	onError   any        // value of an error answer, of the same type as a success
	run       func(call) reply
}

// api returns all methods. Answers use rosmaster's texts where tools or users know them.
func (m *Master) api() map[string]method {
	key := argument{"key", checkKey}
	topic, service, node := argument{"topic", checkName}, argument{"service", checkName}, argument{"node", checkName}
	callerAPI, serviceAPI := argument{"caller_api", checkAPI}, argument{"service_api", checkAPI}
	topicType := argument{"topic_type", checkType}
	none := []any{}
	return map[string]method{
		"shutdown": {[]argument{{"msg", checkNothing}}, 1, 0, m.askShutdown},
		"getUri":   {nil, 0, "", m.getURI},
		"getPid":   {nil, 0, -1, m.getPID},

		"registerPublisher":    {[]argument{topic, topicType, callerAPI}, 0, none, m.registerPublisher},
		"unregisterPublisher":  {[]argument{topic, callerAPI}, 0, 0, m.unregisterPublisher},
		"registerSubscriber":   {[]argument{topic, topicType, callerAPI}, 0, none, m.registerSubscriber},
		"unregisterSubscriber": {[]argument{topic, callerAPI}, 0, 0, m.unregisterSubscriber},
		"registerService":      {[]argument{service, serviceAPI, callerAPI}, 0, 0, m.registerService},
		"unregisterService":    {[]argument{service, serviceAPI}, 0, 0, m.unregisterService},

		"lookupNode":         {[]argument{node}, 0, "", m.lookupNode},
		"lookupService":      {[]argument{service}, 0, "", m.lookupService},
		"getPublishedTopics": {[]argument{{"subgraph", checkSubgraph}}, 0, none, m.getPublishedTopics},
		"getTopicTypes":      {nil, 0, none, m.getTopicTypes},
		"getSystemState":     {nil, 0, []any{none, none, none}, m.getSystemState},

		"setParam":         {[]argument{key, {"value", nil}}, 0, 0, m.setParam},
		"getParam":         {[]argument{key}, 0, 0, m.getParam},
		"hasParam":         {[]argument{key}, 0, false, m.hasParam},
		"deleteParam":      {[]argument{key}, 0, 0, m.deleteParam},
		"searchParam":      {[]argument{{"key", checkSearchKey}}, 0, 0, m.searchParam},
		"getParamNames":    {nil, 0, none, m.getParamNames},
		"subscribeParam":   {[]argument{callerAPI, key}, 0, 0, m.subscribeParam},
		"unsubscribeParam": {[]argument{callerAPI, key}, 0, 0, m.unsubscribeParam},
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
	m.mu.Lock()
	r := method.run(c)
	m.mu.Unlock()
	if r.code != codeSuccess && r.value == nil {
		r.value = method.onError
	}
	m.log.Debug().Str("from", c.caller).Strs("args", c.text).Int("code", r.code).Msg(name)
	return []any{r.code, r.message, r.value}, nil
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
	if len(args) > len(d.arguments) || len(args) < len(d.arguments)-d.optional {
		return call{}, fmt.Errorf("bad call arity")
	}
	for i, value := range args {
		argument := d.arguments[i]
		if argument.check == nil {
			if value == nil {
				return call{}, fmt.Errorf("ERROR: parameter [%s] must be specified", argument.name)
			}
			c.value = value
			continue
		}
		s, ok := value.(string)
		if !ok {
			return call{}, fmt.Errorf("ERROR: parameter [%s] must be a string", argument.name)
		}
		s, err := argument.check(argument.name, s, caller)
		if err != nil {
			return call{}, err
		}
		c.text = append(c.text, s)
	}
	return c, nil
}

// The checks return an error, or the value in its final form.

func checkNothing(_, value, _ string) (string, error) { return value, nil }

// checkName checks a graph name. Like rosmaster, it refuses the characters of URIs and sentences
// and leaves other checks to the nodes.
func checkName(name, value, caller string) (string, error) {
	switch {
	case value == "":
		return "", fmt.Errorf("ERROR: parameter [%s] must be a non-empty string", name)
	case strings.ContainsAny(value, ": "):
		return "", fmt.Errorf("ERROR: parameter [%s] contains illegal chars", name)
	case canonical(value) == "/":
		return "", fmt.Errorf("ERROR: parameter [%s] cannot be the global namespace", name)
	}
	return resolve(value, caller), nil
}

func checkSubgraph(_, value, caller string) (string, error) {
	if value == "" {
		return "/", nil
	}
	return resolve(value, caller), nil
}

func checkKey(name, value, caller string) (string, error) {
	value, err := checkSearchKey(name, value, caller)
	return resolve(value, caller), err
}

// checkSearchKey doesn't resolve the key: the search does.
func checkSearchKey(name, value, _ string) (string, error) {
	if value == "" {
		return "", fmt.Errorf("ERROR: parameter [%s] must be specified and non-empty", name)
	}
	return value, nil
}

func checkAPI(name, value, _ string) (string, error) {
	if !strings.HasPrefix(value, "http://") && !strings.HasPrefix(value, "rosrpc://") {
		return "", fmt.Errorf("ERROR: parameter [%s] is not an RPC URI", name)
	}
	return value, nil
}

func checkType(name, value, _ string) (string, error) {
	if value != anyType && strings.Count(value, "/") != 1 {
		return "", fmt.Errorf("ERROR: parameter [%s] is not a valid package resource name", name)
	}
	return value, nil
}
