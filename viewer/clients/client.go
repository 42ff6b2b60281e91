package clients

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"rsros/program/work"
)

const (
	// controlBytes bounds what Send has queued for a client that doesn't read it.
	controlBytes = 4 << 20
	tickTime     = time.Second
	pingTime     = 10 * time.Second
)

// Client is one connection.
type Client struct {
	budget  *Budget
	ws      *websocket.Conn
	conn    *conn
	address string
	ctx     context.Context // ends with the connection
	fail    context.CancelCauseFunc
	control *Subscription // of Send
	wake    work.Signal

	reading, writing atomic.Int64 // since when a large message is being read, or one is written; ns, 0 for none
	bytes            atomic.Uint64
	maxMessage       int64
	message          []byte // that is being read, or was last
	lent             int64  // of the budget, for message
	joined           []byte // the small message that is being written
	running          sync.WaitGroup

	mu       sync.Mutex
	ended    bool
	subs     map[*Subscription]struct{}
	rings    [classes][]*Subscription // that have something to send, the next one first
	held     int64                    // bytes that wait or are being sent
	dropped  uint64
	handling bool          // a message of the client
	idle     chan struct{} // closed when nothing is left to do; nil if nobody waits for that
}

// control is a message of Send.
type control struct {
	Shared
	kind websocket.MessageType
	data []byte
}

func newControl(kind websocket.MessageType, data []byte) *control {
	m := &control{kind: kind, data: data}
	m.Init(int64(len(data)), nil)
	return m
}

// client implements Member for types that embed a Client.
func (c *Client) client() *Client { return c }

// Context ends with the connection.
func (c *Client) Context() context.Context { return c.ctx }

// Address is the client's address.
func (c *Client) Address() string { return c.address }

// Send queues a message that isn't dropped; it belongs to the client then. A client that
// leaves too many of them unread is disconnected.
func (c *Client) Send(kind websocket.MessageType, data []byte) {
	m := newControl(kind, data)
	defer m.Release()
	c.control.Keep(m)
}

// Unsent is how many bytes of what Send has queued wait.
func (c *Client) Unsent() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.control.bytes
}

// Subscribe adds a queue.
func (c *Client) Subscribe(o Options) *Subscription {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &Subscription{client: c, o: o, closed: c.ended}
	c.subs[s] = struct{}{}
	return s
}

// Dropped is how many messages of all subscriptions were dropped.
func (c *Client) Dropped() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dropped
}

// Write sends a message at once. It is for the Send of Options.
func (c *Client) Write(kind websocket.MessageType, parts ...[]byte) error {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	err := c.writeMessage(kind, n, parts)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrSlow, err)
	}
	if err == nil {
		c.bytes.Add(uint64(n))
	}
	return err
}

// Reserve reserves memory for what the client has sent and the caller keeps; false if
// clients keep too much and this isn't little. The caller releases it with Unreserve.
func (c *Client) Reserve(n int64) bool {
	b := c.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.take(n, 0)
}

// Unreserve releases memory that was reserved.
func (c *Client) Unreserve(n int64) { c.budget.bytes.Give(n) }

// stuckSince returns when the message began that is being read or written, in ns since 1970; 0 if there is none.
func (c *Client) stuckSince() int64 {
	r, w := c.reading.Load(), c.writing.Load()
	if r == 0 || w != 0 && w < r {
		return w
	}
	return r
}

// panicked is a panic while a client was served. It ends that client and nothing else.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// protect calls f, and returns a panic as an error.
func (c *Client) protect(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicked{p, debug.Stack()}
		}
	}()
	return f()
}

// Go runs f on a goroutine of the client, which Run waits for. An error disconnects the client.
func (c *Client) Go(f func() error) {
	c.running.Go(func() {
		if err := c.protect(f); err != nil {
			c.fail(err)
		}
	})
}

// run serves a client that has joined until it is disconnected, and returns the reason.
func (c *Client) run(handle func(websocket.MessageType, []byte) error, tick func(time.Time)) error {
	context.AfterFunc(c.ctx, func() {
		c.end()
		c.conn.hangUp()
	})
	c.Go(func() error { return c.write(tick) })
	c.Go(c.ping)
	err := c.protect(func() error { return c.read(handle) })
	status := websocket.StatusProtocolError
	if p := (*panicked)(nil); errors.As(err, &p) {
		status = websocket.StatusInternalError
	}
	c.hangUp(status, "", err)
	c.giveBack()
	c.running.Wait()
	c.end()
	return context.Cause(c.ctx)
}

func (c *Client) read(handle func(websocket.MessageType, []byte) error) error {
	for {
		kind, message, err := c.receive()
		if err != nil {
			return err
		}
		c.reading.Store(0)
		c.setHandling(true)
		err = handle(kind, message)
		c.setHandling(false)
		if err != nil {
			return err
		}
	}
}

func (c *Client) setHandling(on bool) {
	c.mu.Lock()
	c.handling = on
	c.mu.Unlock()
	c.wake.Set() // somebody may wait for this
}

// write sends what waits, until the connection ends or a write fails.
func (c *Client) write(tick func(time.Time)) error {
	ticker := time.NewTicker(tickTime)
	defer ticker.Stop()
	for {
		select { // even if there is always something to send
		case <-c.ctx.Done():
			return nil
		case now := <-ticker.C:
			tick(now)
		default:
		}
		if sent, err := c.sendNext(); err != nil {
			return err
		} else if sent {
			continue
		}
		select {
		case <-c.wake:
		case <-c.ctx.Done():
			return nil
		case now := <-ticker.C:
			tick(now)
		}
	}
}

// sendNext sends one message, and returns whether there was one.
func (c *Client) sendNext() (bool, error) {
	s, i, d := c.next()
	if s == nil {
		return false, nil
	}
	c.writing.Store(time.Now().UnixNano())
	before := c.bytes.Load()
	defer func() {
		c.writing.Store(0)
		c.mu.Lock()
		defer c.mu.Unlock()
		s.counts.Bytes += c.bytes.Load() - before
		c.release(i.shared())
	}()
	return true, s.o.Send(i, d)
}

// next removes and returns the message to send next; nil if none waits. The caller releases it.
func (c *Client) next() (*Subscription, Item, Delivery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for class := range c.rings {
		r := &c.rings[class]
		for len(*r) > 0 {
			s := (*r)[0]
			(*r)[0] = nil
			*r = (*r)[1:]
			s.queued = false
			if len(s.waiting) == 0 {
				continue // dropped for a message that the budget then refused
			}
			i := s.take(0).item
			s.sequence++
			d := Delivery{Sequence: s.sequence, Skipped: s.skipped}
			s.skipped = 0
			s.counts.Sent += i.shared().count()
			s.schedule()
			return s, i, d
		}
	}
	if !c.handling {
		c.settled()
	}
	return nil, nil, Delivery{}
}

// sendControl is the Send of what Client.Send has queued.
func (c *Client) sendControl(i Item, _ Delivery) error {
	m := i.(*control)
	return c.Write(m.kind, m.data)
}

// release drops a message that the client held. Callers hold mu.
func (c *Client) release(m *Shared) {
	c.held -= m.size
	c.budget.drop(m)
}

// end releases the messages that wait for the client.
func (c *Client) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endLocked()
}

// endLocked does end's work; mu is held.
func (c *Client) endLocked() {
	if c.ended {
		return
	}
	c.ended = true
	for s := range c.subs {
		s.closed = true
		s.clear()
	}
	clear(c.rings[:])
	c.settled()
}

// settled wakes those who wait until nothing is left to do. Callers hold mu.
func (c *Client) settled() {
	if c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// drain returns when the client has been answered and sent what waits for it, or ctx ends.
func (c *Client) drain(ctx context.Context) error {
	c.mu.Lock()
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	idle := c.idle
	if c.ended {
		c.settled()
	}
	c.mu.Unlock()
	c.wake.Set() // the writer checks again, even if nothing waits
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
