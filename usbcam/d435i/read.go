package d435i

import (
	"context"
	"sync"
	"time"
)

const statusEndpoint = 0x87

// turn is one wait of a read of an endpoint.
type turn struct {
	While context.Context             // if it ends, the read asks for another turn
	Wait  func(context.Context) error // returns nil when data is due
	Take  func() []byte               // returns nil if there is no data after all
}

// until returns a Wait that lasts until due, or forever if due is zero.
func until(due time.Time) func(context.Context) error {
	return func(ctx context.Context) error {
		var timer <-chan time.Time
		if !due.IsZero() {
			t := time.NewTimer(time.Until(due))
			defer t.Stop()
			timer = t.C
		}
		select {
		case <-timer:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Read reads an endpoint in Turns, which next returns. mu is held during next and Take. The
// error is ErrGone after life has ended, as when a camera is unplugged.
func readTurns(ctx, life context.Context, mu *sync.Mutex, next func() (turn, error)) ([]byte, error) {
	for {
		if life.Err() != nil {
			return nil, ErrGone
		}
		var turn turn
		var err error
		holding(mu, func() { turn, err = next() })
		if err != nil {
			return nil, err
		}
		wait, cancel := context.WithCancel(ctx)
		stop := context.AfterFunc(turn.While, cancel)
		err = turn.Wait(wait)
		stop()
		cancel()
		var changed bool
		var b []byte
		holding(mu, func() {
			if changed = turn.While.Err() != nil; err == nil && !changed {
				b = turn.Take()
			}
		})
		switch {
		case b != nil:
			return b, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && !changed: // a Source has failed
			return nil, ErrStall
		}
	}
}

// holding calls f with mu held, also if f panics.
func holding(mu *sync.Mutex, f func()) {
	mu.Lock()
	defer mu.Unlock()
	f()
}

// state is a context of the reads of an endpoint. It ends when the endpoint's state changes, and
// with the camera's life.
type state struct {
	context.Context
	end context.CancelFunc
}

// interrupt makes the reads of an endpoint ask for another turn. The caller must hold mu.
func (c *Camera) interrupt(endpoint uint8) {
	if s, ok := c.states[endpoint]; ok {
		s.end()
		delete(c.states, endpoint)
	}
}

// Read waits until the next payload or report of an IN endpoint is due and returns it. The
// bytes are valid until the next Read of that endpoint.
func (c *Camera) Read(ctx context.Context, endpoint uint8) ([]byte, error) {
	return readTurns(ctx, c.life, &c.mu, func() (turn, error) {
		t, err := c.next(endpoint)
		s, ok := c.states[endpoint]
		if !ok {
			s.Context, s.end = context.WithCancel(c.life)
			c.states[endpoint] = s
		}
		t.While = s
		return t, err
	})
}

func (c *Camera) next(endpoint uint8) (turn, error) {
	st := c.streams[endpoint]
	switch {
	case endpoint == statusEndpoint:
		return c.statusTurn(), nil
	case endpoint == hidEndpoint:
		return c.reportTurn(), nil
	case st == nil:
		return turn{}, c.refuse("transfer on endpoint %#x", endpoint)
	case !st.committed:
		return turn{}, c.refuse("transfer on endpoint %#x before a commit", endpoint)
	case !st.cleared:
		return turn{}, c.refuse("transfer on endpoint %#x before it was cleared", endpoint)
	}
	return c.turn(st), nil
}

func (c *Camera) statusTurn() turn {
	if len(c.status) == 0 {
		return turn{Wait: until(time.Time{})}
	}
	return turn{Wait: until(time.Now()), Take: func() []byte {
		packet := c.status[0]
		c.status = c.status[1:]
		return packet
	}}
}
