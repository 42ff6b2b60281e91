package dds

import (
	"cmp"
	"net/netip"
	"sync"

	"rsros/msgs"
	"rsros/ros2/internal/rtps"
	"rsros/ros2/internal/udp"
)

// local is a Writer or a Reader of this participant.
type local interface {
	self() *Endpoint
	has(rtps.GUID) bool
	receive(*rtps.Submessage)
	add(*remote, *Endpoint) // the caller holds Participant.mu
	remove(func(rtps.GUID) bool)
	end()
}

// link connects a port with an endpoint of a peer: an outlet or an inlet.
type link interface {
	aware() bool // the peer's endpoint knows ours
	end()        // the caller holds the port's mu
}

// port is what a Writer and a Reader have in common: our endpoint, and its links.
type port[L link] struct {
	p        *Participant
	endpoint Endpoint
	connect  func(*remote, *Endpoint) L // with mu held
	onLinks  func(int)                  // may be nil

	// mu guards links, closed, and the fields of the Writer or Reader that say so.
	mu     sync.Mutex
	links  map[rtps.GUID]L
	closed bool
}

func (t *port[L]) self() *Endpoint { return &t.endpoint }

// GUID returns the endpoint's.
func (t *port[L]) GUID() rtps.GUID { return t.endpoint.GUID }

// Matched returns the number of peers' endpoints that it is connected with.
func (t *port[L]) Matched() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.links)
}

// Aware returns the participants that have an endpoint which knows this one.
func (t *port[L]) Aware() map[rtps.Prefix]bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := map[rtps.Prefix]bool{}
	for g, l := range t.links {
		if l.aware() {
			list[g.Prefix()] = true
		}
	}
	return list
}

func (t *port[L]) has(g rtps.GUID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.links[g]
	return ok
}

func (t *port[L]) add(r *remote, e *Endpoint) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.links[e.GUID]; t.closed || known {
		return
	}
	t.links[e.GUID] = t.connect(r, e)
	t.tell()
}

func (t *port[L]) tell() {
	if t.onLinks != nil {
		t.onLinks(len(t.links))
	}
}

func (t *port[L]) remove(which func(rtps.GUID) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for g, l := range t.links {
		if which(g) {
			delete(t.links, g)
			l.end()
			t.tell()
		}
	}
}

func (t *port[L]) end() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.remove(func(rtps.GUID) bool { return true })
}

// peer is the other end of a link.
type peer struct {
	guid      rtps.GUID
	to        netip.AddrPort
	reliable  bool
	transient bool // the writer keeps samples for the reader
}

func newPeer(own *Endpoint, r *remote, e *Endpoint) peer {
	to := cmp.Or(e.locator, r.data)
	if own.builtin() {
		to = r.meta
	}
	return peer{e.GUID, to, own.QoS.Reliable && e.QoS.Reliable, own.QoS.TransientLocal && e.QoS.TransientLocal}
}

// enter registers an endpoint and connects it with those of peers that it agrees with. Its id is new, or that of a
// builtin one.
func (p *Participant) enter(l local, id rtps.EntityID) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	own := l.self()
	if !own.builtin() {
		p.lastEntity++
		id = rtps.UserEntity(p.lastEntity, id[3])
	}
	own.GUID = p.prefix.GUID(id)
	p.locals[id] = l
	for _, r := range p.remotes {
		for _, e := range r.endpoints {
			connect(l, r, e)
		}
	}
	return nil
}

// leave is the inverse of enter. It reports false if the endpoint has left.
func (p *Participant) leave(l local) bool {
	own := l.self()
	p.mu.Lock()
	known := p.locals[own.GUID.Entity()] == l
	delete(p.locals, own.GUID.Entity())
	p.mu.Unlock()
	if known {
		l.end()
		p.announcer(own).write(&msgs.Raw{}, disposal(own.GUID), string(own.GUID[:]), false)
	}
	return known
}

// tell announces an endpoint by SEDP.
func (p *Participant) tell(own *Endpoint) {
	p.announcer(own).write(&msgs.Raw{Head: appendEndpoint(nil, own)}, nil, string(own.GUID[:]), true)
}

// announcer returns SEDP's writer for an endpoint.
func (p *Participant) announcer(own *Endpoint) *Writer {
	if own.writes() {
		return p.publications
	}
	return p.subscriptions
}

// connect connects an endpoint of ours with a peer's if they agree, and disconnects it otherwise, since an endpoint may
// change its QoS. The caller holds p.mu.
func connect(l local, r *remote, e *Endpoint) {
	own := l.self()
	writer, reader := own, e
	if e.writes() {
		writer, reader = e, own
	}
	switch {
	case own.builtin() || own.writes() == e.writes():
	case writer.Topic == reader.Topic && !reader.ignores(writer) && Mismatch(writer, reader) == "":
		l.add(r, e)
	default:
		l.remove(func(g rtps.GUID) bool { return g == e.GUID })
	}
}

// socket returns the one from which an endpoint sends.
func (p *Participant) socket(own *Endpoint) *udp.Socket {
	if own.builtin() {
		return p.meta
	}
	return p.data
}
