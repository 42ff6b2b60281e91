package dds

import (
	"cmp"
	"maps"
	"math"
	"sync"

	"rsros/program/recvbuf"
	"rsros/ros2/internal/rtps"
)

// ReaderOptions describe a reader.
type ReaderOptions struct {
	Topic, Type string
	QoS         QoS
	UserData    string
	Ignore      string // writers with this in their user data aren't matched, unless it is empty
	MaxSample   int64  // in bytes; default 1 GiB
	// Callback is called for each sample, in order for each writer. The sample is valid until it returns, its payload
	// while Buffer is retained.
	Callback func(*Sample)
	// OnWriters is called with the number of matched writers when it changes, and must not block.
	OnWriters func(n int)
}

const defaultMaxSample = 1 << 30

// Sample is what a reader got.
type Sample struct {
	Writer  rtps.GUID
	Number  int64
	Time    int64 // of the source, in ns since 1970; 0 if the writer sent none
	Payload []byte
	Inline  rtps.Parameters
	Buffer  *recvbuf.Buffer // of Payload
}

// Reader reads a topic.
type Reader struct {
	port[*inlet]
	max      int64
	callback func(*Sample)
	pool     recvbuf.Pool

	// deliver is held during callbacks, so that samples stay in order and Close waits for them.
	deliver sync.Mutex

	former map[rtps.GUID]Counts // of writers that have gone; guarded by port.mu
}

// Counts are of the samples of one writer.
type Counts struct {
	Received uint64
	Lost     uint64 // by their numbers
}

const maxFormer = 256 // writers whose counts are kept

// NewReader announces a reader.
func (p *Participant) NewReader(o ReaderOptions) (*Reader, error) {
	r := newReader(p, o)
	if err := p.enter(r, rtps.UserEntity(0, rtps.KindReader)); err != nil {
		return nil, err
	}
	p.tell(&r.endpoint)
	return r, nil
}

func newReader(p *Participant, o ReaderOptions) *Reader {
	r := &Reader{max: cmp.Or(o.MaxSample, defaultMaxSample), callback: o.Callback, former: map[rtps.GUID]Counts{}}
	r.port = port[*inlet]{
		p: p, onLinks: o.OnWriters, links: map[rtps.GUID]*inlet{}, connect: r.open,
		endpoint: Endpoint{Topic: o.Topic, Type: o.Type, QoS: o.QoS, UserData: o.UserData, ignore: o.Ignore},
	}
	return r
}

// open connects a writer. The caller holds r.mu.
func (r *Reader) open(other *remote, e *Endpoint) *inlet {
	in := newInlet(r, other, e)
	in.counts = r.former[e.GUID]
	delete(r.former, e.GUID)
	if in.reliable {
		in.schedule()
	}
	return in
}

// receive handles a submessage and calls the callback for what it completes.
func (r *Reader) receive(m *rtps.Submessage) {
	r.deliver.Lock()
	defer r.deliver.Unlock()
	r.mu.Lock()
	in := r.links[m.Source.GUID(m.Writer)]
	if in == nil {
		r.mu.Unlock()
		return
	}
	in.receive(m)
	for len(in.inOrder) > 0 {
		s := in.inOrder[0]
		in.inOrder = in.inOrder[1:]
		r.mu.Unlock()
		r.callback(s)
		s.Buffer.Release()
		r.mu.Lock()
	}
	warn := in.torn >= tornBeforeWarning && !r.p.isOwn(in.to.Addr())
	if warn {
		in.torn = math.MinInt
	}
	r.mu.Unlock()
	if warn {
		r.p.log.Warn().Str("topic", r.endpoint.Topic).Stringer("from", in.to).
			Msg("parts of messages are lost on the way: a lower maxMessageSize in the publisher's profile, such as 1400, helps")
	}
}

// tornBeforeWarning is the number of samples of which parts are lost before that is said, once for each writer: Fast
// DDS sends datagrams of 64 KB, and the loss of one IP packet loses such a datagram whole.
const tornBeforeWarning = 3

// Counts returns the counts of all writers, also of those that have gone.
func (r *Reader) Counts() map[rtps.GUID]Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := maps.Clone(r.former)
	for g, in := range r.links {
		list[g] = in.counts
	}
	return list
}

// Close ends the reader, tells others so and waits for a callback that is running.
func (r *Reader) Close() {
	if r.p.leave(r) {
		r.deliver.Lock()
		defer r.deliver.Unlock()
		r.pool.Close()
	}
}
