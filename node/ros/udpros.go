package ros

import (
	"encoding/binary"
	"fmt"
	"net"
	"strconv"
)

// UDPROS, the publisher's side. A subscriber asks for it in requestTopic; nothing
// is exchanged over UDP but data. A message, with its length prefix, is cut into
// datagrams, each of which starts with
//
//	u32 connection id, u8 operation, u8 message id, u16 block
//
// where the block of the first one (operation 0) is the number of all, and that of
// the others (operation 1) counts from 1. Lost datagrams lose their message.
const (
	udpHeader = 8
	udpFirst  = 0
	udpOther  = 1

	udpLeast   = udpHeader + 64
	udpLargest = 65507 // what fits IPv4
)

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
	c := &outlet{topic: t, conn: conn, header: h, id: n.nextConnection(), transport: "UDPROS", gone: make(chan struct{})}
	reply, err := t.attach(c)
	if err == nil && !n.serve(conn, func() error {
		t.changed()
		err := c.writeDatagrams(size)
		c.hangUp()
		t.detach(c)
		t.changed()
		return err
	}) {
		t.detach(c)
		err = ErrClosed
	}
	if err != nil {
		conn.Close() //nolint:errcheck // unused
		return nil, err
	}
	return []any{"UDPROS", n.host, conn.LocalAddr().(*net.UDPAddr).Port, c.id, size, reply.appendFields(nil)}, nil
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
	if size < udpLeast || size > udpLargest {
		return nil, "", 0, fmt.Errorf("datagrams of %d bytes, want %d to %d", size, udpLeast, udpLargest)
	}
	h, err = parseHeader(raw)
	return h, net.JoinHostPort(host, strconv.Itoa(port)), size, err
}

// writeDatagrams sends what the queue gives until it is closed or the subscriber
// is gone. UDP knows of that only if the subscriber's machine answers that nobody
// listens there any more.
func (c *outlet) writeDatagrams(size int) error {
	id := uint8(0)
	for {
		batch, _, ok := c.queue.take(c.batch[:0])
		if !ok {
			return nil
		}
		c.batch = batch
		for i, o := range batch {
			if id++; id == 0 {
				id = 1
			}
			c.vec = o.appendTo(c.vec[:0])
			err := c.sendCut(c.vec, int(o.size()), id, size)
			if err == nil {
				c.bytes.Add(uint64(o.size()))
				c.messages.Add(1)
			}
			o.release()
			batch[i] = nil
			if err != nil {
				releaseAll(batch[i+1:])
				return err
			}
		}
	}
}

// sendCut sends one message of total bytes in datagrams of at most size bytes. The
// kernel collects each from the message's parts.
func (c *outlet) sendCut(vec [][]byte, total int, id uint8, size int) error {
	payload := size - udpHeader
	blocks := (total + payload - 1) / payload
	if blocks > 0xffff {
		return fmt.Errorf("a message of %d bytes is too large for datagrams of %d", total, size)
	}
	var head [udpHeader]byte
	var datagram net.Buffers
	for block := range blocks {
		op, number := uint8(udpOther), block
		if block == 0 {
			op, number = udpFirst, blocks
		}
		binary.LittleEndian.PutUint32(head[:], uint32(c.id))
		head[4], head[5] = op, id
		binary.LittleEndian.PutUint16(head[6:], uint16(number))
		datagram = append(datagram[:0], head[:])
		for room := payload; len(vec) > 0 && room > 0; {
			n := min(room, len(vec[0]))
			datagram, room = append(datagram, vec[0][:n]), room-n
			if vec[0] = vec[0][n:]; len(vec[0]) == 0 {
				vec = vec[1:]
			}
		}
		all := datagram // WriteTo uses it up
		if _, err := all.WriteTo(c.conn); err != nil {
			return err
		}
	}
	return nil
}
