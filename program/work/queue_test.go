package work

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

func TestQueueDropsTheOldest(t *testing.T) {
	var dropped []int
	q := NewQueue[int](NewBudget(30), func(i int) { dropped = append(dropped, i) })
	for i := range 5 {
		q.Push(0, i, 10)
	}
	if len(dropped) != 2 || dropped[0] != 0 || dropped[1] != 1 {
		t.Errorf("dropped %v, want the two oldest", dropped)
	}
	if q.Size() != 30 {
		t.Errorf("holds %d bytes, want 30", q.Size())
	}
	q.Close()
	q.Push(0, 9, 1)
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
	q := NewQueue[int](NewBudget(10), func(int) {})
	q.Push(0, 1, 100)
	if got, ok := q.Pop(); !ok || got != 1 {
		t.Errorf("pop = %d, %v", got, ok)
	}
}

func TestQueueKeepsOrderUnderLoad(t *testing.T) {
	const n = 100_000
	q := NewQueue[int](NewBudget(1<<40), func(int) { t.Error("dropped within the bound") })
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range n {
			q.Push(i%3, i, 1)
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

// A flooding key loses its own items, also if those of others are older and wait in another queue.
func TestQueueIsFair(t *testing.T) {
	b := NewBudget(100)
	dropped := map[string]int{}
	count := func(key string) { dropped[key]++ }
	q, other := NewQueue[string](b, count), NewQueue[string](b, count)
	other.Push("other", "other", 20)
	for range 3 {
		q.Push("small", "small", 5)
	}
	for range 1000 {
		q.Push("flood", "flood", 10)
	}
	for range 2 {
		q.Push("late", "late", 15)
	}
	if len(dropped) != 1 || dropped["flood"] != 997 {
		t.Errorf("dropped %v, want 997 of the flood", dropped)
	}
	if got := q.Held("flood"); got != 30 {
		t.Errorf("the flood holds %d, want 30", got)
	}
	var order []string
	q.Close()
	for key, ok := q.Pop(); ok; key, ok = q.Pop() {
		order = append(order, key)
	}
	if want := []string{"small", "small", "small", "flood", "flood", "flood", "late", "late"}; !slices.Equal(order, want) {
		t.Errorf("out came %v, want %v", order, want)
	}
	other.Push("other", "other", 80)
	if got := other.Size(); got != 100 || len(b.shares) != 1 {
		t.Errorf("the closed queue still has a share: %d, %d", got, len(b.shares))
	}
}

// TestQueueDropsFromTheLargest compares the drops of two full queues of one budget with the rule: the oldest item of the largest share.
func TestQueueDropsFromTheLargest(t *testing.T) {
	const limit, keys = 1000, 50
	r := rand.New(rand.NewPCG(36, 1))
	b := NewBudget(limit)
	held := map[int][]int{} // sizes of items by key, oldest first
	sum := func(key int) (total int) {
		for _, size := range held[key] {
			total += size
		}
		return total
	}
	pushing, pushed := 0, 0
	drop := func(key int) {
		size := func(key int) int {
			if key == pushing && sum(key) > 0 {
				return sum(key) + pushed
			}
			return sum(key)
		}
		for other := range held {
			if size(other) > size(key) {
				t.Fatalf("dropped from %d, which has %d, not from %d with %d", key, size(key), other, size(other))
			}
		}
		held[key] = held[key][1:]
	}
	queues := []*Queue[int, int]{NewQueue[int](b, drop), NewQueue[int](b, drop)}
	for range 20_000 {
		if q := queues[r.IntN(2)]; r.IntN(4) == 0 && q.Size() > 0 {
			key, _ := q.Pop()
			held[key] = held[key][1:]
			continue
		}
		pushing, pushed = r.IntN(keys), 1+r.IntN(limit/10)
		queues[pushing%2].Push(pushing, pushing, int64(pushed))
		held[pushing] = append(held[pushing], pushed)
	}
	for key := range held {
		if got := queues[key%2].Held(key); got != int64(sum(key)) {
			t.Errorf("%d holds %d, want %d", key, got, sum(key))
		}
	}
}

// BenchmarkFullQueue pushes small messages of many topics into a full queue.
func BenchmarkFullQueue(b *testing.B) {
	for _, keys := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprint(keys), func(b *testing.B) {
			q := NewQueue[int](NewBudget(64<<20), func(int) {})
			for i := range 64 << 10 {
				q.Push(i%keys, i, 1024)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				q.Push(i%keys, i, 1024)
			}
		})
	}
}

// TestReserve checks that reserved memory leaves queues what is left of the budget, and that what is kept
// for long gets half of it at most.
func TestReserve(t *testing.T) {
	b := NewBudget(100)
	dropped := 0
	q := NewQueue[string](b, func(int) { dropped++ })
	for i := range 10 {
		q.Push("a", i, 10)
	}
	b.Reserve(40)
	if dropped != 0 || b.Reserved() != 40 {
		t.Errorf("%d dropped, %d reserved", dropped, b.Reserved())
	}
	q.Push("a", 10, 10)
	if dropped != 5 || q.Size() != 60 {
		t.Errorf("%d dropped, %d bytes", dropped, q.Size())
	}
	b.Release(40)
	for i := range 4 {
		q.Push("a", i, 10)
	}
	if dropped != 5 || q.Size() != 100 {
		t.Errorf("%d dropped, %d bytes", dropped, q.Size())
	}
	if !b.Keep(0, 50) || b.Keep(50, 1) {
		t.Error("half of the budget can be kept")
	}
	b.Release(50)
	if b.Reserved() != 0 {
		t.Errorf("%d bytes stay reserved", b.Reserved())
	}
}
