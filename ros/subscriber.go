package ros

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/program/recvbuf"
	"rsros/program/work"
	"rsros/ros/names"
)

// SubscriberOptions describe a subscription.
type SubscriberOptions struct {
	Topic string    // resolved and remapped by the node
	Type  msgs.Type // Name and MD5 default to "*", any type

	// Queue is the number of messages queued for the callback, the oldest dropped first; negative means unlimited. With 0
	// the callback runs in the connection's goroutine, so that a slow callback fills the publisher's queue instead. Calls
	// never overlap.
	Queue int

	Others bool // exclude publishers of this node; see Node.Tap for those

	NoDelay bool // ask the publisher to send without delay (tcp_nodelay)

	// MaxMessage is the size limit of a message in bytes. It defaults to, and can't
	// exceed, Config.MaxMessage. Larger messages are skipped, counted and logged.
	MaxMessage int64

	// Budget bounds the memory that all its subscribers together keep for their next messages. With nil, each
	// subscriber keeps up to 64 MiB.
	Budget *work.Budget
}

// Buffer holds a received message.
type Buffer = recvbuf.Buffer

// Received is a message received from a publisher.
type Received struct {
	Data   []byte // valid until the callback returns; see Retain
	Header Header // the publisher's connection header; shared, read only
	Time   time.Time

	buffer *Buffer
}

// Retain keeps Data valid until the Buffer is released.
func (r Received) Retain() *Buffer {
	r.buffer.Retain()
	return r.buffer
}

// Subscriber receives one topic from all its publishers.
type Subscriber struct {
	options  SubscriberOptions
	node     *Node
	shared   *subscription
	callback func(Received)
	pool     recvbuf.Pool
	inbox    *work.Queue[struct{}, Received] // nil without a queue

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	began  time.Time

	calling sync.Mutex // held while the callback runs

	mu      sync.Mutex
	links   map[string]*link // by the publisher's URI
	missing uint64           // messages that ended links have missed
	closed  bool

	running                            atomic.Int64 // links, with those that are leaving
	messages, bytes, dropped, tooLarge atomic.Uint64

	logLarge zerolog.BurstSampler // one line a second
}

// SubscriberCounts has the counters of a subscriber.
type SubscriberCounts struct {
	Messages, Bytes uint64
	Dropped         uint64 // because the callback was too slow
	TooLarge        uint64 // above SubscriberOptions.MaxMessage
	Publishers      int

	// Missing is the number of gaps in header.seq, for publishers that number their messages as roscpp and rospy do:
	// messages lost in the publisher's queue or with a broken connection.
	Missing uint64
}

// Subscribe subscribes to a topic. The callback must not use Data after it returns, and must not close the subscriber
// or the node. If ROS doesn't allow the topic's or the type's name, the error is a *names.Error.
func (n *Node) Subscribe(options SubscriberOptions, callback func(Received)) (*Subscriber, error) {
	name, err := n.Resolve(options.Topic)
	if err != nil {
		return nil, err
	}
	options.Topic = name
	for _, field := range []*string{&options.Type.Name, &options.Type.MD5} {
		*field = cmp.Or(*field, "*")
	}
	if options.Type.Name != "*" {
		if err := names.CheckType(options.Type.Name); err != nil {
			return nil, fmt.Errorf("subscribe to %s: %w", name, err)
		}
	}
	if options.MaxMessage <= 0 || options.MaxMessage > n.cfg.MaxMessage {
		options.MaxMessage = n.cfg.MaxMessage
	}
	s := &Subscriber{options: options, node: n, callback: callback, links: make(map[string]*link), began: time.Now(),
		logLarge: zerolog.BurstSampler{Burst: 1, Period: time.Second}}
	s.pool.Share(options.Budget)
	s.ctx, s.cancel = context.WithCancel(n.ctx)
	if options.Queue != 0 {
		limit := int64(options.Queue)
		if limit < 0 {
			limit = math.MaxInt64
		}
		s.inbox = work.NewQueue[struct{}](work.NewBudget(limit), func(r Received) {
			s.dropped.Add(1)
			r.buffer.Release()
		})
		s.wg.Go(s.dispatch)
	}
	if !n.join(s) {
		s.cancel()
		s.stop()
		return nil, ErrClosed
	}
	return s, nil
}

// Publishers returns the number of connected publishers.
func (s *Subscriber) Publishers() int { return s.Stats().Publishers }

// Announced reports whether the master has named a publisher, connected or not.
func (s *Subscriber) Announced() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.links) > 0
}

// Unreached returns the number of publishers that have never been connected, although they have been known for longer
// than a time. It is 1 if no master has accepted the subscription for as long.
func (s *Subscriber) Unreached(longer time.Duration) (n int) {
	s.shared.mu.Lock()
	known := s.shared.known
	s.shared.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !known && time.Since(s.began) > longer {
		n++
	}
	for _, l := range s.links {
		if !l.reached.Load() && time.Since(l.began) > longer {
			n++
		}
	}
	return n
}

// Headers returns the connection headers of the connected publishers.
func (s *Subscriber) Headers() []Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Header
	for _, l := range s.links {
		if h := l.header.Load(); h != nil {
			all = append(all, *h)
		}
	}
	return all
}

// Stats returns the counters.
func (s *Subscriber) Stats() SubscriberCounts {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := SubscriberCounts{Messages: s.messages.Load(), Bytes: s.bytes.Load(), Dropped: s.dropped.Load(),
		TooLarge: s.tooLarge.Load(), Missing: s.missing}
	for _, l := range s.links {
		c.Missing += l.missing.Load()
		if l.header.Load() != nil {
			c.Publishers++
		}
	}
	return c
}

// settle counts the messages that an ending link has missed.
func (s *Subscriber) settle(l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missing += l.missing.Swap(0)
}

// Close waits for the last callback, and must not be called by one.
func (s *Subscriber) Close() {
	s.node.leave(s)
	s.stop()
}

func (s *Subscriber) stop() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	if s.inbox != nil {
		s.inbox.Close()
	}
	s.wg.Wait()
	s.pool.Close()
}

func (s *Subscriber) setPublishers(uris []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if s.options.Others {
		uris = slices.DeleteFunc(slices.Clone(uris), func(uri string) bool { return uri == s.node.uri })
	}
	wanted := make(map[string]bool, len(uris))
	for _, uri := range uris {
		wanted[uri] = true
	}
	for uri, l := range s.links {
		if wanted[uri] {
			continue
		}
		if delete(s.links, uri); s.running.Load() <= maxPublishers {
			l.leave()
		} else {
			l.cancel() // many others are leaving
		}
	}
	for _, uri := range uris {
		if s.links[uri] == nil {
			l := newLink(s, uri)
			s.links[uri] = l
			s.running.Add(1)
			s.wg.Go(l.run)
		}
	}
}

// refuse counts a message above the size limit and logs it at most once a second.
func (s *Subscriber) refuse(publisher string, size int64) {
	total := s.tooLarge.Add(1)
	if !s.logLarge.Sample(zerolog.WarnLevel) {
		return
	}
	s.node.log.Warn().Str("topic", s.options.Topic).Str("publisher", publisher).Int64("bytes", size).
		Int64("limit", s.options.MaxMessage).Uint64("total", total).Msg("a message is too large and is skipped")
}

// deliver passes a message to the callback, directly or through the queue.
func (s *Subscriber) deliver(r Received) {
	s.messages.Add(1)
	s.bytes.Add(uint64(len(r.Data)))
	if s.inbox == nil {
		s.call(r)
		return
	}
	s.inbox.Push(struct{}{}, r, 1)
}

func (s *Subscriber) call(r Received) {
	s.calling.Lock()
	defer s.calling.Unlock()
	if s.ctx.Err() == nil {
		s.callback(r)
	}
	r.buffer.Release()
}

func (s *Subscriber) dispatch() {
	for r, ok := s.inbox.Pop(); ok; r, ok = s.inbox.Pop() {
		s.call(r)
	}
}
