// Package sendqueue has the bounded send queue of a subscriber's connection, and the
// messages that several queues share.
//
// Messages are reference-counted: adding one to a queue passes a reference, and taking one out returns it. A Queue may
// be used by any number of publishers and one writer concurrently. It starts no goroutine.
package sendqueue

import (
	"encoding/binary"
	"sync"

	"rsros/msgs"
	"rsros/program/buffers"
)

// Message is an encoded message that several subscribers share.
type Message struct {
	refs  buffers.Refs
	small []byte // length prefix and head, then the tail
	cut   int    // where the tail starts in small
	body  []byte
	owner buffers.Releaser
	From  any    // its publisher
	Time  int64  // of publication, in ns since 1970 (msgs.Raw.Time)
	Key   string // a latched message replaces an earlier one with the same key; "" replaces none
	home  *sync.Pool
}

// PrefixSize is the size of the length before a message on the wire.
const PrefixSize = 4

// smallKept is the largest buffer that goes back to the pool, in bytes.
const smallKept = 64 << 10

// NewMessage encodes m with one reference: the length prefix and copies of head and
// tail, with the body itself in between. With whole, the body is copied as well and its
// owner released. The memory is taken from home and returned to it.
func NewMessage(home *sync.Pool, from any, m *msgs.Raw, whole bool) *Message {
	o, _ := home.Get().(*Message)
	if o == nil {
		o = new(Message)
	}
	o.refs.Init()
	o.home, o.From, o.Time = home, from, m.Time
	o.small = binary.LittleEndian.AppendUint32(o.small[:0], uint32(m.Size()))
	o.small = append(o.small, m.Head...)
	if whole {
		o.small = append(o.small, m.Body...)
		if m.Owner != nil {
			m.Owner.Release()
		}
	} else {
		o.body, o.owner = m.Body, m.Owner
	}
	o.cut = len(o.small)
	o.small = append(o.small, m.Tail...)
	return o
}

// Size returns the message's size on the wire, including its length prefix.
func (o *Message) Size() int64 { return int64(len(o.small) + len(o.body)) }

// Retain adds a reference.
func (o *Message) Retain() { o.refs.Retain() }

// Release removes a reference. Removing the last one releases the body's owner.
func (o *Message) Release() {
	if !o.refs.Release() {
		return
	}
	if o.owner != nil {
		o.owner.Release()
	}
	o.body, o.owner, o.From, o.Key = nil, nil, nil, ""
	if cap(o.small) > smallKept {
		o.small = nil
	}
	o.home.Put(o)
}

// Content appends the parts of the message without the length prefix. They are valid until Release.
func (o *Message) Content(vec [][]byte) [][]byte {
	at := len(vec)
	vec = o.AppendTo(vec)
	vec[at] = vec[at][PrefixSize:]
	return vec
}

// ContentSize returns the message's size without the length prefix.
func (o *Message) ContentSize() int64 { return o.Size() - PrefixSize }

// AppendTo appends the parts to a vector for writev. They are valid until Release.
func (o *Message) AppendTo(vec [][]byte) [][]byte {
	vec = append(vec, o.small[:o.cut])
	if len(o.body) > 0 {
		vec = append(vec, o.body)
	}
	if o.cut < len(o.small) {
		vec = append(vec, o.small[o.cut:])
	}
	return vec
}

// ReleaseAll releases messages taken from a queue and clears the slice's elements.
func ReleaseAll(batch []*Message) {
	for i, o := range batch {
		o.Release()
		batch[i] = nil
	}
}
