package ros

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"rsros/ros/internal/sendqueue"
	"rsros/ros/internal/wire"
	"rsros/ros/rosapi"
)

// outlet is a subscriber's connection to a topic of this node, with its queue.
type outlet struct {
	topic  *topic
	conn   net.Conn
	header Header // the subscriber's
	id     int    // for getBusInfo
	queue  *sendqueue.Queue
	gone   chan struct{} // closed when the connection has ended

	transport string // "TCPROS" or "UDPROS"

	messages, bytes, dropped atomic.Uint64

	// Used by the goroutine that is sending.
	w     *wire.VectorWriter   // nil for UDPROS
	batch []*sendqueue.Message // being written
	vec   [][]byte             // the parts of batch
}

// serveSubscriber runs a subscriber's connection after its header was read.
func (n *Node) serveSubscriber(conn net.Conn, h Header) error {
	name := h[wire.KeyTopic]
	n.mu.Lock()
	t := n.topics[name]
	n.mu.Unlock()
	if t == nil {
		return refuse(conn, "no publisher of topic ["+name+"] in this node")
	}
	if err := t.admit(h); err != nil {
		return refuse(conn, err.Error())
	}
	w, err := wire.NewVectorWriter(conn)
	if err != nil {
		return err
	}
	c := &outlet{topic: t, conn: conn, header: h, id: n.nextConnection(), transport: "TCPROS",
		gone: make(chan struct{}), w: w}
	reply, err := t.attach(c)
	if err != nil {
		return refuse(conn, err.Error())
	}
	n.log.Debug().Str("topic", name).Str("subscriber", h[wire.KeyCallerID]).Msg("subscriber connected")
	return c.run(func() error {
		if _, err := conn.Write(reply.AppendTo(nil)); err != nil {
			return err
		}
		conn.SetWriteDeadline(time.Time{}) //nolint:errcheck // a closed connection shows on the next write
		return c.write()
	})
}

// run sends messages of the topic, to which c is attached, until the connection ends.
func (c *outlet) run(send func() error) error {
	c.topic.node.wg.Go(func() { c.watch(checkEvery) })
	c.topic.changed()
	err := send()
	c.hangUp()
	c.topic.detach(c)
	c.topic.changed()
	return err
}

// Every checkEvery, check that subscribers with unacknowledged data are reachable. A
// subscriber whose machine doesn't answer maxSilent times is disconnected. The kernel
// would retry for a quarter of an hour, and until then the topic would count the subscriber.
const (
	checkEvery = 5 * time.Second
	maxSilent  = 5
)

// watch ends the connection when the subscriber hangs up or its machine is unreachable.
func (c *outlet) watch(every time.Duration) {
	defer c.hangUp()
	nothing := make([]byte, 64)
	for silent := 0; silent < maxSilent; {
		c.conn.SetReadDeadline(time.Now().Add(every)) //nolint:errcheck // a closed connection shows in the read
		switch _, err := c.conn.Read(nothing); {
		case err != nil && !errors.Is(err, os.ErrDeadlineExceeded):
			return
		case err != nil && wire.Unanswered(c.conn, every):
			silent++
		default:
			silent = 0
		}
	}
	c.topic.node.log.Warn().Str("topic", c.topic.name).Str("subscriber", c.header[wire.KeyCallerID]).
		Stringer("address", c.conn.RemoteAddr()).Msg("a subscriber's machine no longer answers; closing its connection")
}

// hangUp ends both goroutines of the connection. It may be called more than once.
func (c *outlet) hangUp() {
	c.conn.Close() //nolint:errcheck // second call
	c.queue.Close()
}

// put queues messages. If nobody is sending and they are small, put writes them to the socket
// at once, which saves a switch to the writer. It never waits: large messages, and bytes
// that the kernel doesn't accept, are left to the writer.
func (c *outlet) put(batch []*sendqueue.Message) {
	size := int64(0)
	for _, o := range batch {
		size += o.Size()
	}
	added, old, send := c.queue.Push(batch...)
	for old != nil {
		c.lose(old)
		batch = batch[added:]
		var idle bool
		added, old, idle = c.queue.Push(batch...)
		send = send || idle
	}
	switch {
	case !send:
	case c.w != nil && size <= sendqueue.BatchBytes:
		c.sendNow()
	default:
		c.queue.Wake()
	}
}

// sendNow sends what the kernel accepts without waiting.
func (c *outlet) sendNow() {
	c.gather(c.queue.Grab(c.batch[:0]))
	n := c.w.WriteNow(c.vec)
	c.bytes.Add(uint64(n))
	done := 0
	for ; done < len(c.batch) && n >= c.batch[done].Size(); done++ {
		n -= c.batch[done].Size()
	}
	c.messages.Add(uint64(done))
	sendqueue.ReleaseAll(c.batch[:done])
	c.queue.GiveBack(c.batch[done:], n)
}

// write sends queued messages until the queue is closed or the connection breaks.
func (c *outlet) write() error {
	for {
		batch, skip, ok := c.queue.Take(c.batch[:0])
		if !ok {
			return nil
		}
		c.gather(batch)
		n, err := c.w.WriteAll(c.vec, skip) // one writev, more only if the socket's buffer is full
		c.bytes.Add(uint64(n))
		sendqueue.ReleaseAll(batch)
		if err != nil {
			return err
		}
		c.messages.Add(uint64(len(batch)))
	}
}

func (c *outlet) gather(batch []*sendqueue.Message) {
	c.batch, c.vec = batch, c.vec[:0]
	for _, o := range batch {
		c.vec = o.AppendTo(c.vec)
	}
}

func (c *outlet) lose(o *sendqueue.Message) {
	c.dropped.Add(1)
	o.From.(*Publisher).lost()
	o.Release()
}

func (c *outlet) stats() SubscriberStats {
	return SubscriberStats{CallerID: c.header[wire.KeyCallerID], Transport: c.transport,
		Messages: c.messages.Load(), Dropped: c.dropped.Load(), Queued: c.queue.Len()}
}

// refuse answers a handshake with an error in the form that roscpp and rospy expect.
func refuse(conn net.Conn, reason string) error {
	reason = strings.ToValidUTF8(reason, "?")
	_, err := conn.Write(Header{wire.KeyError: reason}.AppendTo(nil))
	if err == nil {
		err = &rosapi.Error{Method: "TCPROS handshake", Status: reason}
	}
	return err
}

// Drain delivers everything published so far before the node leaves: it flushes the queues, then closes each TCPROS
// connection for writing and waits until the subscriber has read to the end and hung up. Without it messages would be
// lost: a roscpp subscriber that learns from the master that a publisher is gone hangs up without reading the rest. New
// subscribers are refused from here on. Messages that a subscriber hasn't read when ctx ends are lost.
func (n *Node) Drain(ctx context.Context) error {
	n.mu.Lock()
	var outlets []*outlet
	for _, t := range n.topics {
		outlets = append(outlets, t.end()...)
	}
	n.mu.Unlock()
	for _, links := range n.links() {
		for _, l := range links {
			if l.uri == n.uri { // what the node itself subscribes to won't be there again
				l.leave()
			}
		}
	}
	for _, c := range outlets {
		if err := c.queue.Flush(ctx); err != nil {
			return err
		}
		if half, ok := c.conn.(interface{ CloseWrite() error }); ok {
			half.CloseWrite() //nolint:errcheck // a broken connection is gone already
		} else {
			c.hangUp() // UDP has no acknowledgement to wait for
		}
	}
	for _, c := range outlets {
		select {
		case <-c.gone:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// end refuses new subscribers and returns the connected ones.
func (t *topic) end() []*outlet {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	return t.outlets
}
