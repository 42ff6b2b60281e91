package ros

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"rsros/msgs"
	"rsros/ros/internal/wire"
)

// link is a subscriber's connection to one publisher, which it keeps until that has left.
type link struct {
	subscriber *Subscriber
	uri        string // of the publisher's slave API
	id         int    // for getBusInfo
	ctx        context.Context
	cancel     context.CancelFunc

	header  atomic.Pointer[Header] // the publisher's; nil while not connected
	busy    atomic.Bool            // a session is running
	reached atomic.Bool            // it has been connected
	began   time.Time
	leaving atomic.Bool // the publisher has left: read to the end, don't reconnect

	messages, bytes atomic.Uint64
	missing         atomic.Uint64 // numbers.Missing()

	// Used by the link's goroutine.
	numbers   msgs.Numbers // of the publisher's messages, across reconnects
	saidAhead bool         // warned that stamps are in the future
}

func newLink(s *Subscriber, uri string) *link {
	l := &link{subscriber: s, uri: uri, id: s.node.nextConnection(), began: time.Now()}
	l.ctx, l.cancel = context.WithCancel(s.ctx)
	return l
}

// run keeps the link up until its context ends.
func (l *link) run() {
	const first, last = 100 * time.Millisecond, 5 * time.Second
	defer l.cancel()
	defer l.subscriber.running.Add(-1)
	defer l.subscriber.settle(l)
	log := l.subscriber.node.log.With().Str("topic", l.subscriber.options.Topic).Str("publisher", l.uri).Logger()
	logged := "" // the failure that was logged last
	for backoff := first; ; {
		began, received := time.Now(), l.messages.Load()
		l.busy.Store(true)
		err := l.session()
		l.busy.Store(false)
		l.subscriber.shared.broken(l.uri)
		if l.ctx.Err() != nil || l.leaving.Load() {
			return
		}
		if l.header.Swap(nil) != nil { // it was connected
			if logged = ""; l.messages.Load() > received || time.Since(began) > last {
				backoff = first // otherwise the publisher hangs up on every connection
			}
			log.Debug().Err(err).Msg("publisher hung up")
		} else if err.Error() != logged {
			logged = err.Error()
			log.Warn().Err(err).Msg("can't receive from a publisher; retrying")
		}
		select {
		case <-l.ctx.Done():
			return
		case <-time.After(backoff):
		}
		backoff = min(2*backoff, last)
	}
}

// leavingTime is how long a publisher that has left may take to close its connection.
const leavingTime = 5 * time.Second

// leave ends the link because the publisher has left the graph. Messages sent before
// may still be in transit, so a connection is read to its end. That includes one that
// is still being established: the publisher may already count on it.
func (l *link) leave() {
	l.leaving.Store(true)
	if !l.busy.Load() {
		l.cancel()
		return
	}
	time.AfterFunc(leavingTime, l.cancel)
}

// session connects once and receives until the connection ends, with an error.
func (l *link) session() error {
	ctx, cancel := context.WithCancel(l.ctx)
	defer cancel()
	conn, header, err := l.subscriber.node.connectTopic(ctx, l.uri, &l.subscriber.options)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // may already be closed
	l.header.Store(&header)
	l.reached.Store(true)
	return l.receive(conn, header)
}

// receive reads messages, each a u32 length and that many bytes.
func (l *link) receive(conn net.Conn, header Header) error {
	s := l.subscriber
	r := wire.NewMessageReader(conn)
	spec := headed(header)
	for {
		size, err := r.Next()
		if err != nil {
			return err
		}
		if size > s.options.MaxMessage {
			s.refuse(l.uri, size)
			l.numbers.Skip()
			// Keep the connection: after a reconnect the publisher would send it again.
			if err := r.Skip(size); err != nil {
				return err
			}
			continue
		}
		get := s.pool.Get
		if l.messages.Load() == 0 {
			get = s.pool.GetUnpooled
		}
		b := get(int(size))
		if err := r.Read(int(size), b); err != nil {
			b.Release()
			return err
		}
		l.messages.Add(1)
		l.bytes.Add(uint64(size))
		if spec != nil {
			l.arrived(spec, header, b.Data)
		}
		s.deliver(Received{Data: b.Data, Header: header, Time: s.node.Now(), buffer: b})
	}
}

// headed returns a connection's type, or nil if its messages don't begin with a header.
func headed(h Header) *msgs.Spec {
	spec, err := msgs.Parse(h[wire.KeyType], h[wire.KeyDefinition])
	if err != nil || !spec.Numbered() {
		return nil
	}
	return spec
}

// mostAhead is how far in the future a stamp may be without a warning.
const mostAhead = 250 * time.Millisecond

// arrived checks the header of a message. A stamp in the future means that the clocks
// of the publisher and this machine differ. A stamp in the past may come from a bag.
func (l *link) arrived(spec *msgs.Spec, h Header, data []byte) {
	if seq, ok := spec.Seq(data); ok {
		l.numbers.Next(seq)
		l.missing.Store(l.numbers.Missing())
	}
	node := l.subscriber.node
	if l.saidAhead || node.time.active.Load() {
		return
	}
	stamp, ok := spec.Stamp(data)
	if ahead := time.Until(stamp.Time()); ok && ahead > mostAhead {
		l.saidAhead = true
		node.log.Warn().Str("topic", l.subscriber.options.Topic).Str("publisher", h[wire.KeyCallerID]).
			Str("ahead", ahead.Round(time.Millisecond).String()).
			Msg("stamps are in the future: the publisher's clock and this machine's differ")
	}
}

// Publication describes a published topic.
type Publication struct {
	Topic      string
	Type       msgs.Type
	Latched    bool   // new subscribers get messages that were published before
	BestEffort bool   // of Publications: see PublisherOptions
	Queue      int    // of Publications: messages that may wait for a subscriber; negative means unlimited
	Header     Header // of ProbeTopic: that of the connection
}

// ProbeTopic asks the node at a URI for the type and definition of a topic that it publishes. It
// connects as a subscriber of any type and disconnects at once.
func (n *Node) ProbeTopic(ctx context.Context, uri, topic string) (Publication, error) {
	ctx, cancel := n.untilClosed(ctx)
	defer cancel()
	_, h, err := n.connectTopic(ctx, uri, &SubscriberOptions{Topic: topic, Type: msgs.Type{Name: "*", MD5: "*"}})
	if err != nil {
		return Publication{}, fmt.Errorf("probe %s at %s: %w", topic, uri, err)
	}
	typ := msgs.Type{Name: h[wire.KeyType], MD5: h[wire.KeyMD5], Definition: h[wire.KeyDefinition]}
	return Publication{Topic: topic, Type: typ, Latched: h[wire.KeyLatching] == "1", Header: h}, nil
}

// connectTopic asks a publisher's node for the address of a topic and connects to it. The connection
// is closed when ctx ends.
func (n *Node) connectTopic(ctx context.Context, uri string, o *SubscriberOptions) (net.Conn, Header, error) {
	answer, err := n.caller.Call(ctx, uri, "requestTopic", o.Topic, []any{[]any{"TCPROS"}})
	if err != nil {
		return nil, nil, err
	}
	address, ok := topicAddress(answer)
	if !ok {
		return nil, nil, fmt.Errorf("requestTopic answered %v, want [TCPROS, host, port]", answer)
	}
	h := Header{wire.KeyCallerID: n.Name(), wire.KeyTopic: o.Topic, wire.KeyType: o.Type.Name,
		wire.KeyMD5: o.Type.MD5, wire.KeyNoDelay: "0"}
	if o.NoDelay {
		h[wire.KeyNoDelay] = "1"
	}
	conn, h, err := wire.Connect(ctx, address, h)
	if err != nil {
		return nil, nil, err
	}
	if typ := h[wire.KeyType]; !matches(h[wire.KeyMD5], o.Type.MD5) || typ != "" && !matches(typ, o.Type.Name) {
		conn.Close() //nolint:errcheck // another error is returned
		return nil, nil, fmt.Errorf("publisher %s has type [%s] with md5sum [%s], wanted [%s] with [%s]",
			h[wire.KeyCallerID], typ, h[wire.KeyMD5], o.Type.Name, o.Type.MD5)
	}
	return conn, h, nil
}

// topicAddress parses [TCPROS, host, port].
func topicAddress(answer any) (address string, ok bool) {
	params, _ := answer.([]any)
	if len(params) < 3 || params[0] != "TCPROS" {
		return "", false
	}
	host, okHost := params[1].(string)
	port, okPort := params[2].(int)
	return net.JoinHostPort(host, strconv.Itoa(port)), okHost && okPort && port >= 1 && port <= 65535
}
