package ros

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"rsros/msgs"
	"rsros/node/ros/internal/wire"
)

// Publication describes a published topic.
type Publication struct {
	Topic   string
	Type    msgs.Type
	Latched bool // new subscribers get messages that were published before
}

// ProbeTopic asks a node for the type and definition of a topic that it publishes. It
// connects as a subscriber of any type and disconnects at once.
func (n *Node) ProbeTopic(ctx context.Context, publisher, topic string) (Publication, error) {
	ctx, cancel := n.whileOpen(ctx)
	defer cancel()
	answer, err := n.CallMaster(ctx, "lookupNode", publisher)
	if err != nil {
		return Publication{}, fmt.Errorf("look up %s: %w", publisher, err)
	}
	uri, _ := answer.(string)
	conn, err := n.dialTopic(ctx, uri, topic)
	if err != nil {
		return Publication{}, fmt.Errorf("probe %s of %s: %w", topic, publisher, err)
	}
	defer conn.Close() //nolint:errcheck // nothing to lose
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	h, err := wire.Exchange(conn, Header{wire.KeyCallerID: n.Name(), wire.KeyTopic: topic, wire.KeyType: "*", wire.KeyMD5: "*", wire.KeyNoDelay: "0"})
	if err != nil {
		return Publication{}, fmt.Errorf("probe %s of %s: %w", topic, publisher, err)
	}
	return Publication{topic, msgs.Type{Name: h[wire.KeyType], MD5: h[wire.KeyMD5], Definition: h[wire.KeyDefinition]}, h[wire.KeyLatching] == "1"}, nil
}

// dialTopic asks a publisher's node for the address of a topic and connects to it.
func (n *Node) dialTopic(ctx context.Context, uri, topic string) (net.Conn, error) {
	answer, err := n.caller.Call(ctx, uri, "requestTopic", topic, []any{[]any{"TCPROS"}})
	if err != nil {
		return nil, err
	}
	params, ok := answer.([]any)
	if !ok || len(params) < 3 || params[0] != "TCPROS" {
		return nil, fmt.Errorf("requestTopic answered %v, want [TCPROS, host, port]", answer)
	}
	host, okHost := params[1].(string)
	port, okPort := params[2].(int)
	if !okHost || !okPort || port < 1 || port > 65535 {
		return nil, fmt.Errorf("requestTopic answered %v, want [TCPROS, host, port]", answer)
	}
	return wire.Dialer().DialContext(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
}
