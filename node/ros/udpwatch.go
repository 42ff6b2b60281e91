package ros

import (
	"context"
	"errors"
	"time"

	"rsros/node/ros/internal/wire"
	"rsros/node/ros/rosapi"
)

// A UDPROS subscriber sends nothing, and if its machine is gone, not every network says so.
// What shows it then is that its node no longer answers calls.
const (
	// attendEvery is how often the node of a UDPROS subscriber is called.
	attendEvery = 10 * time.Second
	// mostUnanswered is how many calls in a row may fail.
	mostUnanswered = 3
)

// attendance is what is known of a subscriber's node.
type attendance struct {
	uri        string // of its slave API; "" until the master tells it
	answered   bool   // at least once: one that can't be called at all isn't judged by that
	unanswered int    // calls since then
}

// attend calls the subscriber's node now and then, and hangs up when it is gone. It returns
// with ctx.
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
			Stringer("address", c.conn.RemoteAddr()).Msg("a subscriber's node doesn't answer any more; its UDPROS connection ends")
		c.hangUp()
		return
	}
}

// gone calls the node of that name once, and says whether it has gone.
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
