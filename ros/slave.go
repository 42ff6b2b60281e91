package ros

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"

	"rsros/ros/internal/wire"
	"rsros/ros/xmlrpc"
)

// method is a method of the slave API.
type method struct {
	arity int // number of arguments after caller_id
	run   func(n *Node, callerID string, args []any) (any, error)
}

var slaveAPI = map[string]method{
	"getBusStats":      getter((*Node).busStats),
	"getBusInfo":       getter((*Node).busInfo),
	"getMasterUri":     getter(func(n *Node) any { return n.cfg.MasterURI }),
	"getPid":           getter(func(*Node) any { return os.Getpid() }),
	"getPublications":  getter((*Node).publications),
	"getSubscriptions": getter((*Node).subscriptions),
	"shutdown":         {1, (*Node).shutdown},
	"publisherUpdate":  {2, (*Node).publisherUpdate},
	"paramUpdate":      {2, (*Node).paramUpdate},
	"requestTopic":     {2, (*Node).requestTopic},
}

// getter returns a method without arguments.
func getter(get func(*Node) any) method {
	return method{0, func(n *Node, _ string, _ []any) (any, error) { return get(n), nil }}
}

// shutdown closes Done, as rosnode kill requests.
func (n *Node) shutdown(callerID string, args []any) (any, error) {
	n.log.Info().Str("from", callerID).Any("reason", args[0]).Msg("asked to shut down")
	n.finish()
	return 0, nil
}

// serveAPI answers one call of the slave API with [code, status, value].
func (n *Node) serveAPI(_ context.Context, name string, args []any) (any, error) {
	method, ok := slaveAPI[name]
	if !ok {
		return nil, fmt.Errorf("no method %q in the slave API", name)
	}
	for name == "shutdown" && len(args) < 2 { // the caller and the reason may be left out
		args = append(args, "")
	}
	value, err := method.call(n, args)
	if err != nil {
		return []any{-1, name + ": " + err.Error(), 0}, nil
	}
	return []any{1, "", value}, nil
}

func (m method) call(n *Node, args []any) (any, error) {
	if len(args) == 0 {
		return nil, errors.New("caller_id is missing")
	}
	callerID, ok := args[0].(string)
	if !ok {
		return nil, fmt.Errorf("caller_id is %T, not a string", args[0])
	}
	if args = args[1:]; len(args) != m.arity {
		return nil, fmt.Errorf("%d arguments after caller_id, want %d", len(args), m.arity)
	}
	return m.run(n, callerID, args)
}

func (n *Node) publications() any {
	n.mu.Lock()
	defer n.mu.Unlock()
	return xmlrpc.Pairs(n.topics, func(t *topic) any { return t.typ.Name })
}

// requestTopic answers with the first protocol that this node supports, too.
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
				fmt.Sprintf("%s connection on port %d to [%s on socket %d]", c.transport, port(n.listener),
					c.conn.RemoteAddr(), c.id)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(links)) {
		for _, l := range links[name] {
			list = append(list, []any{l.id, l.uri, "i", "TCPROS", name, l.header.Load() != nil,
				"TCPROS connection to [" + l.uri + "]"})
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
