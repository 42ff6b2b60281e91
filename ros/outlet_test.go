package ros

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/ros/internal/sendqueue"
	"rsros/ros/internal/wire"
	"rsros/ros/names"
	"rsros/test/need"
)

// subscribed returns a topic's publisher with one connection, whose other end is client.
func subscribed(t *testing.T, queue int) (p *Publisher, c *outlet, client net.Conn) {
	client, server := tcpPair(t)
	n := &Node{names: &names.Resolver{Node: "/a"}, log: zerolog.Nop()}
	top := &topic{node: n, name: "/t"}
	p = &Publisher{topic: top}
	need.Must(t, top.add(p, &PublisherOptions{Queue: queue, QueueBytes: -1}))
	w, err := wire.NewVectorWriter(server)
	need.Must(t, err)
	c = &outlet{topic: top, conn: server, w: w}
	if _, err := top.attach(c); err != nil {
		t.Fatal(err)
	}
	return p, c, client
}

// In the steady state, publishing and sending don't allocate.
func TestPublishAllocatesNothing(t *testing.T) {
	for name, size := range map[string]int{"small": 300, "large": 300_000} {
		t.Run(name, func(t *testing.T) {
			p, c, client := subscribed(t, 10)
			go io.Copy(io.Discard, client) //nolint:errcheck // ends with the connection
			go c.write()                   //nolint:errcheck // so does this
			head, body, owner := make([]byte, 60), make([]byte, size), new(counted)
			allocs := testing.AllocsPerRun(200, func() {
				p.Publish(msgs.Raw{Head: head, Body: body, Owner: owner})
				for c.messages.Load() < p.messages.Load() {
					runtime.Gosched()
				}
			})
			if allocs > 0 && !raceEnabled && runtime.GOOS != "windows" { // where Go's sockets allocate
				t.Errorf("%v allocations a message", allocs)
			}
			if got := owner.n.Load(); got != 201 {
				t.Errorf("%d releases", got)
			}
			c.hangUp()
		})
	}
}

// A stalled subscriber receives whole messages, the newest last, in the order of each of the concurrent
// publishers, and all losses are counted.
func TestStalledSubscriber(t *testing.T) {
	const each = 20000
	p, c, client := subscribed(t, 50)
	ended := make(chan error, 1)
	go func() { ended <- c.write() }()
	var wg sync.WaitGroup
	for who := range 2 {
		wg.Go(func() {
			for i := range each {
				size := 12 + i*7%3000
				if i%1000 == 999 {
					size = 3 * sendqueue.BatchBytes
				}
				b := make([]byte, size)
				binary.LittleEndian.PutUint32(b, uint32(who))
				binary.LittleEndian.PutUint32(b[4:], uint32(i))
				binary.LittleEndian.PutUint32(b[size-4:], uint32(i))
				p.Publish(msgs.Raw{Head: b[:8], Body: b[8:]})
			}
		})
	}
	wg.Wait() // nothing was read until now
	go func() {
		p.Flush(t.Context()) //nolint:errcheck // shows in what arrives
		c.hangUp()
	}()
	next, count, r := [2]uint32{}, uint64(0), bufio.NewReader(client)
	for {
		var prefix [4]byte
		if _, err := io.ReadFull(r, prefix[:]); err != nil {
			break
		}
		b := make([]byte, binary.LittleEndian.Uint32(prefix[:]))
		if _, err := io.ReadFull(r, b); err != nil {
			t.Fatal(err)
		}
		who, i := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
		if last := binary.LittleEndian.Uint32(b[len(b)-4:]); who > 1 || i < next[who] || last != i {
			t.Fatalf("message %d of %d ends with %d, at least %v was due", i, who, last, next)
		}
		next[who] = i + 1
		count++
	}
	if err := <-ended; err != nil && !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	if s := p.Stats(); count+s.Dropped != 2*each || count != c.messages.Load() || s.Dropped == 0 || max(next[0], next[1]) != each {
		t.Errorf("%d arrived, %d sent, %d dropped of %d; the last are %v", count, c.messages.Load(), s.Dropped, 2*each, next)
	}
}

func tcpPair(t *testing.T) (client, server net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	defer l.Close()
	if client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); server.Close() })
	return client, server
}
