package dds

import (
	"cmp"
	"context"
	"maps"
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
	port[*outlet]
	bytes int64
	pool  sync.Pool

	// Guarded by port.mu:
	history history
	room    chan struct{} // closed when the history may have room; nil if nobody waits
	lost    map[rtps.GUID]uint64
	sent    statistics
}

// NewWriter announces a writer.
func (p *Participant) NewWriter(o WriterOptions) (*Writer, error) {
	w := newWriter(p, o)
	if err := p.enter(w, rtps.UserEntity(0, rtps.KindWriter)); err != nil {
		return nil, err
	}
	p.tell(&w.endpoint)
	return w, nil
}

func newWriter(p *Participant, o WriterOptions) *Writer {
	o.QoS.Depth = cmp.Or(o.QoS.Depth, defaultDepth)
	w := &Writer{bytes: cmp.Or(o.Bytes, defaultBytes), lost: map[rtps.GUID]uint64{}}
	w.port = port[*outlet]{
		p: p, onLinks: o.OnReaders, links: map[rtps.GUID]*outlet{}, connect: w.open,
		endpoint: Endpoint{Topic: o.Topic, Type: o.Type, QoS: o.QoS, UserData: o.UserData},
	}
	return w
}

// Write adds a sample to the history and takes over the reference to its body. inline is a list of parameters with
// their sentinel, or nil. It returns the sample's number, 0 if the writer is closed.
func (w *Writer) Write(m msgs.Raw, inline []byte) int64 {
	return w.write(&m, inline, m.Key, w.endpoint.QoS.TransientLocal)
}

// WriteWait is Write, but waits until no reader loses a sample by it.
func (w *Writer) WriteWait(ctx context.Context, m msgs.Raw) error {
	err := w.await(ctx, func() bool { return w.roomFor(m.Size()) })
	switch {
	case err != nil:
		if m.Owner != nil {
			m.Owner.Release()
		}
	case w.Write(m, nil) == 0:
		err = ErrClosed
	}
	return err
}

// await waits until something is true of the history, the writer is closed, or ctx ends.
func (w *Writer) await(ctx context.Context, is func() bool) error {
	for {
		w.mu.Lock()
		if w.closed || is() {
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

// roomFor reports whether a sample fits, or pushes out what all readers have. The caller holds w.mu.
func (w *Writer) roomFor(size int) bool {
	h := &w.history
	if len(h.list) == 0 || len(h.list) < w.endpoint.QoS.Depth && h.bytes+int64(size) <= w.bytes {
		return true
	}
	for _, o := range w.links {
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
	if !keep && len(w.links) == 0 {
		h.remove(len(h.list) - 1)
		return h.last
	}
	for len(h.list) > 1 && (len(h.list) > w.endpoint.QoS.Depth || h.bytes > w.bytes) {
		w.evictOldest()
	}
	for _, o := range w.links {
		o.ready.Set()
	}
	return h.last
}

// replace removes the change that the newest one replaces. One that a present reader doesn't have yet stays until it
// does: only late ones get the newest alone. The caller holds w.mu.
func (w *Writer) replace(key string) {
	h := &w.history
	for i, old := range h.list[:len(h.list)-1] {
		if old.key != key {
			continue
		}
		old.key, old.keep = "", false
		for _, o := range w.links {
			if o.done() < old.number {
				return
			}
		}
		h.remove(i)
		return
	}
}

// evictOldest removes a change that some readers may not have. The caller holds w.mu.
func (w *Writer) evictOldest() {
	for _, o := range w.links {
		o.evicted(w.history.list[0])
	}
	w.history.remove(0)
}

// trim removes what every reader has and late ones don't get. The caller holds w.mu.
func (w *Writer) trim() {
	done := w.history.last
	for _, o := range w.links {
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

// open connects a reader. The caller holds w.mu.
func (w *Writer) open(r *remote, e *Endpoint) *outlet {
	o := newOutlet(w, r, e)
	w.p.wg.Go(o.run)
	return o
}

// receive passes an ACKNACK or a NACK_FRAG to the outlet of its reader.
func (w *Writer) receive(m *rtps.Submessage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.links[m.Source.GUID(m.Reader)]
	if o == nil || !o.reliable {
		return
	}
	switch m.Kind {
	case rtps.AckNack:
		o.acknowledged(m, time.Now())
		w.trim()
	case rtps.NackFrag:
		o.missing(m, time.Now())
	}
	o.ready.Set()
}

// Lost returns how many samples readers lost, for each that lost any.
func (w *Writer) Lost() map[rtps.GUID]uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := maps.Clone(w.lost)
	for g, o := range w.links {
		if n := len(o.doubt); n > 0 {
			list[g] += uint64(n)
		}
	}
	return list
}

// Flush waits until all matched readers have everything, or ctx ends.
func (w *Writer) Flush(ctx context.Context) error {
	return w.await(ctx, func() bool {
		for _, o := range w.links {
			if o.done() < w.history.last {
				return false
			}
		}
		return true
	})
}

// Close ends the writer and tells others so.
func (w *Writer) Close() { w.p.leave(w) }

// end ends the outlets and frees the history.
func (w *Writer) end() {
	w.port.end()
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.history.list) > 0 {
		w.history.remove(0)
	}
	w.trim()
}

// statistics counts what a writer has sent.
type statistics struct {
	fragments uint64 // or whole samples, for the first time
	again     uint64 // the same, because a reader asked for them
}
