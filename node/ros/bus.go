package ros

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"rsros/node/ros/internal/wire"
)

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

// busCount clamps a counter to XML-RPC's 32-bit int.
func busCount(v uint64) int { return int(min(v, math.MaxInt32)) }

func (n *Node) outlets() map[string][]*outlet {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := make(map[string][]*outlet)
	for name, t := range n.topics {
		t.mu.Lock()
		all[name] = t.outlets
		t.mu.Unlock()
	}
	return all
}

func (n *Node) links() map[string][]*link {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := make(map[string][]*link)
	for name, sub := range n.subs {
		sub.mu.Lock()
		for _, s := range sub.subscribers {
			s.mu.Lock()
			all[name] = append(all[name], slices.Collect(maps.Values(s.links))...)
			s.mu.Unlock()
		}
		sub.mu.Unlock()
	}
	return all
}
