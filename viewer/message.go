package viewer

import (
	"encoding/json"
	"slices"
	"sync"

	"rsros/viewer/api"
	"rsros/viewer/clients"
)

// message is a ROS message for viewers and Foxglove's clients. It holds a reference to the content and caches the tree
// that viewers are sent for types that the page doesn't decode. It implements foxglove.Body.
type message struct {
	clients.Shared
	of      *topic
	content [][]byte
	number  uint64 // of its topic, from 1
	stamp   api.Nanos
	time    api.Nanos

	once sync.Once // makes tree
	tree []byte
}

// Content implements foxglove.Body.
func (m *message) Content(vec [][]byte) [][]byte { return append(vec, m.content...) }

// ContentSize implements foxglove.Body.
func (m *message) ContentSize() (n int64) {
	for _, part := range m.content {
		n += int64(len(part))
	}
	return n
}

// parts implements item. Topics have one form.
func (m *message) parts(h api.Head, _ form) [][]byte {
	h.Kind, h.Number, h.Stamp, h.Time = api.Topic, m.number, uint64(m.stamp), uint64(m.time)
	if m.of.decoded {
		h.Codec = api.Message
		return slices.Concat([][]byte{h.Append(nil)}, m.content)
	}
	h.Codec = api.JSON
	return [][]byte{h.Append(nil), m.asTree()}
}

// asTree returns the message as JSON. The first caller encodes it; others wait for it.
func (m *message) asTree() []byte {
	m.once.Do(func() {
		var err error
		if m.tree, err = m.of.tree(slices.Concat(m.content...)); err != nil {
			m.tree, _ = json.Marshal(map[string]string{"error": err.Error()}) // encoding texts can't fail
		}
	})
	return m.tree
}
