package ros

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"

	"rsros/ros/internal/wire"
	"rsros/ros/xmlrpc"
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
	return xmlrpc.Pairs(n.topics, func(t *topic) any { return t.typ.Name })
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

// busStats returns the result of getBusStats: [publications, subscriptions, services]
// with the counters of each connection.
func (n *Node) busStats() any {
	pubs, subs := []any{}, []any{}
	outlets, links := n.outlets(), n.links()
	for _, name := range slices.Sorted(maps.Keys(outlets)) {
		total, conns := uint64(0), []any{}
		for _, c := range outlets[name] {
			total += c.bytes.Load()
			conns = append(conns, []any{c.id, busCount(c.bytes.Load()), busCount(c.messages.Load()), true})
		}
		pubs = append(pubs, []any{name, busCount(total), conns})
	}
	for _, name := range slices.Sorted(maps.Keys(links)) {
		conns := []any{}
		for _, l := range links[name] {
			conns = append(conns, []any{l.id, busCount(l.bytes.Load()), busCount(l.messages.Load()), -1, l.header.Load() != nil})
		}
		subs = append(subs, []any{name, conns})
	}
	c := &n.serviceCounts
	return []any{pubs, subs, []any{busCount(c.requests.Load()), busCount(c.received.Load()), busCount(c.sent.Load())}}
}

// busInfo returns the result of getBusInfo, one entry for each connection:
// [id, peer, direction, transport, topic, connected, text].
func (n *Node) busInfo() any {
	list := []any{}
	outlets, links := n.outlets(), n.links()
	for _, name := range slices.Sorted(maps.Keys(outlets)) {
		for _, c := range outlets[name] {
			list = append(list, []any{c.id, c.header[wire.KeyCallerID], "o", c.transport, name, true,
				fmt.Sprintf("%s connection on port %d to [%s on socket %d]", c.transport, port(n.listener), c.conn.RemoteAddr(), c.id)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(links)) {
		for _, l := range links[name] {
			list = append(list, []any{l.id, l.uri, "i", "TCPROS", name, l.header.Load() != nil, "TCPROS connection to [" + l.uri + "]"})
		}
	}
	return list
}

func busCount(v uint64) int { return int(min(v, math.MaxInt32)) }

func (n *Node) outlets() map[string][]*outlet {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := make(map[string][]*outlet)
	for name, t := range n.topics {
		all[name] = t.subscribers()
	}
	return all
}

func (n *Node) links() map[string][]*link {
	all := make(map[string][]*link)
	for _, s := range n.subscribers() {
		name := s.options.Topic
		s.mu.Lock()
		all[name] = slices.AppendSeq(all[name], maps.Values(s.links))
		s.mu.Unlock()
	}
	return all
}
