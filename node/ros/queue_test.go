package ros

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func testQueue(messages, bytes int64) *queue {
	l := new(limits)
	l.messages.Store(messages)
	l.bytes.Store(bytes)
	return newQueue(l, nil)
}

// sized is a message of n bytes on the wire.
func sized(n int) *outgoing {
	return newOutgoing(new(sync.Pool), nil, &Message{Head: make([]byte, n-4)}, false)
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
			for old := q.push(o); old != nil; old = q.push(o) {
				old.release()
				evicted++
			}
		}
		if q.len() != c.left || evicted != c.evicted {
			t.Errorf("%s: %d left, %d evicted; want %d, %d", c.name, q.len(), evicted, c.left, c.evicted)
		}
		last, _ := q.take(nil)
		for q.len() > 0 {
			last, _ = q.take(last[:0])
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
		batch, _ := q.take(nil)
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
		if _, ok := q.take(nil); ok {
			t.Error("a closed queue gives messages")
		}
	})
}

// Publishing and sending allocate nothing once they have warmed up.
func TestPublishAllocatesNothing(t *testing.T) {
	client, server := tcpPair(t)
	n := &Node{names: &names{node: "/a"}}
	top := &topic{node: n, name: "/t"}
	p := &Publisher{topic: top, options: PublisherOptions{Queue: 10, QueueBytes: -1}}
	if err := top.add(p); err != nil {
		t.Fatal(err)
	}
	c := &outlet{topic: top, conn: server}
	if _, err := top.attach(c); err != nil {
		t.Fatal(err)
	}
	w, err := newVectorWriter(server)
	if err != nil {
		t.Fatal(err)
	}
	go func() { // the subscriber
		b := make([]byte, 1<<20)
		for {
			if _, err := client.Read(b); err != nil {
				return
			}
		}
	}()
	head, body, owner := make([]byte, 60), make([]byte, 300_000), new(counted)
	var batch []*outgoing
	var vec [][]byte
	allocs := testing.AllocsPerRun(200, func() {
		p.Publish(Message{Head: head, Body: body, Owner: owner})
		batch, _ = c.queue.take(batch[:0])
		vec = batch[0].appendTo(vec[:0])
		if _, err := w.writeAll(vec); err != nil {
			t.Error(err)
		}
		batch[0].release()
	})
	if allocs > 0 && !raceEnabled {
		t.Errorf("%v allocations a message", allocs)
	}
	if got := owner.n.Load(); got != 201 {
		t.Errorf("%d releases", got)
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
