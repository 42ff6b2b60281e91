package ros

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"rsros/program/work"
	"rsros/ros/internal/sendqueue"
	"rsros/ros/internal/wire"
	"rsros/ros/rosapi"
)

// UDPROS, the publisher's side. A subscriber asks for it in requestTopic; nothing is exchanged over UDP but data.

// requestUDP serves one ["UDPROS", header, host, port, datagram size].
func (n *Node) requestUDP(t *topic, params []any) (any, error) {
	h, address, size, err := wire.ParseDatagramRequest(params)
	if err != nil {
		return nil, err
	}
	if err := t.admit(h); err != nil {
		return nil, err
	}
	conn, err := net.Dial("udp", address)
	if err != nil {
		return nil, err
	}
	t.hangUpUDP(conn.RemoteAddr()) // a subscriber that asks again has dropped its connection
	release, err := n.admitUDP(t, hostOf(conn.RemoteAddr()))
	if err != nil {
		conn.Close() //nolint:errcheck // unused
		return nil, err
	}
	c := &outlet{topic: t, conn: conn, header: h, id: n.nextConnection(), transport: "UDPROS", gone: make(chan struct{})}
	reply, err := t.attach(c)
	if err == nil && !n.serve(conn, func() error {
		defer release()
		ctx, stop := context.WithCancel(n.ctx)
		defer stop()
		n.wg.Go(func() {
			work.Every(ctx, probeEvery, func(time.Time) {
				wire.WriteProbe(c.conn, uint32(c.id)) //nolint:errcheck // watch gets the error, too
			})
		})
		n.wg.Go(func() { c.watchSubscriber(ctx, n.attendEvery) })
		return c.run(func() error { return c.writeDatagrams(size) })
	}) {
		t.detach(c)
		err = ErrClosed
	}
	if err != nil {
		release()
		conn.Close() //nolint:errcheck // unused
		return nil, err
	}
	return []any{"UDPROS", n.host, conn.LocalAddr().(*net.UDPAddr).Port, c.id, size, reply.AppendFields(nil)}, nil
}

// Each UDPROS connection takes a socket here and costs the requester nothing.
const (
	maxUDPTopic = 16  // to one host, on one topic
	maxUDP      = 256 // of a node
)

// admitUDP counts a connection until release is called.
func (n *Node) admitUDP(t *topic, peer string) (release func(), err error) {
	const all = ""
	place := t.name + " " + peer
	if !n.datagrams.add(place, maxUDPTopic) {
		return nil, fmt.Errorf("topic %s has %d UDPROS subscribers at %s already", t.name, maxUDPTopic, peer)
	}
	if !n.datagrams.add(all, maxUDP) {
		n.datagrams.remove(place)
		return nil, fmt.Errorf("this node has %d UDPROS subscribers already", maxUDP)
	}
	return func() { n.datagrams.remove(place); n.datagrams.remove(all) }, nil
}

// probeEvery is how often a subscriber gets a datagram that it ignores. If its
// machine answers that the port is closed, the next read returns an error.
const probeEvery = 10 * time.Second

func (t *topic) hangUpUDP(address net.Addr) {
	for _, c := range t.subscribers() {
		if c.transport == "UDPROS" && c.conn.RemoteAddr().String() == address.String() {
			c.hangUp()
			<-c.gone
		}
	}
}

// writeDatagrams sends queued messages until the connection ends.
func (c *outlet) writeDatagrams(size int) error {
	id := uint8(0)
	for {
		batch, _, ok := c.queue.Take(c.batch[:0])
		if !ok {
			return nil
		}
		c.batch = batch
		for i, o := range batch {
			if id++; id == 0 {
				id = 1
			}
			c.vec = o.AppendTo(c.vec[:0])
			err := wire.WriteDatagrams(c.conn, uint32(c.id), id, size, c.vec)
			if err == nil {
				c.bytes.Add(uint64(o.Size()))
				c.messages.Add(1)
			}
			o.Release()
			batch[i] = nil
			if err != nil {
				sendqueue.ReleaseAll(batch[i+1:])
				return err
			}
		}
	}
}

// A UDPROS subscriber sends nothing, and not every network reports that its machine is
// gone. The subscriber is considered gone when its node no longer answers calls.
const (
	// attendEvery is how often the node of a UDPROS subscriber is called.
	attendEvery = 10 * time.Second
	// mostUnanswered is how many calls in a row may fail.
	mostUnanswered = 3
)

// watchSubscriber calls the subscriber's node periodically and hangs up when it is gone.
func (c *outlet) watchSubscriber(ctx context.Context, every time.Duration) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	n, name := c.topic.node, c.header[wire.KeyCallerID]
	uri := ""         // of its slave API; "" until the master has returned it
	answered := false // at least once; a node that was never reachable isn't considered gone
	unanswered := 0   // calls since the last answer
	work.Every(ctx, every, func(time.Time) {
		if uri == "" {
			answer, err := n.caller.Call(ctx, n.cfg.MasterURI, "lookupNode", name)
			if err != nil {
				return
			}
			uri, _ = answer.(string)
		}
		_, err := n.caller.Call(ctx, uri, "getPid")
		if _, refused := errors.AsType[*rosapi.Error](err); err == nil || refused {
			answered, unanswered = true, 0
		} else if answered && ctx.Err() == nil {
			unanswered++
		}
		if unanswered == mostUnanswered {
			n.log.Warn().Str("topic", c.topic.name).Str("subscriber", name).
				Stringer("address", c.conn.RemoteAddr()).Msg("a subscriber's node no longer answers; closing its UDPROS connection")
			c.hangUp()
			stop()
		}
	})
}
