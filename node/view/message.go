package view

import (
	"encoding/json"
	"slices"
	"sync"

	"rsros/msgs"
	"rsros/node/clients"
	"rsros/node/view/wire"
)

// message is a ROS message on its way to viewers. It has a reference to the body, and keeps
// the tree that viewers are sent of types that the page doesn't decode.
type message struct {
	clients.Shared
	of     *topic
	raw    msgs.Raw // Head and Tail are the message's own
	number uint64   // of its topic, from 1
	stamp  wire.Nanos
	time   wire.Nanos

	mu   sync.Mutex
	tree []byte
}

// newMessage returns a message with one reference, which owns the body of raw.
func newMessage(of *topic, raw msgs.Raw, stamp, time wire.Nanos) *message {
	raw.Head, raw.Tail = slices.Clone(raw.Head), slices.Clone(raw.Tail)
	m := &message{of: of, raw: raw, number: of.messages.Add(1), stamp: stamp, time: time}
	m.Init(int64(raw.Size()), func() {
		if raw.Owner != nil {
			raw.Owner.Release()
		}
	})
	return m
}

// parts implements item. Topics have one form.
func (m *message) parts(h wire.Head, _ form) [4][]byte {
	h.Kind, h.Number, h.Stamp, h.Time = wire.Topic, m.number, uint64(m.stamp), uint64(m.time)
	if m.of.decoded {
		h.Codec = wire.Message
		return [4][]byte{h.Append(make([]byte, 0, wire.HeadSize)), m.raw.Head, m.raw.Body, m.raw.Tail}
	}
	h.Codec = wire.JSON
	return [4][]byte{h.Append(make([]byte, 0, wire.HeadSize)), nil, m.asTree()}
}

// asTree returns the message as JSON. The first caller encodes it; others wait for it.
func (m *message) asTree() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tree == nil {
		tree, err := m.of.tree(slices.Concat(m.raw.Head, m.raw.Body, m.raw.Tail))
		if err != nil {
			tree, _ = json.Marshal(map[string]string{"error": err.Error()}) // texts can always be encoded
		}
		m.tree = tree
	}
	return m.tree
}
