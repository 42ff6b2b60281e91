package d435i

import (
	"context"
	"time"

	"rsros/camdriver"
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
		if due.IsZero() {
			<-ctx.Done()
		}
		return camdriver.System{}.SleepUntil(ctx, due)
	}
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

// Read waits until the next payload or report of an IN endpoint is due and returns it, in turns. The
// bytes are valid until the next Read of that endpoint. The error is ErrGone after the camera was unplugged.
func (c *Camera) Read(ctx context.Context, endpoint uint8) ([]byte, error) {
	for {
		t, err := c.begin(endpoint)
		if err != nil {
			return nil, err
		}
		wait, cancel := context.WithCancel(ctx)
		stop := context.AfterFunc(t.While, cancel)
		err = t.Wait(wait)
		stop()
		cancel()
		b, changed := c.finish(endpoint, t, err)
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

// begin returns the next turn of an endpoint.
func (c *Camera) begin(endpoint uint8) (turn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life.Err() != nil {
		return turn{}, ErrGone
	}
	t, err := c.next(endpoint)
	s, ok := c.states[endpoint]
	if !ok {
		s.Context, s.end = context.WithCancel(c.life)
		c.states[endpoint] = s
	}
	t.While = s
	return t, err
}

// finish returns the data of a turn whose wait has ended with err, and whether the endpoint's state changed meanwhile.
func (c *Camera) finish(endpoint uint8, t turn, err error) (b []byte, changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if changed = t.While.Err() != nil; err == nil && !changed {
		b = c.spoil(endpoint, t.Take())
	}
	return b, changed
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
