package record

import (
	"sync"
	"testing"
)

func TestByteQueueDropsTheOldest(t *testing.T) {
	var dropped []int
	q := newByteQueue(30, func(i int) { dropped = append(dropped, i) })
	for i := range 5 {
		q.push(i, 10)
	}
	if len(dropped) != 2 || dropped[0] != 0 || dropped[1] != 1 {
		t.Errorf("dropped %v, want the two oldest", dropped)
	}
	if q.held() != 30 {
		t.Errorf("holds %d bytes, want 30", q.held())
	}
	q.close()
	q.push(9, 1)
	for want := 2; want < 5; want++ {
		if got, ok := q.pop(); !ok || got != want {
			t.Errorf("pop = %d, %v; want %d", got, ok, want)
		}
	}
	if _, ok := q.pop(); ok {
		t.Error("pop gave an item after the last")
	}
	if dropped[len(dropped)-1] != 9 {
		t.Error("an item pushed after close wasn't given back")
	}
}

// An item larger than the bound still passes: it is better recorded than lost.
func TestByteQueueTakesOneOversizedItem(t *testing.T) {
	q := newByteQueue(10, func(int) {})
	q.push(1, 100)
	if got, ok := q.pop(); !ok || got != 1 {
		t.Errorf("pop = %d, %v", got, ok)
	}
}

func TestByteQueueKeepsOrderUnderLoad(t *testing.T) {
	const n = 100_000
	q := newByteQueue(1<<40, func(int) { t.Error("dropped within the bound") })
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range n {
			q.push(i, 1)
		}
		q.close()
	})
	next := 0
	for {
		got, ok := q.pop()
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
