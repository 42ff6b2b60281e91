package ros

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"rsros/msgs"
)

// simTime is ROS time: the system's, or /clock's if /use_sim_time is true.
type simTime struct {
	active atomic.Bool
	now    atomic.Int64 // last /clock in ns

	known chan struct{} // closed when the master has answered for /use_sim_time
	ticks chan struct{} // closed by tick, with the first /clock
	tick  func()

	clock *Subscriber // used only by the parameter's callback
}

// followTime subscribes to /use_sim_time and switches the node's time.
func (n *Node) followTime() error {
	t := &n.time
	t.known, t.ticks = make(chan struct{}), make(chan struct{})
	know := sync.OnceFunc(func() { close(t.known) })
	t.tick = sync.OnceFunc(func() { close(t.ticks) })
	_, err := n.SubscribeParam("/use_sim_time", func(value any) {
		on, _ := value.(bool)
		n.useSimTime(on)
		know()
	})
	return err
}

func (n *Node) useSimTime(on bool) {
	t := &n.time
	if on == (t.clock != nil) {
		return
	}
	if !on {
		t.active.Store(false)
		t.clock.Close()
		t.clock = nil
		return
	}
	typ := msgs.MustType("rosgraph_msgs/Clock")
	clock, err := n.Subscribe(SubscriberOptions{Topic: "/clock", Type: typ, NoDelay: true}, func(r Received) {
		var m msgs.Clock
		if err := msgs.Unmarshal(r.Data, &m); err == nil {
			t.now.Store(int64(m.Clock))
			t.tick()
		}
	})
	if err != nil {
		return // the node is closed
	}
	t.clock = clock
	t.active.Store(true)
}

// Now returns ROS time. If the parameter /use_sim_time is true that is /clock's, or
// 1970 before the first one was received; otherwise the system's.
func (n *Node) Now() time.Time {
	if n.time.active.Load() {
		return time.Unix(0, n.time.now.Load())
	}
	return time.Now()
}

// TimeKnown is closed when the node knows whether time is simulated.
func (n *Node) TimeKnown() <-chan struct{} { return n.time.known }

// WaitForTime waits until Now is valid: until the master has answered whether time is simulated and, if it is, until
// the first /clock. It ends with ErrClosed when the node is asked to shut down.
func (n *Node) WaitForTime(ctx context.Context) error {
	wait := func(c <-chan struct{}) error {
		select {
		case <-c:
			return nil
		case <-n.Done():
			return ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := wait(n.time.known); err != nil || !n.time.active.Load() {
		return err
	}
	return wait(n.time.ticks)
}
