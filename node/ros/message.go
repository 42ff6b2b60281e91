package ros

import (
	"encoding/binary"
	"sync"
	"sync/atomic"

	"rsros/msgs"
)

// outgoing is a message on its way to some subscribers. It is counted: whoever
// puts it into a queue retains it, whoever takes it out releases it.
type outgoing struct {
	refs  atomic.Int32
	small []byte // length prefix and head, then the tail
	cut   int    // where the tail starts in small
	body  []byte
	owner msgs.Releaser
	from  *Publisher
	home  *sync.Pool
}

// smallKept is the largest copy buffer that goes back to the pool.
const smallKept = 64 << 10

// newOutgoing copies head and tail behind the length prefix. With whole, the body
// is copied as well and the owner released.
func newOutgoing(home *sync.Pool, from *Publisher, m *msgs.Raw, whole bool) *outgoing {
	o, _ := home.Get().(*outgoing)
	if o == nil {
		o = new(outgoing)
	}
	o.refs.Store(1)
	o.home, o.from = home, from
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

// size is the number of bytes on the wire.
func (o *outgoing) size() int64 { return int64(len(o.small) + len(o.body)) }

func (o *outgoing) retain() { o.refs.Add(1) }

func (o *outgoing) release() {
	if o.refs.Add(-1) > 0 {
		return
	}
	if o.owner != nil {
		o.owner.Release()
	}
	o.body, o.owner, o.from = nil, nil, nil
	if cap(o.small) > smallKept {
		o.small = nil
	}
	o.home.Put(o)
}

// appendTo adds the parts to a vector for writev.
func (o *outgoing) appendTo(vec [][]byte) [][]byte {
	vec = append(vec, o.small[:o.cut])
	if len(o.body) > 0 {
		vec = append(vec, o.body)
	}
	if o.cut < len(o.small) {
		vec = append(vec, o.small[o.cut:])
	}
	return vec
}
