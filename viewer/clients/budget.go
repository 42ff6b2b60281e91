package clients

import (
	"sync"
	"time"

	"rsros/program/buffers"
)

const (
	// budgetBytes bounds what all clients of the process make it keep.
	budgetBytes = 64 << 20
	// freeBytes is what each client may keep even when the budget is exhausted, so that
	// those that keep up aren't harmed by those that don't.
	freeBytes = 64 << 10
	// stuckTime is how long a client may take to read or send one message when the budget is exhausted.
	stuckTime = time.Second
)

// Budget bounds the bytes that clients make the program keep: what waits for them, what is being sent to them, and what
// they have sent. A message that waits for several clients counts once.
//
// When it is exhausted, the client that has been stuck in one message for longest is
// disconnected. If no client has been stuck for a second, the new message is dropped.
type Budget struct {
	bytes *buffers.Budget
	limit int64

	mu      sync.Mutex
	clients map[*Client]struct{}
}

// NewBudget returns a budget of limit bytes.
func NewBudget(limit int64) *Budget {
	return &Budget{bytes: buffers.NewBudget(limit), limit: limit, clients: make(map[*Client]struct{})}
}

// process is the budget of all clients of this process.
var process = NewBudget(budgetBytes)

// Used is how many bytes clients keep.
func (b *Budget) Used() int64 { return b.bytes.Used() }

// cost is what a message counts for. One that exceeds the budget can still be sent.
func (b *Budget) cost(s *Shared) int64 { return min(s.size, b.limit/2) }

// hold retains a message for a client that keeps kept bytes already, or returns false if there is no room.
func (b *Budget) hold(s *Shared, kept int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.holds == 0 && !b.take(b.cost(s), kept) {
		return false
	}
	s.holds++
	s.Retain()
	return true
}

// drop releases a message that a client held.
func (b *Budget) drop(s *Shared) {
	b.mu.Lock()
	if s.holds--; s.holds == 0 {
		b.bytes.Give(b.cost(s))
	}
	b.mu.Unlock()
	s.Release()
}

// take takes n bytes for a client that keeps kept bytes already. Callers hold mu.
func (b *Budget) take(n, kept int64) bool {
	if b.bytes.Take(n) == nil {
		return true
	}
	if kept+n > freeBytes && !b.endStuck() {
		return false
	}
	b.bytes.Force(n)
	return true
}

// endStuck disconnects the client that has been stuck for longest. Its memory is free a moment later. Callers hold mu.
func (b *Budget) endStuck() bool {
	var victim *Client
	oldest := time.Now().Add(-stuckTime).UnixNano()
	for c := range b.clients {
		if since := c.stuckSince(); since != 0 && since < oldest && c.ctx.Err() == nil {
			victim, oldest = c, since
		}
	}
	if victim == nil {
		return false
	}
	victim.fail(ErrBudget)
	return true
}

func (b *Budget) join(c *Client, on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if on {
		b.clients[c] = struct{}{}
	} else {
		delete(b.clients, c)
	}
}
