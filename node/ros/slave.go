package ros

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
)

// arities has the slave API's methods with their arguments after caller_id.
var arities = map[string]int{
	"getBusStats": 0, "getBusInfo": 0, "getMasterUri": 0, "getPid": 0, "getPublications": 0, "getSubscriptions": 0,
	"shutdown": 1, "publisherUpdate": 2, "paramUpdate": 2, "requestTopic": 2,
}

// execute executes a call with the right number of arguments.
func (n *Node) execute(method, callerID string, args []any) (any, error) {
	switch method {
	case "getBusStats":
		return n.busStats(), nil
	case "getBusInfo":
		return n.busInfo(), nil
	case "getMasterUri":
		return n.cfg.MasterURI, nil
	case "getPid":
		return os.Getpid(), nil
	case "getPublications":
		return n.publications(), nil
	case "getSubscriptions":
		return n.subscriptions(), nil
	case "publisherUpdate":
		return n.publisherUpdate(callerID, args)
	case "paramUpdate":
		return n.paramUpdate(args)
	case "requestTopic":
		return n.requestTopic(args)
	}
	n.log.Info().Str("from", callerID).Any("reason", args[0]).Msg("asked to shut down")
	n.finish()
	return 0, nil
}

// serveAPI answers one call of the slave API with [code, status, value].
func (n *Node) serveAPI(_ context.Context, method string, args []any) (any, error) {
	arity, ok := arities[method]
	if !ok {
		return nil, fmt.Errorf("no method %q in the slave API", method)
	}
	failed := func(err error) (any, error) { return []any{-1, err.Error(), 0}, nil }
	if len(args) == 0 && method == "shutdown" {
		args = []any{""}
	}
	if len(args) == 0 {
		return failed(fmt.Errorf("%s: caller_id is missing", method))
	}
	callerID, ok := args[0].(string)
	if !ok {
		return failed(fmt.Errorf("%s: caller_id is %T, not a string", method, args[0]))
	}
	args = args[1:]
	if len(args) == 0 && method == "shutdown" { // the reason may be left out
		args = []any{""}
	}
	if len(args) != arity {
		return failed(fmt.Errorf("%s: %d arguments after caller_id, want %d", method, len(args), arity))
	}
	value, err := n.execute(method, callerID, args)
	if err != nil {
		return failed(fmt.Errorf("%s: %w", method, err))
	}
	return []any{1, "", value}, nil
}

func (n *Node) publications() []any {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := []any{}
	for _, name := range slices.Sorted(maps.Keys(n.topics)) {
		list = append(list, []any{name, n.topics[name].typ.Name})
	}
	return list
}

// requestTopic answers with the first protocol that this node supports, too.
func (n *Node) requestTopic(args []any) (any, error) {
	name, ok := args[0].(string)
	if !ok || name == "" {
		return nil, fmt.Errorf("topic %v isn't a name", args[0])
	}
	protocols, ok := args[1].([]any)
	if !ok {
		return nil, fmt.Errorf("protocols are %T, not a list", args[1])
	}
	n.mu.Lock()
	t := n.topics[name]
	n.mu.Unlock()
	if t == nil {
		return nil, fmt.Errorf("this node doesn't publish %s", name)
	}
	for _, p := range protocols {
		list, ok := p.([]any)
		if !ok || len(list) == 0 {
			return nil, fmt.Errorf("protocol %v isn't a list", p)
		}
		switch list[0] {
		case "TCPROS":
			return []any{"TCPROS", n.host, port(n.listener)}, nil
		case "UDPROS":
			return n.requestUDP(t, list)
		}
	}
	return nil, fmt.Errorf("this node supports none of the protocols %v", protocols)
}
