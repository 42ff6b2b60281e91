package ros

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
)

// slaveMethod is a method of the slave API. arity is the number of arguments after
// caller_id. An error of call is answered with code -1.
type slaveMethod struct {
	arity int
	call  func(n *Node, callerID string, args []any) (any, error)
}

// slaveMethods returns a method of the slave API as documented in the ROS wiki.
func slaveMethods(name string) (slaveMethod, bool) {
	switch name {
	case "getBusStats":
		return slaveMethod{0, func(n *Node, _ string, _ []any) (any, error) { return n.busStats(), nil }}, true
	case "getBusInfo":
		return slaveMethod{0, func(n *Node, _ string, _ []any) (any, error) { return n.busInfo(), nil }}, true
	case "getMasterUri":
		return slaveMethod{0, func(n *Node, _ string, _ []any) (any, error) { return n.cfg.MasterURI, nil }}, true
	case "getPid":
		return slaveMethod{0, func(*Node, string, []any) (any, error) { return os.Getpid(), nil }}, true
	case "getPublications":
		return slaveMethod{0, func(n *Node, _ string, _ []any) (any, error) { return n.publications(), nil }}, true
	case "getSubscriptions":
		return slaveMethod{0, func(n *Node, _ string, _ []any) (any, error) { return n.subscriptions(), nil }}, true
	case "shutdown":
		return slaveMethod{1, (*Node).shutdown}, true
	case "publisherUpdate":
		return slaveMethod{2, (*Node).publisherUpdate}, true
	case "paramUpdate":
		return slaveMethod{2, (*Node).paramUpdate}, true
	case "requestTopic":
		return slaveMethod{2, (*Node).requestTopic}, true
	}
	return slaveMethod{}, false
}

// serveAPI answers one call of the slave API with [code, status, value].
func (n *Node) serveAPI(_ context.Context, method string, args []any) (any, error) {
	m, ok := slaveMethods(method)
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
	if len(args) != m.arity {
		return failed(fmt.Errorf("%s: %d arguments after caller_id, want %d", method, len(args), m.arity))
	}
	value, err := m.call(n, callerID, args)
	if err != nil {
		return failed(fmt.Errorf("%s: %w", method, err))
	}
	return []any{1, "", value}, nil
}

func (n *Node) shutdown(callerID string, args []any) (any, error) {
	n.log.Info().Str("from", callerID).Any("reason", args[0]).Msg("asked to shut down")
	n.finish()
	return 0, nil
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

// requestTopic answers a connecting subscriber with the first of its protocols that
// this node supports.
func (n *Node) requestTopic(_ string, args []any) (any, error) {
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
