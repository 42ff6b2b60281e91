package work

import "testing"

// shelf is a pool of pieces of 10.
type shelf struct {
	budget *Budget
	pieces int
}

func (s *shelf) put() bool {
	ok := s.budget.AddSpare(10)
	if ok {
		s.pieces++
	}
	return ok
}

func (s *shelf) Free(size int64) (given int64) {
	for ; s.pieces > 0 && given < size; given += 10 {
		s.pieces--
		s.budget.TakeSpare(10)
	}
	return given
}

// TestSpare checks that spare memory takes what queues leave, gives it back when they need it, and keeps its share.
func TestSpare(t *testing.T) {
	b := NewBudget(160)
	q := NewQueue[int](b, func(int) {})
	shelves := []*shelf{{budget: b}, {budget: b}}
	for _, s := range shelves {
		b.Join(s)
	}
	fill := func() {
		for shelves[0].put() || shelves[1].put() {
		}
	}
	want := func(when string, size int64) {
		t.Helper()
		if b.Spare() != size {
			t.Errorf("%s: %d spare, want %d", when, b.Spare(), size)
		}
	}
	fill()
	want("an empty queue", 160)
	for i := range 10 {
		q.Push(i, i, 10)
	}
	want("a queue of 100", 60)
	for i := range 10 {
		q.Push(i, i, 10)
	}
	want("a full queue", 20)
	if fill(); b.RoomForSpare(1) {
		t.Error("a full queue leaves room")
	}
	want("a full queue", 20)
	for range 16 {
		q.Pop()
	}
	if !b.RoomForSpare(140) || b.RoomForSpare(141) {
		t.Error("an empty queue doesn't leave what it had")
	}
	for _, s := range shelves {
		b.Leave(s)
	}
	q.Push(0, 0, 160)
	want("pools that have left", 20)

	var none *Budget
	none.Join(shelves[0])
	none.Leave(shelves[0])
	if none.TakeSpare(1); !none.AddSpare(1<<40) || !none.RoomForSpare(1<<40) {
		t.Error("no budget bounds anything")
	}
}
