package queue

import (
	"sync"
	"testing"
)

func TestQueueDropsTheOldest(t *testing.T) {
	var dropped []int
	q := New(30, func(i int) { dropped = append(dropped, i) })
	for i := range 5 {
		q.Push(i, 10)
	}
	if len(dropped) != 2 || dropped[0] != 0 || dropped[1] != 1 {
		t.Errorf("dropped %v, want the two oldest", dropped)
	}
	if q.Size() != 30 {
		t.Errorf("holds %d bytes, want 30", q.Size())
	}
	q.Close()
	q.Push(9, 1)
	for want := 2; want < 5; want++ {
		if got, ok := q.Pop(); !ok || got != want {
			t.Errorf("pop = %d, %v; want %d", got, ok, want)
		}
	}
	if _, ok := q.Pop(); ok {
		t.Error("pop gave an item after the last")
	}
	if dropped[len(dropped)-1] != 9 {
		t.Error("an item pushed after close wasn't given back")
	}
}

// An item larger than the bound still passes: it is better recorded than lost.
func TestQueueTakesOneOversizedItem(t *testing.T) {
	q := New(10, func(int) {})
	q.Push(1, 100)
	if got, ok := q.Pop(); !ok || got != 1 {
		t.Errorf("pop = %d, %v", got, ok)
	}
}

func TestQueueKeepsOrderUnderLoad(t *testing.T) {
	const n = 100_000
	q := New(1<<40, func(int) { t.Error("dropped within the bound") })
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range n {
			q.Push(i, 1)
		}
		q.Close()
	})
	next := 0
	for {
		got, ok := q.Pop()
		if !ok {
			break
		}
		if got != next {
			t.Fatalf("got %d, want %d", got, next)
		}
		next++
	}
	wg.Wait()
	if next != n {
		t.Errorf("%d items of %d came out", next, n)
	}
}
