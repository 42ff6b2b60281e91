package dds

import (
	"cmp"
	"context"
	"sync"
	"time"

	"rsros/msgs"
	"rsros/ros2/internal/rtps"
)

// WriterOptions describe a writer.
type WriterOptions struct {
	Topic, Type string
	QoS         QoS
	UserData    string
	Bytes       int64 // of the history; default 256 MiB
	// OnReaders is called with the number of matched readers when it changes, and must not block.
	OnReaders func(n int)
}

const (
	defaultDepth = 10
	defaultBytes = 256 << 20
)

// Writer writes samples of a topic.
type Writer struct {
	p        *Participant
	endpoint Endpoint
	builtin  bool
	bytes    int64
	onReader func(int)
	pool     sync.Pool

	// mu guards:
	mu         sync.Mutex
	history    history
	outlets    map[rtps.GUID]*outlet
	closed     bool
	room       chan struct{} // closed when the history may have room; nil if nobody waits
	lost       map[rtps.GUID]uint64
	statistics Statistics
}

// NewWriter announces a writer.
func (p *Participant) NewWriter(o WriterOptions) (*Writer, error) {
	w, err := p.addWriter(rtps.UnknownEntity, o, false)
	if err != nil {
		return nil, err
	}
	p.publications.tell(&w.endpoint)
	return w, nil
}

func (p *Participant) addWriter(id rtps.EntityID, o WriterOptions, builtin bool) (*Writer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if !builtin {
		id = p.newEntity(rtps.KindWriter)
	}
	o.QoS.Depth = cmp.Or(o.QoS.Depth, defaultDepth)
	w := &Writer{
		p: p, builtin: builtin, bytes: cmp.Or(o.Bytes, defaultBytes), onReader: o.OnReaders, outlets: map[rtps.GUID]*outlet{}, lost: map[rtps.GUID]uint64{},
		endpoint: Endpoint{GUID: p.prefix.GUID(id), Topic: o.Topic, Type: o.Type, QoS: o.QoS, UserData: o.UserData},
	}
	p.writers[id] = w
	if !builtin {
		for _, r := range p.remotes {
			for g, e := range r.endpoints {
				if !g.Entity().IsWriter() && matches(&w.endpoint, e) {
					w.add(r, e)
				}
			}
		}
	}
	return w, nil
}

// tell announces an endpoint by SEDP.
func (w *Writer) tell(e *Endpoint) {
	w.write(&msgs.Raw{Head: appendEndpoint(nil, e)}, nil, string(e.GUID[:]), true)
}

// untell announces that an endpoint has ended.
func (w *Writer) untell(g rtps.GUID) { w.write(&msgs.Raw{}, disposal(g), string(g[:]), false) }

// GUID returns the writer's.
func (w *Writer) GUID() rtps.GUID { return w.endpoint.GUID }

// Write adds a sample to the history and takes over the reference to its body. inline is a list of parameters with their
// sentinel, or nil. It returns the sample's number, 0 if the writer is closed.
func (w *Writer) Write(m msgs.Raw, inline []byte) int64 {
	return w.write(&m, inline, m.Key, w.endpoint.QoS.TransientLocal)
}

// WriteWait is Write, but waits until no reader loses a sample by it.
func (w *Writer) WriteWait(ctx context.Context, m msgs.Raw) error {
	for {
		w.mu.Lock()
		if w.closed || w.roomFor(m.Size()) {
			w.mu.Unlock()
			if w.Write(m, nil) == 0 {
				return ErrClosed
			}
			return nil
		}
		if w.room == nil {
			w.room = make(chan struct{})
		}
		room := w.room
		w.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
			if m.Owner != nil {
				m.Owner.Release()
			}
			return ctx.Err()
		}
	}
}

// roomFor reports whether a sample fits, or pushes out what all readers have. The caller holds w.mu.
func (w *Writer) roomFor(size int) bool {
	h := &w.history
	if len(h.list) == 0 || len(h.list) < w.endpoint.QoS.Depth && h.bytes+int64(size) <= w.bytes {
		return true
	}
	for _, o := range w.outlets {
		if o.done() < h.list[0].number {
			return false
		}
	}
	return true
}

func (w *Writer) write(m *msgs.Raw, inline []byte, key string, keep bool) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		if m.Owner != nil {
			m.Owner.Release()
		}
		return 0
	}
	c := newChange(&w.pool, m, keep)
	c.inline, c.key, c.keep, c.time = inline, key, keep, time.Now().UnixNano()
	h := &w.history
	h.add(c)
	if key != "" {
		w.replace(key)
	}
	if !keep && len(w.outlets) == 0 {
		h.remove(len(h.list) - 1)
		return h.last
	}
	for len(h.list) > 1 && (len(h.list) > w.endpoint.QoS.Depth || h.bytes > w.bytes) {
		w.evictOldest()
	}
	for _, o := range w.outlets {
		o.ready.Set()
	}
	return h.last
}

// replace removes the change that the newest one replaces. One that is on its way in fragments stays until it has arrived,
// since readers can't be told that it won't (see outlet.evicted). The caller holds w.mu.
func (w *Writer) replace(key string) {
	h := &w.history
	for i, old := range h.list[:len(h.list)-1] {
		if old.key != key {
			continue
		}
		old.key, old.keep = "", false
		for _, o := range w.outlets {
			if o.inFragments(old.number) {
				return
			}
		}
		for _, o := range w.outlets {
			delete(o.flights, old.number)
		}
		h.remove(i)
		return
	}
}

// evictOldest removes a change that some readers may not have. The caller holds w.mu.
func (w *Writer) evictOldest() {
	for _, o := range w.outlets {
		o.evicted(w.history.list[0])
	}
	w.history.remove(0)
}

// trim removes what every reader has and late ones don't get. The caller holds w.mu.
func (w *Writer) trim() {
	done := w.history.last
	for _, o := range w.outlets {
		done = min(done, o.done())
	}
	h := &w.history
	for i := 0; i < len(h.list) && h.list[i].number <= done; {
		if h.list[i].keep {
			i++
		} else {
			h.remove(i)
		}
	}
	if w.room != nil {
		close(w.room)
		w.room = nil
	}
}

// add connects a reader. The caller holds p.mu.
func (w *Writer) add(r *remote, e *Endpoint) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.outlets[e.GUID] != nil {
		return
	}
	o := newOutlet(w, r, e)
	w.outlets[e.GUID] = o
	w.p.wg.Go(o.run)
	w.tellReaders()
}

func (w *Writer) tellReaders() {
	if w.onReader != nil {
		w.onReader(len(w.outlets))
	}
}

// remove disconnects a reader.
func (w *Writer) remove(g rtps.GUID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o := w.outlets[g]; o != nil {
		w.drop(o)
	}
}

// removeAll disconnects the readers of a participant.
func (w *Writer) removeAll(prefix rtps.Prefix) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for g, o := range w.outlets {
		if g.Prefix() == prefix {
			w.drop(o)
		}
	}
}

// drop ends an outlet. The caller holds w.mu.
func (w *Writer) drop(o *outlet) {
	delete(w.outlets, o.reader)
	o.closed = true
	o.ready.Set()
	w.trim()
	w.tellReaders()
}

// answer passes an ACKNACK or a NACK_FRAG to the outlet of its reader.
func (w *Writer) answer(m *rtps.Submessage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.outlets[m.Source.GUID(m.Reader)]
	if o == nil || !o.reliable {
		return
	}
	if m.Kind == rtps.AckNack {
		o.acknowledged(m, time.Now())
		w.trim()
	} else {
		o.missing(m, time.Now())
	}
	o.ready.Set()
}

// Readers returns the number of matched readers.
func (w *Writer) Readers() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.outlets)
}

// Lost returns how many samples readers lost, for each that lost any.
func (w *Writer) Lost() map[rtps.GUID]uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := map[rtps.GUID]uint64{}
	for g, n := range w.lost {
		list[g] = n
	}
	return list
}

// Flush waits until all matched readers have everything, or ctx ends.
func (w *Writer) Flush(ctx context.Context) error {
	for {
		w.mu.Lock()
		behind := false
		for _, o := range w.outlets {
			behind = behind || o.done() < w.history.last
		}
		if w.closed || !behind {
			w.mu.Unlock()
			return nil
		}
		if w.room == nil {
			w.room = make(chan struct{})
		}
		room := w.room
		w.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Close ends the writer and tells others so.
func (w *Writer) Close() {
	w.p.mu.Lock()
	if w.p.writers[w.endpoint.GUID.Entity()] != w {
		w.p.mu.Unlock()
		return
	}
	delete(w.p.writers, w.endpoint.GUID.Entity())
	w.p.mu.Unlock()
	w.end()
	w.p.publications.untell(w.endpoint.GUID)
}

// end ends the outlets and frees the history.
func (w *Writer) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.closed = true
	for _, o := range w.outlets {
		w.drop(o)
	}
	for len(w.history.list) > 0 {
		w.history.remove(0)
	}
	w.trim()
}

// Answered returns the participants that have a reader which knows the writer.
func (w *Writer) Answered() map[rtps.Prefix]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := map[rtps.Prefix]bool{}
	for g, o := range w.outlets {
		if o.answered {
			list[g.Prefix()] = true
		}
	}
	return list
}
