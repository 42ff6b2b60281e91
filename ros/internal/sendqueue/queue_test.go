package sendqueue

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rsros/msgs"
)

func testQueue(messages, bytes int64) *Queue {
	l := new(Limits)
	l.Messages.Store(messages)
	l.Bytes.Store(bytes)
	return New(l, nil)
}

// sized is a message of n bytes on the wire.
func sized(n int) *Message {
	return NewMessage(new(sync.Pool), nil, &msgs.Raw{Head: make([]byte, n-4)}, false)
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
			for _, old, _ := q.Push(o); old != nil; _, old, _ = q.Push(o) {
				old.Release()
				evicted++
			}
		}
		if q.Len() != c.left || evicted != c.evicted {
			t.Errorf("%s: %d left, %d evicted; want %d, %d", c.name, q.Len(), evicted, c.left, c.evicted)
		}
		last, _, _ := q.Take(nil)
		for q.Len() > 0 {
			last, _, _ = q.Take(last[:0])
		}
		if got := last[len(last)-1].Size(); got != int64(c.sizes[len(c.sizes)-1]) {
			t.Errorf("%s: the newest has %d bytes", c.name, got)
		}
	}
}

// A batch that doesn't fit evicts the oldest messages one after the other, also its own.
func TestQueuePushesBatches(t *testing.T) {
	q := testQueue(3, -1)
	batch := []*Message{sized(10), sized(10), sized(10), sized(10), sized(10)}
	added, old, send := q.Push(batch...)
	if added != 3 || old != batch[0] || send {
		t.Errorf("pushed %d, evicted %v, send %v; want 3, the first, false: the writer sends", added, old, send)
	}
	added, old, _ = q.Push(batch[3:]...)
	if added != 1 || old != batch[1] {
		t.Errorf("pushed %d more, evicted %v; want 1, the second", added, old)
	}
	if added, old, _ = q.Push(batch[4]); added != 1 || old != nil || q.Len() != 3 {
		t.Errorf("pushed %d more, evicted %v, %d wait; want 1, nil, 3", added, old, q.Len())
	}
	q.Close()
	if added, _, _ = q.Push(batch[:2]...); added != 2 || batch[0].refs.Count() != 0 || batch[1].refs.Count() != 0 {
		t.Errorf("a closed queue took %d and holds %d, %d references", added, batch[0].refs.Count(), batch[1].refs.Count())
	}
}

func TestQueueBatches(t *testing.T) {
	q := testQueue(-1, -1)
	for _, n := range []int{100, 100, 100, BatchBytes, 100, 2 * BatchBytes, 100} {
		q.Push(sized(n))
	}
	var got []int
	for q.Len() > 0 {
		batch, _, _ := q.Take(nil)
		got = append(got, len(batch))
	}
	if want := []int{3, 1, 1, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("batches of %v, want %v", got, want)
	}
}

func TestQueueWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := testQueue(1, -1)
		q.Push(sized(10))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := q.PushWait(ctx, sized(10)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a full queue gave %v", err)
		}
		go func() {
			time.Sleep(time.Minute)
			q.Take(nil)
			time.Sleep(time.Minute)
			q.Take(nil)
			time.Sleep(time.Minute)
			q.Close()
		}()
		begin := time.Now()
		if err := q.PushWait(t.Context(), sized(10)); err != nil || time.Since(begin) != time.Minute {
			t.Errorf("waited %v, %v", time.Since(begin), err)
		}
		// The queue is empty after two minutes, but the second message is being written until then.
		if err := q.Flush(t.Context()); err != nil || time.Since(begin) != 3*time.Minute {
			t.Errorf("flush after %v, %v", time.Since(begin), err)
		}
		if err := q.PushWait(t.Context(), sized(10)); err != nil {
			t.Errorf("a closed queue gave %v", err)
		}
		if _, _, ok := q.Take(nil); ok {
			t.Error("a closed queue gives messages")
		}
	})
}

// Only one sends at a time: the publisher, if push says so, or the writer.
func TestQueueHandsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := testQueue(2, -1)
		took := make(chan int64) // bytes to skip
		go func() {
			for {
				_, skip, ok := q.Take(nil)
				if !ok {
					close(took)
					return
				}
				took <- skip
			}
		}()
		synctest.Wait() // the writer found nothing
		one, two := sized(10), sized(20)
		if _, _, send := q.Push(one); !send {
			t.Error("nobody sends, and push doesn't say so")
		}
		batch := q.Grab(nil)
		if _, _, send := q.Push(two); send || len(batch) != 1 {
			t.Errorf("push says to send while a publisher does, which took %d", len(batch))
		}
		q.GiveBack(batch, 3)
		if skip := <-took; skip != 3 || q.Len() != 0 {
			t.Errorf("the writer skips %d bytes, %d wait", skip, q.Len())
		}
		synctest.Wait()
		q.Push(one)
		q.GiveBack(q.Grab(batch[:0]), 0)
		if skip := <-took; skip != 0 {
			t.Errorf("the writer skips %d bytes again", skip)
		}
		synctest.Wait()
		q.Push(one)
		batch = q.Grab(nil)
		q.Close()
		<-took
		q.GiveBack(batch, 0)
		if err := q.Flush(t.Context()); err != nil || one.refs.Count() > 0 {
			t.Errorf("%v; %d hold what a closed queue got back", err, one.refs.Count())
		}
	})
}
