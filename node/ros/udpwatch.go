package ros

import (
	"context"
	"errors"
	"time"

	"rsros/node/ros/internal/wire"
	"rsros/node/ros/rosapi"
)

// A UDPROS subscriber sends nothing, and not every network reports that its machine is
// gone. The subscriber is considered gone when its node no longer answers calls.
const (
	// attendEvery is how often the node of a UDPROS subscriber is called.
	attendEvery = 10 * time.Second
	// mostUnanswered is how many calls in a row may fail.
	mostUnanswered = 3
)

// attendance is the state of a subscriber's node.
type attendance struct {
	uri        string // of its slave API; "" until the master has returned it
	answered   bool   // at least once; a node that was never reachable isn't considered gone
	unanswered int    // calls since the last answer
}

// attend calls the subscriber's node periodically and hangs up when it is gone. It
// returns when ctx ends.
func (c *outlet) attend(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for a := (attendance{}); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !a.gone(ctx, c.topic.node, c.header[wire.KeyCallerID]) {
			continue
		}
		c.topic.node.log.Warn().Str("topic", c.topic.name).Str("subscriber", c.header[wire.KeyCallerID]).
			Stringer("address", c.conn.RemoteAddr()).Msg("a subscriber's node no longer answers; closing its UDPROS connection")
		c.hangUp()
		return
	}
}

// gone calls the named node once and reports whether it is gone.
func (a *attendance) gone(ctx context.Context, n *Node, name string) bool {
	if a.uri == "" {
		answer, err := n.caller.Call(ctx, n.cfg.MasterURI, "lookupNode", name)
		if err != nil {
			return false
		}
		a.uri, _ = answer.(string)
	}
	_, err := n.caller.Call(ctx, a.uri, "getPid")
	if refused := new(rosapi.Error); err == nil || errors.As(err, &refused) {
		a.answered, a.unanswered = true, 0
	} else if a.answered && ctx.Err() == nil {
		a.unanswered++
	}
	return a.unanswered >= mostUnanswered
}
