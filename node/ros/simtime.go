package ros

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"rsros/msgs"
)

// simTime is the ROS time: the computer's, or /clock's if /use_sim_time is set.
type simTime struct {
	active atomic.Bool
	now    atomic.Int64 // ns; of /clock

	known chan struct{} // closed when /use_sim_time has been asked for
	once  sync.Once
	ticks chan struct{} // closed with the first /clock
	tick  sync.Once

	clock *Subscriber // used by the parameter's callback only
}

// followTime keeps the node's time in line with /use_sim_time.
func (n *Node) followTime() error {
	n.time.known, n.time.ticks = make(chan struct{}), make(chan struct{})
	_, err := n.SubscribeParam("/use_sim_time", func(value any) {
		on, _ := value.(bool)
		n.useSimTime(on)
		n.time.once.Do(func() { close(n.time.known) })
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
			t.tick.Do(func() { close(t.ticks) })
		}
	})
	if err != nil {
		return // the node is closed
	}
	t.clock = clock
	t.active.Store(true)
}

// Now is the ROS time: /clock's if the parameter /use_sim_time is true (1970 until
// the first one has come), else the computer's.
func (n *Node) Now() time.Time {
	if n.time.active.Load() {
		return time.Unix(0, n.time.now.Load())
	}
	return time.Now()
}

// TimeKnown is closed when the master has said whether time is simulated.
func (n *Node) TimeKnown() <-chan struct{} { return n.time.known }

// WaitForTime returns when Now is valid: at once with the computer's time, with
// the first /clock in simulated time. It waits for the master to know which.
func (n *Node) WaitForTime(ctx context.Context) error {
	wait := func(c <-chan struct{}) error {
		select {
		case <-c:
			return nil
		case <-n.ctx.Done():
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
