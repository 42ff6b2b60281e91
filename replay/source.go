package replay

import (
	"cmp"
	"context"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/program/buffers"
)

// Source has the messages to play: bags (see Bags), or computed ones.
type Source interface {
	// Connections returns the connections, with the topics, types and callerids that subscribers see.
	Connections() []*bagstore.Connection
	// Count returns the number of messages of a connection.
	Count(*bagstore.Connection) uint64
	// View selects messages. It reads indexes only.
	View(bagstore.Query) View
	// Settle waits until all messages of the Works that were started are passed on.
	Settle(context.Context) error
	// Skipped returns the number of Works that were discarded because others took too long.
	Skipped() uint64
}

// View is a selection of a source's messages in time order.
type View interface {
	Start() (t bagstore.Time, ok bool) // of the first message; ok is false if there is none
	End() (t bagstore.Time, ok bool)   // of the last message
	Iterator() Iterator
}

// Iterator reads a view.
type Iterator interface {
	Seek(bagstore.Time) // goes to just before the first message at or after it
	Next() bool         // goes to the next message
	SkipNext() bool     // like Next, but doesn't read the message's bytes
	// Last goes to the last readable message before a time. The error is the first damage that it passed, or a
	// place.Ended error, at which it stops. Afterwards, only Last and Seek may be called.
	Last(bagstore.Time) (found bool, err error)
	Message() Recorded
	Err() error // of a Next that returned false; nil at the end. Calling Next again continues after the damage.
	Close()
}

// Recorded is an iterator's current message. Data and Deferred are valid until the iterator moves,
// or longer with Retain.
type Recorded struct {
	bagstore.Message
	Deferred Deferred // if not nil, makes messages in place of this one; Conn is one of theirs
}

// Retain keeps Data and Deferred valid until the Releaser is released.
func (r Recorded) Retain() buffers.Releaser {
	if r.Deferred != nil {
		return r.Deferred.Retain()
	}
	return r.Message.Retain()
}

// size returns the bytes of memory that the message holds.
func (r Recorded) size() int64 {
	if r.Deferred != nil {
		return r.Deferred.Size()
	}
	return int64(len(r.Data))
}

// Bags returns a source that uses the bags until playback ends.
func Bags(bags []*bagstore.Recording) Source {
	s := bagSource{set: bagstore.NewSet(bags...), counts: make(map[*bagstore.Connection]uint64)}
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
	set    *bagstore.Set
	conns  []*bagstore.Connection
	counts map[*bagstore.Connection]uint64
}

func (s bagSource) Connections() []*bagstore.Connection { return s.conns }
func (s bagSource) Count(c *bagstore.Connection) uint64 { return s.counts[c] }
func (bagSource) Settle(context.Context) error          { return nil }
func (bagSource) Skipped() uint64                       { return 0 }

func (s bagSource) View(q bagstore.Query) View { return bagView{s.set.View(q)} }

type bagView struct{ *bagstore.View }

func (v bagView) Iterator() Iterator { return bagIterator{v.View.Iterator()} }

type bagIterator struct{ *bagstore.Iterator }

func (it bagIterator) Message() Recorded { return Recorded{Message: it.Iterator.Message()} }

func (it bagIterator) Last(t bagstore.Time) (found bool, damage error) {
	it.Seek(t)
	for !it.Prev() {
		err := it.Err()
		if err == nil || place.Ended(err) {
			return false, cmp.Or(err, damage)
		}
		damage = cmp.Or(damage, err)
	}
	return true, damage
}
