package ros

import (
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"rsros/node/ros/internal/sendqueue"
	"rsros/node/ros/internal/wire"
)

// UDPROS, the publisher's side. A subscriber asks for it in requestTopic; nothing
// is exchanged over UDP but data.

// requestUDP serves one ["UDPROS", header, host, port, datagram size].
func (n *Node) requestUDP(t *topic, params []any) (any, error) {
	h, address, size, err := udpRequest(params)
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
	t.hangUpUDP(conn.RemoteAddr()) // who asks again has forgotten its former connection
	release, err := n.admitUDP(t, hostOf(conn.RemoteAddr()))
	if err != nil {
		conn.Close() //nolint:errcheck // unused
		return nil, err
	}
	c := &outlet{topic: t, conn: conn, header: h, id: n.nextConnection(), transport: "UDPROS", gone: make(chan struct{})}
	reply, err := t.attach(c)
	if err == nil && !n.serve(conn, func() error {
		defer release()
		var probing sync.WaitGroup
		probing.Go(c.probe)
		probing.Go(c.watch)
		t.changed()
		err := c.writeDatagrams(size)
		c.hangUp()
		t.detach(c)
		t.changed()
		probing.Wait()
		return err
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

// Each UDPROS connection is a socket of ours, which costs who asks for it nothing.
const (
	maxUDPTopic = 16  // to one host, on one topic
	maxUDP      = 256 // of a node
)

// admitUDP counts a connection until release is called.
func (n *Node) admitUDP(t *topic, host string) (release func(), err error) {
	const all = ""
	place := t.name + " " + host
	if !n.datagrams.add(place, maxUDPTopic) {
		return nil, fmt.Errorf("topic %s has %d UDPROS subscribers at %s already", t.name, maxUDPTopic, host)
	}
	if !n.datagrams.add(all, maxUDP) {
		n.datagrams.remove(place)
		return nil, fmt.Errorf("this node has %d UDPROS subscribers already", maxUDP)
	}
	return func() { n.datagrams.remove(place); n.datagrams.remove(all) }, nil
}

// probeEvery is how often a subscriber is sent a datagram that it ignores. If its
// machine answers that nobody listens there any more, the next read shows it.
const probeEvery = 10 * time.Second

// probe looks whether the subscriber is still there, until the connection ends.
func (c *outlet) probe() {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.gone:
			return
		case <-tick.C:
			wire.WriteProbe(c.conn, uint32(c.id)) //nolint:errcheck // watch sees it, too
		}
	}
}

// hangUpUDP ends the connections to an address.
func (t *topic) hangUpUDP(address net.Addr) {
	t.mu.Lock()
	outlets := t.outlets
	t.mu.Unlock()
	for _, c := range outlets {
		if c.transport == "UDPROS" && c.conn.RemoteAddr().String() == address.String() {
			c.hangUp()
			<-c.gone
		}
	}
}

func udpRequest(params []any) (h Header, address string, size int, err error) {
	bad := fmt.Errorf("UDPROS wants [name, header, host, port, datagram size], not %v", params)
	if len(params) < 5 {
		return nil, "", 0, bad
	}
	raw, okHeader := params[1].([]byte)
	host, okHost := params[2].(string)
	port, okPort := params[3].(int)
	size, okSize := params[4].(int)
	if !okHeader || !okHost || !okPort || !okSize || port < 1 || port > 65535 {
		return nil, "", 0, bad
	}
	if size < wire.LeastDatagram || size > wire.LargestDatagram {
		return nil, "", 0, fmt.Errorf("datagrams of %d bytes, want %d to %d", size, wire.LeastDatagram, wire.LargestDatagram)
	}
	h, err = wire.ParseHeader(raw)
	return h, net.JoinHostPort(host, strconv.Itoa(port)), size, err
}

// writeDatagrams sends what the queue gives until it is closed or the subscriber
// is gone. UDP knows of that only if the subscriber's machine answers that nobody
// listens there any more.
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
