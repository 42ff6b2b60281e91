package replay

import (
	"rsros/bagstore"
	"rsros/program/buffers"
)

// Source has the messages to play: bags (see Bags), or computed ones.
type Source interface {
	// Connections returns the connections, with the topics, types and callerids that
	// subscribers see.
	Connections() []*bagstore.Connection
	// Count returns the number of messages of a connection.
	Count(*bagstore.Connection) uint64
	// View selects messages. It reads indexes only.
	View(bagstore.Query) View
}

// View is a selection of a source's messages in time order.
type View interface {
	Start() bagstore.Time // of the first message; 0 if there is none
	End() bagstore.Time   // of the last message; 0 if there is none
	Iterator() Iterator
}

// Iterator reads a view: forward after Seek, backward after SeekEnd.
type Iterator interface {
	Seek(bagstore.Time) // goes to just before the first message at or after it
	SeekEnd()           // goes to just after the last message
	Next() bool
	SkipNext() bool // like Next, but doesn't read the message's bytes
	Prev() bool
	Message() Recorded
	Err() error // of a Next or Prev that returned false; nil at the end. Calling Next again continues after the damage.
	Close()
}

// Recorded is an iterator's current message. Its bytes are Head followed by Data, valid
// until the iterator moves, or longer with Retain.
type Recorded struct {
	bagstore.Message
	Head  []byte   // of a computed message; small and immutable
	Owner Retainer // of a computed message's Data, and of Work
	Work  Work     // if not nil, computes messages in place of this one; Conn is one of theirs
	Held  int64    // bytes of memory that Work holds
}

// Retainer counts references. The Releaser removes the one that Retain adds.
type Retainer interface{ Retain() buffers.Releaser }

// Retain keeps Data valid until the Releaser is released.
func (r Recorded) Retain() buffers.Releaser {
	if r.Owner != nil {
		return r.Owner.Retain()
	}
	return r.Message.Retain()
}

// Bags returns a source that uses the bags until playback ends.
func Bags(bags []*bagstore.Recording) Source {
	s := bagSource{bags: bags, counts: make(map[*bagstore.Connection]uint64)}
	for _, b := range bags {
		counts := b.Counts()
		for _, c := range b.Connections() {
			s.conns = append(s.conns, c)
			s.counts[c] = counts[c.ID]
		}
	}
	return s
}

type bagSource struct {
	bags   []*bagstore.Recording
	conns  []*bagstore.Connection
	counts map[*bagstore.Connection]uint64
}

func (s bagSource) Connections() []*bagstore.Connection { return s.conns }
func (s bagSource) Count(c *bagstore.Connection) uint64 { return s.counts[c] }

func (s bagSource) View(q bagstore.Query) View { return bagView{bagstore.NewView(s.bags, q)} }

type bagView struct{ *bagstore.View }

func (v bagView) Iterator() Iterator { return bagIterator{v.View.Iterator()} }

type bagIterator struct{ *bagstore.Iterator }

func (it bagIterator) Message() Recorded { return Recorded{Message: it.Iterator.Message()} }
