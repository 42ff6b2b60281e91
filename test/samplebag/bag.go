package samplebag

import (
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/msgs"
	"rsros/test/need"
)

// Bag is a bag that a test writes. An error ends the test.
type Bag struct {
	*rosbag.Writer
	t   testing.TB
	ids map[key]uint32
}

type key struct {
	topic, typ, caller string
	latching           bool
}

// Create creates a bag, which isn't synced.
func Create(t testing.TB, path string, o bagstore.Options) *Bag {
	t.Helper()
	o.NoSync = true // it is slow
	w, err := rosbag.Create(path, o)
	need.Must(t, err)
	return &Bag{w, t, make(map[key]uint32)}
}

// Topic describes a topic of a type that package msgs has.
func Topic(name, kind string) bagstore.Connection {
	typ := msgs.MustType(kind)
	return bagstore.Connection{Topic: name, Type: typ.Name, MD5: typ.MD5, Definition: typ.Definition}
}

// Add adds a connection, also one that is there.
func (b *Bag) Add(c bagstore.Connection) uint32 {
	b.t.Helper()
	id, err := b.AddConnection(c)
	need.Must(b.t, err)
	b.ids[key{c.Topic, c.Type, c.CallerID, c.Latching}] = id
	return id
}

// Put writes a message. It adds the connection before its first one.
func (b *Bag) Put(c bagstore.Connection, at bagstore.Time, data ...[]byte) {
	b.t.Helper()
	id, known := b.ids[key{c.Topic, c.Type, c.CallerID, c.Latching}]
	if !known {
		id = b.Add(c)
	}
	need.Must(b.t, b.Write(id, at, data...))
}

// Done completes the bag.
func (b *Bag) Done() {
	b.t.Helper()
	need.Must(b.t, b.Close())
}

// Open opens a bag until the end of the test.
func Open(t testing.TB, path string) *bagstore.Recording {
	t.Helper()
	b, err := rosbag.Open(path, bagstore.OpenOptions{})
	need.Must(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}
