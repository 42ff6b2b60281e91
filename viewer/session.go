package viewer

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"rsros/camdriver"
	"rsros/viewer/api"
	"rsros/viewer/clients"
)

const (
	// maxRequest is the maximum size of a page's message in bytes.
	maxRequest = 1 << 20
	// window is the maximum number of frames of a stream in flight to a viewer.
	window = 2
)

// session is the connection of a viewer.
type session struct {
	*clients.Client
	id     int
	server *Server

	mu            sync.Mutex
	subscriptions map[*stream]*subscription
	ended         api.ViewerCounts // of subscriptions that have ended
}

// subscription is a viewer's subscription of a stream.
type subscription struct {
	*clients.Subscription
	stream   *stream
	form     atomic.Pointer[form]
	reported bool // returned by unseen
}

// item is a frame or message for viewers. It is encoded once in each form, whatever the number of viewers.
type item interface {
	clients.Item
	Release()
	// parts returns the head, metadata and body, which are valid until the last release.
	parts(api.Head, form) [][]byte
}

// Handle executes a request of the page.
func (v *session) Handle(kind websocket.MessageType, text []byte) error {
	var r *api.Request
	err := errors.New("binary messages aren't expected")
	if kind == websocket.MessageText {
		r, err = api.ParseRequest(text)
	}
	if err != nil {
		return v.Close(websocket.StatusPolicyViolation, err.Error())
	}
	switch r.Op {
	case "subscribe":
		v.subscribe(v.server.stream(r.Stream), form{packed: r.Codec == "packed", divisor: r.Divisor})
	case "unsubscribe":
		v.unsubscribe(v.server.stream(r.Stream))
	case "credit":
		v.credit(v.server.stream(r.Stream), r.Upto)
	case "ping":
		v.send("pong", api.Pong{T: r.T, Now: api.NanosOf(time.Now())})
	default:
		r.From = v.Address()
		v.send("answer", v.server.answer(v.Context(), r))
	}
	return nil
}

// Tick implements clients.Member.
func (*session) Tick(time.Time) {}

// Leave ends the viewer's subscriptions.
func (v *session) Leave() { v.unsubscribeAll(true) }

// send queues a text message.
func (v *session) send(op string, message any) {
	v.Send(websocket.MessageText, v.server.encode(op, message))
}

// subscribe starts sending a stream, or changes its form. A stream of the previous source is nil, as in unsubscribe
// and credit.
func (v *session) subscribe(s *stream, want form) {
	if s == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	sub := v.subscriptions[s]
	if sub != nil {
		sub.form.Store(&want)
		return
	}
	sub = &subscription{stream: s}
	sub.form.Store(&want)
	o := s.queue
	o.Send = func(i clients.Item, d clients.Delivery) error {
		parts := i.(item).parts(api.Head{Stream: s.id, Sequence: d.Sequence, Skipped: d.Skipped}, *sub.form.Load())
		return v.Write(websocket.MessageBinary, parts...)
	}
	sub.Subscription = v.Subscribe(o)
	if v.server.stream(s.id) != s { // it was removed meanwhile; later, its subscriptions are ended
		sub.Close()
		return
	}
	v.subscriptions[s] = sub
	if err := s.watchers.Add(sub); err != nil {
		v.server.o.Log.Warn().Err(err).Uint16("stream", s.id).Msg("viewers can't see a topic")
	} else if s.greet != nil && len(s.watchers.All()) > 1 {
		s.greet(sub)
	}
}

// unseen returns the streams of which the viewer hasn't received anything. It returns each only once.
func (v *session) unseen() (list []*stream) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for s, sub := range v.subscriptions {
		if !sub.reported && sub.Counts().Given == 0 {
			sub.reported = true
			list = append(list, s)
		}
	}
	return list
}

// unsubscribe stops sending a stream.
func (v *session) unsubscribe(s *stream) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.endSubscription(s)
}

// endSubscription ends the subscription of a stream; mu is held.
func (v *session) endSubscription(s *stream) {
	sub := v.subscriptions[s]
	if sub == nil {
		return
	}
	s.watchers.Remove(sub)
	sub.Close()
	add(&v.ended, sub.Counts())
	delete(v.subscriptions, s)
}

func add(to *api.ViewerCounts, c clients.Counts) {
	to.Bytes += c.Bytes
	to.Sent += c.Sent
	to.Skipped += c.Dropped
}

// unsubscribeAll ends the subscriptions of streams that aren't shown any more, or all.
func (v *session) unsubscribeAll(all bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for s := range maps.Clone(v.subscriptions) {
		if all || v.server.stream(s.id) != s {
			v.endSubscription(s)
		}
	}
}

func (v *session) credit(s *stream, upto uint32) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if sub := v.subscriptions[s]; sub != nil {
		sub.Credit(upto)
	}
}

// counts returns the numbers of frames and bytes that the viewer was sent.
func (v *session) counts() (streams []api.StreamCounts, all api.ViewerCounts) {
	v.mu.Lock()
	defer v.mu.Unlock()
	all = v.ended
	all.ID, all.Address = v.id, v.Address()
	streams = []api.StreamCounts{}
	for s, sub := range v.subscriptions {
		c := sub.Counts()
		streams = append(streams, api.StreamCounts{
			ID: s.id, Given: c.Given, Lost: s.lost(), Sent: c.Sent, Skipped: c.Dropped,
		})
		add(&all, c)
	}
	slices.SortFunc(streams, func(a, b api.StreamCounts) int { return int(a.ID) - int(b.ID) })
	return streams, all
}

// encode returns a text message, or one that says why it can't be sent.
func (s *Server) encode(op string, message any) []byte {
	text, err := clients.Encode(op, message)
	if err != nil {
		s.o.Log.Error().Err(err).Msg("viewers miss a message")
		text, _ = clients.Encode("notification", failure("Viewer", err)) // which has only text
	}
	return text
}

// failure returns a notification of an error.
func failure(category string, err error) api.Notification {
	return api.Notification{
		Time: api.NanosOf(time.Now()), Severity: camdriver.SeverityError.String(), Category: category, Text: err.Error(),
	}
}
