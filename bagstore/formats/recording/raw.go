package recording

import (
	"rsros/bagstore"
	"rsros/bagstore/formats/container"
)

// raw is a container with its messages as they were recorded.
type raw struct {
	container.Container
	conns []*bagstore.Connection
}

// openRawContent makes a bag of an open container, whose messages it doesn't change.
func openRawContent(path string, c container.Container) *bagstore.Bag {
	r := &raw{Container: c}
	for i, t := range c.Topics() {
		r.conns = append(r.conns, &bagstore.Connection{
			ID: uint32(i), Topic: t.Name, Type: t.Type, Definition: t.Schema.Text, CallerID: t.CallerID, Latching: Latched(t),
		})
	}
	return bagstore.OpenContent(r, bagstore.ContentInfo{Path: path, Version: c.Format(), Size: c.Size(), Notes: c.Notes()})
}

// Connections lists all topics.
func (r *raw) Connections() []*bagstore.Connection { return r.conns }
