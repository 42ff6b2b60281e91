package camdriver

import "sync"

// Gate admits calls until it is closed. The zero value is open. All methods may be called from
// any goroutine, and calls may be nested.
type Gate struct {
	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup
}

// Enter reports whether a call may begin. If so, the caller must call Leave when it ends.
func (g *Gate) Enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.calls.Add(1)
	}
	return !g.closed
}

// Leave ends a call that Enter has admitted.
func (g *Gate) Leave() { g.calls.Done() }

// Close waits for the calls that were admitted and admits no more.
func (g *Gate) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.calls.Wait()
}

// GatedHandler is a handler that is called while its gate is open.
type GatedHandler struct {
	Handler
	Gate
}

// Call calls f with the handler, unless the gate is closed, and reports whether it did.
func (h *GatedHandler) Call(f func(Handler)) bool {
	if !h.Enter() {
		return false
	}
	defer h.Leave()
	f(h.Handler)
	return true
}
