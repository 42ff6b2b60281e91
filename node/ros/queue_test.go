package ros

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
)

func testQueue(messages, bytes int64) *queue {
	l := new(limits)
	l.messages.Store(messages)
	l.bytes.Store(bytes)
	return newQueue(l, nil)
}

// sized is a message of n bytes on the wire.
func sized(n int) *outgoing {
	return newOutgoing(new(sync.Pool), nil, &msgs.Raw{Head: make([]byte, n-4)}, false)
}

func TestQueueDropsOldest(t *testing.T) {
	for _, c := range []struct {
		name            string
		messages, bytes int64
		sizes           []int
		left, evicted   int
	}{
		{"fits", 3, 100, []int{10, 10, 10}, 3, 0},
		{"messages", 3, 100, []int{10, 10, 10, 10, 10}, 3, 2},
		{"bytes", 10, 100, []int{40, 40, 40}, 2, 1},
		{"large evicts all", 10, 100, []int{40, 40, 500}, 1, 2},
		{"large alone", 10, 100, []int{500}, 1, 0},
		{"unbounded", -1, -1, []int{500, 500, 500, 500, 500, 500, 500, 500, 500}, 9, 0},
	} {
		q := testQueue(c.messages, c.bytes)
		evicted := 0
		for _, n := range c.sizes {
			o := sized(n)
			for old, _ := q.push(o); old != nil; old, _ = q.push(o) {
				old.release()
				evicted++
			}
		}
		if q.len() != c.left || evicted != c.evicted {
			t.Errorf("%s: %d left, %d evicted; want %d, %d", c.name, q.len(), evicted, c.left, c.evicted)
		}
		last, _, _ := q.take(nil)
		for q.len() > 0 {
			last, _, _ = q.take(last[:0])
		}
		if got := last[len(last)-1].size(); got != int64(c.sizes[len(c.sizes)-1]) {
			t.Errorf("%s: the newest has %d bytes", c.name, got)
		}
	}
}

func TestQueueBatches(t *testing.T) {
	q := testQueue(-1, -1)
	for _, n := range []int{100, 100, 100, batchBytes, 100, 2 * batchBytes, 100} {
		q.push(sized(n))
	}
	var got []int
	for q.len() > 0 {
		batch, _, _ := q.take(nil)
		got = append(got, len(batch))
	}
	if want := []int{3, 1, 1, 1, 1}; !equal(got, want) {
		t.Errorf("batches of %v, want %v", got, want)
	}
}

func equal(a, b []int) bool {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

func TestQueueWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := testQueue(1, -1)
		q.push(sized(10))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := q.pushWait(ctx, sized(10)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a full queue gave %v", err)
		}
		go func() {
			time.Sleep(time.Minute)
			q.take(nil)
			time.Sleep(time.Minute)
			q.take(nil)
			time.Sleep(time.Minute)
			q.close()
		}()
		begin := time.Now()
		if err := q.pushWait(t.Context(), sized(10)); err != nil || time.Since(begin) != time.Minute {
			t.Errorf("waited %v, %v", time.Since(begin), err)
		}
		// Empty after two minutes, but the second message is being written until then.
		if err := q.flush(t.Context()); err != nil || time.Since(begin) != 3*time.Minute {
			t.Errorf("flush after %v, %v", time.Since(begin), err)
		}
		if err := q.pushWait(t.Context(), sized(10)); err != nil {
			t.Errorf("a closed queue gave %v", err)
		}
		if _, _, ok := q.take(nil); ok {
			t.Error("a closed queue gives messages")
		}
	})
}

// One sends at a time: the publisher that push tells to, or the writer.
func TestQueueHandsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := testQueue(2, -1)
		took := make(chan int64) // the bytes to skip
		go func() {
			for {
				_, skip, ok := q.take(nil)
				if !ok {
					close(took)
					return
				}
				took <- skip
			}
		}()
		synctest.Wait() // the writer found nothing
		one, two := sized(10), sized(20)
		if _, send := q.push(one); !send {
			t.Error("nobody sends, and push doesn't say so")
		}
		batch := q.grab(nil)
		if _, send := q.push(two); send || len(batch) != 1 {
			t.Errorf("push says to send while a publisher does, which took %d", len(batch))
		}
		q.giveBack(batch, 3)
		if skip := <-took; skip != 3 || q.len() != 0 {
			t.Errorf("the writer skips %d bytes, %d wait", skip, q.len())
		}
		synctest.Wait()
		q.push(one)
		q.giveBack(q.grab(batch[:0]), 0)
		if skip := <-took; skip != 0 {
			t.Errorf("the writer skips %d bytes again", skip)
		}
		synctest.Wait()
		q.push(one)
		batch = q.grab(nil)
		q.close()
		<-took
		q.giveBack(batch, 0)
		if err := q.flush(t.Context()); err != nil || one.refs.Load() > 0 {
			t.Errorf("%v; %d hold what a closed queue got back", err, one.refs.Load())
		}
	})
}

// subscribed is a topic's publisher with one connection, whose other end is client.
func subscribed(t *testing.T, queue int) (p *Publisher, c *outlet, client net.Conn) {
	client, server := tcpPair(t)
	n := &Node{names: &names{node: "/a"}, log: zerolog.Nop()}
	top := &topic{node: n, name: "/t"}
	p = &Publisher{topic: top, options: PublisherOptions{Topic: "/t", Queue: queue, QueueBytes: -1}}
	if err := top.add(p); err != nil {
		t.Fatal(err)
	}
	w, err := newVectorWriter(server)
	if err != nil {
		t.Fatal(err)
	}
	c = &outlet{topic: top, conn: server, w: w}
	if _, err := top.attach(c); err != nil {
		t.Fatal(err)
	}
	return p, c, client
}

// Publishing and sending allocate nothing once they have warmed up.
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
			if allocs > 0 && !raceEnabled {
				t.Errorf("%v allocations a message", allocs)
			}
			if got := owner.n.Load(); got != 201 {
				t.Errorf("%d releases", got)
			}
			c.hangUp()
		})
	}
}

// A subscriber that stalls gets whole messages, the newest last, in the order of
// each of the publishers that send at the same time, and all are counted.
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
					size = 3 * batchBytes
				}
				b := make([]byte, size)
				binary.LittleEndian.PutUint32(b, uint32(who))
				binary.LittleEndian.PutUint32(b[4:], uint32(i))
				binary.LittleEndian.PutUint32(b[size-4:], uint32(i))
				p.Publish(msgs.Raw{Head: b[:8], Body: b[8:]})
			}
		})
	}
	wg.Wait() // nobody read until now
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
	if err != nil {
		t.Fatal(err)
	}
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
