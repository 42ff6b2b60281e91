package dds

import (
	"cmp"
	"sync"

	"rsros/program/recvbuf"
	"rsros/ros2/internal/rtps"
)

// ReaderOptions describe a reader.
type ReaderOptions struct {
	Topic, Type string
	QoS         QoS
	UserData    string
	MaxSample   int64 // in bytes; default 1 GiB
	// Callback is called for each sample, in order for each writer. The sample is valid until it returns, its payload while
	// Buffer is retained.
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
	p         *Participant
	endpoint  Endpoint
	builtin   bool
	max       int64
	callback  func(*Sample)
	onWriters func(int)
	pool      recvbuf.Pool

	// deliver is held during callbacks, so that samples stay in order and Close waits for them.
	deliver sync.Mutex

	// mu guards:
	mu     sync.Mutex
	inlets map[rtps.GUID]*inlet
	closed bool
	former map[rtps.GUID]Counts // of writers that have gone
}

// Counts are of the samples of one writer.
type Counts struct {
	Received uint64
	Lost     uint64 // by their numbers
}

const maxFormer = 256 // writers whose counts are kept

// NewReader announces a reader.
func (p *Participant) NewReader(o ReaderOptions) (*Reader, error) {
	r, err := p.addReader(rtps.UnknownEntity, o, false)
	if err != nil {
		return nil, err
	}
	p.subscriptions.tell(&r.endpoint)
	return r, nil
}

func (p *Participant) addReader(id rtps.EntityID, o ReaderOptions, builtin bool) (*Reader, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if !builtin {
		id = p.newEntity(rtps.KindReader)
	}
	r := &Reader{
		p: p, builtin: builtin, max: cmp.Or(o.MaxSample, defaultMaxSample), callback: o.Callback, onWriters: o.OnWriters,
		inlets: map[rtps.GUID]*inlet{}, former: map[rtps.GUID]Counts{},
		endpoint: Endpoint{GUID: p.prefix.GUID(id), Topic: o.Topic, Type: o.Type, QoS: o.QoS, UserData: o.UserData},
	}
	p.readers[id] = r
	if !builtin {
		for _, other := range p.remotes {
			for g, e := range other.endpoints {
				if g.Entity().IsWriter() && matches(e, &r.endpoint) {
					r.add(other, e)
				}
			}
		}
	}
	return r, nil
}

// GUID returns the reader's.
func (r *Reader) GUID() rtps.GUID { return r.endpoint.GUID }

// add connects a writer. The caller holds p.mu.
func (r *Reader) add(other *remote, e *Endpoint) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.inlets[e.GUID] != nil {
		return
	}
	in := newInlet(r, other, e)
	if c, ok := r.former[e.GUID]; ok {
		in.counts = c
		delete(r.former, e.GUID)
	}
	r.inlets[e.GUID] = in
	if in.reliable {
		r.p.acks.schedule(in)
	}
	r.tellWriters()
}

func (r *Reader) tellWriters() {
	if r.onWriters != nil {
		r.onWriters(len(r.inlets))
	}
}

func (r *Reader) remove(g rtps.GUID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if in := r.inlets[g]; in != nil {
		r.drop(in)
	}
}

func (r *Reader) removeAll(prefix rtps.Prefix) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for g, in := range r.inlets {
		if g.Prefix() == prefix {
			r.drop(in)
		}
	}
}

// drop ends an inlet. The caller holds r.mu.
func (r *Reader) drop(in *inlet) {
	delete(r.inlets, in.writer)
	in.end()
	if len(r.former) < maxFormer {
		r.former[in.writer] = in.counts
	}
	r.tellWriters()
}

func (r *Reader) has(g rtps.GUID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inlets[g] != nil
}

// receive handles a submessage and calls the callback for what it completes.
func (r *Reader) receive(m *rtps.Submessage) {
	r.deliver.Lock()
	defer r.deliver.Unlock()
	r.mu.Lock()
	in := r.inlets[m.Source.GUID(m.Writer)]
	if in == nil {
		r.mu.Unlock()
		return
	}
	in.receive(m)
	for {
		s := in.shift()
		if s == nil {
			break
		}
		r.mu.Unlock()
		r.callback(s)
		s.Buffer.Release()
		r.mu.Lock()
	}
	r.mu.Unlock()
}

// Writers returns the number of matched writers.
func (r *Reader) Writers() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.inlets)
}

// Counts returns the counts of all writers, also of those that have gone.
func (r *Reader) Counts() map[rtps.GUID]Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := map[rtps.GUID]Counts{}
	for g, c := range r.former {
		list[g] = c
	}
	for g, in := range r.inlets {
		list[g] = in.counts
	}
	return list
}

// Close ends the reader, tells others so and waits for a callback that is running.
func (r *Reader) Close() {
	r.p.mu.Lock()
	known := r.p.readers[r.endpoint.GUID.Entity()] == r
	delete(r.p.readers, r.endpoint.GUID.Entity())
	r.p.mu.Unlock()
	if !known {
		return
	}
	r.end()
	r.p.subscriptions.untell(r.endpoint.GUID)
	r.deliver.Lock()
	defer r.deliver.Unlock()
	r.pool.Close()
}

func (r *Reader) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, in := range r.inlets {
		r.drop(in)
	}
}

// Heard returns the participants that have a writer which knows the reader.
func (r *Reader) Heard() map[rtps.Prefix]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := map[rtps.Prefix]bool{}
	for g, in := range r.inlets {
		if in.heard {
			list[g.Prefix()] = true
		}
	}
	return list
}
