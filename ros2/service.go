package ros2

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"rsros/msgs"
	"rsros/ros2/internal/dds"
	"rsros/ros2/internal/rtps"
)

// Handler answers a request of a service. Request and response are CDR with encapsulation. After an error, which is
// logged, the client gets no answer. Handlers of one service are called one after the other, on its own goroutine.
type Handler func(ctx context.Context, request []byte) (response []byte, err error)

const (
	maxRequest      = 16 << 20 // bytes of a request or a response
	waitingRequests = 64       // of one service; more are dropped, and the client waits in vain
	serviceDepth    = 100
)

// request is one that waits for its handler.
type request struct {
	data   []byte
	client GUID
	number int64
}

// pair has the two endpoints of a service's server or client.
type pair struct {
	n      *Node
	name   string
	reader *dds.Reader
	writer *dds.Writer
}

var serviceQoS = dds.QoS{Reliable: true, Depth: serviceDepth}

// openPair opens the endpoints of a server or a client. The caller adopts them.
func (n *Node) openPair(service, typ string, server bool, receive func(*dds.Sample)) (p pair, err error) {
	p.n = n
	if p.name, err = n.resolve(service); err != nil {
		return p, err
	}
	request, response := hashesOf(typ)
	in := dds.ReaderOptions{
		Topic: requestPrefix + p.name + requestSuffix, QoS: serviceQoS, UserData: n.userData(request),
		MaxSample: maxRequest, Callback: receive,
	}
	out := dds.WriterOptions{Topic: replyPrefix + p.name + replySuffix, QoS: serviceQoS, UserData: n.userData(response)}
	if in.Type, err = ddsType(typ, requestType); err != nil {
		return p, err
	}
	out.Type, _ = ddsType(typ, responseType)
	if !server {
		in.Topic, in.Type, out.Topic, out.Type = out.Topic, out.Type, in.Topic, in.Type
		in.UserData, out.UserData = out.UserData, in.UserData
	}
	if p.writer, err = n.p.NewWriter(out); err != nil {
		return p, fmt.Errorf("%s: %w", p.name, err)
	}
	if p.reader, err = n.p.NewReader(in); err != nil {
		p.writer.Close()
		return p, fmt.Errorf("%s: %w", p.name, err)
	}
	return p, nil
}

func (p *pair) adopt(end func()) error { return p.n.adopt(end, p.reader.GUID(), p.writer.GUID()) }

func (p *pair) disown() bool { return p.n.disown(p.reader.GUID(), p.writer.GUID()) }

// Service is a service that this node serves.
type Service struct {
	pair
	queue   chan request // sent to by the reader's callback, never closed
	handler Handler
	cancel  context.CancelFunc
	wg      sync.WaitGroup
}

// Serve serves a service of a type such as "std_srvs/srv/Trigger".
func (n *Node) Serve(service, typ string, h Handler) (*Service, error) {
	ctx, cancel := context.WithCancel(n.ctx)
	s := &Service{queue: make(chan request, waitingRequests), handler: h, cancel: cancel}
	var err error
	if s.pair, err = n.openPair(service, typ, true, s.receive); err != nil {
		cancel()
		return nil, fmt.Errorf("serve %w", err)
	}
	s.wg.Go(func() { s.run(ctx) })
	return s, s.adopt(s.end)
}

// receive queues a request.
func (s *Service) receive(m *dds.Sample) {
	r := request{data: bytes.Clone(m.Payload), client: m.Writer, number: m.Number}
	if g, _, ok := related(m.Inline); ok {
		r.client = g
	}
	select {
	case s.queue <- r:
	default:
		s.n.config.Log.Warn().Str("service", s.name).Msg("too many requests wait; dropping one")
	}
}

// related returns the identity of the request that a sample belongs to.
func related(inline rtps.Parameters) (g GUID, number int64, ok bool) {
	if g, number, ok = inline.Get(rtps.PIDRelatedSample).Sample(); ok {
		return g, number, true
	}
	return inline.Get(rtps.PIDRelatedSampleOld).Sample()
}

func identity(g GUID, number int64) []byte {
	b := rtps.AppendSample(nil, rtps.PIDRelatedSample, g, number)
	b = rtps.AppendSample(b, rtps.PIDRelatedSampleOld, g, number)
	return rtps.AppendSentinel(b)
}

func (s *Service) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-s.queue:
			answer, err := s.handler(ctx, r.data)
			if err != nil {
				s.n.config.Log.Warn().Err(err).Str("service", s.name).Msg("a request isn't answered")
				continue
			}
			s.writer.Write(msgs.Raw{Head: answer}, identity(r.client, r.number))
		}
	}
}

func (s *Service) end() {
	s.cancel()
	s.reader.Close()
	s.wg.Wait()
	s.writer.Close()
}

// Close ends the service and waits for its handler.
func (s *Service) Close() {
	if s.disown() {
		s.end()
	}
}

// Client calls a service.
type Client struct {
	pair

	mu      sync.Mutex
	waiting map[int64]chan []byte // by number of the request; sent to once, by the reader's callback
}

// NewClient returns a client of a service.
func (n *Node) NewClient(service, typ string) (_ *Client, err error) {
	c := &Client{waiting: map[int64]chan []byte{}}
	if c.pair, err = n.openPair(service, typ, false, c.receive); err != nil {
		return nil, fmt.Errorf("call %w", err)
	}
	return c, c.adopt(c.end)
}

// receive passes an answer to the call that waits for it. Those of other clients are left out.
func (c *Client) receive(m *dds.Sample) {
	g, number, ok := related(m.Inline)
	if !ok || g != c.reader.GUID() && g != c.writer.GUID() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if to := c.waiting[number]; to != nil {
		delete(c.waiting, number)
		to <- bytes.Clone(m.Payload)
	}
}

const lookForServer = 5 * time.Millisecond

// ready reports whether a server is there and knows this client: both halves of the service belong to one participant.
func (c *Client) ready() bool {
	heard := c.reader.Aware()
	for prefix := range c.writer.Aware() {
		if heard[prefix] {
			return true
		}
	}
	return false
}

// Call waits for a server, sends a request in CDR with encapsulation, and returns the response.
func (c *Client) Call(ctx context.Context, data []byte) ([]byte, error) {
	for !c.ready() {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("call %s: no server was found: %w", c.name, ctx.Err())
		case <-time.After(lookForServer):
		}
	}
	answer := make(chan []byte, 1)
	c.mu.Lock()
	number := c.writer.Write(msgs.Raw{Head: data}, identity(c.reader.GUID(), unknownNumber))
	c.waiting[number] = answer
	c.mu.Unlock()
	if number == 0 {
		return nil, ErrClosed
	}
	defer func() {
		c.mu.Lock()
		delete(c.waiting, number)
		c.mu.Unlock()
	}()
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("call %s: the server didn't answer: %w", c.name, ctx.Err())
	case b := <-answer:
		return b, nil
	}
}

// unknownNumber is that of a sample which isn't known: the high half is -1, the low half 0.
const unknownNumber = -1 << 32

func (c *Client) end() {
	c.reader.Close()
	c.writer.Close()
}

// Close ends the client. Calls that wait end with their contexts.
func (c *Client) Close() {
	if c.disown() {
		c.end()
	}
}

// Call calls a service once: see Client.Call.
func (n *Node) Call(ctx context.Context, service, typ string, data []byte) ([]byte, error) {
	c, err := n.NewClient(service, typ)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.Call(ctx, data)
}
