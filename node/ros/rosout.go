package ros

import (
	"context"
	"maps"
	"slices"
	"time"

	"rsros/msgs"
)

const rosoutTopic = "/rosout"

// startRosout publishes the lines until the node closes.
func (n *Node) startRosout() error {
	t := msgs.MustType("rosgraph_msgs/Log")
	p, err := n.Advertise(PublisherOptions{Topic: rosoutTopic, Type: t, Latch: true, Queue: 100})
	if err != nil {
		return err
	}
	n.rosoutPublisher = p
	n.wg.Go(func() {
		seq := uint32(0)
		for {
			select {
			case <-n.ctx.Done():
				return
			case line := <-n.rosout.Lines():
				m := line.Log()
				if m == nil {
					continue
				}
				seq++
				n.describe(m, seq)
				if n.cfg.OnLog != nil {
					n.cfg.OnLog(m)
				}
				p.Publish(msgs.Raw{Head: msgs.Marshal(m)})
			}
		}
	})
	return nil
}

// describe fills in what a log message says about its node.
func (n *Node) describe(m *msgs.Log, seq uint32) {
	m.Name = n.Name()
	m.Header.Seq, m.Header.Stamp = seq, msgs.FromTime(n.Now())
	n.mu.Lock()
	m.Topics = slices.Sorted(maps.Keys(n.topics))
	n.mu.Unlock()
}

// flushRosout sends what was logged so far if that takes less than 200 ms: the last
// words of a program are the ones that matter.
func (n *Node) flushRosout() {
	ctx, cancel := context.WithTimeout(n.ctx, 200*time.Millisecond)
	defer cancel()
	published, err := n.rosout.Mark(ctx)
	if err != nil {
		return
	}
	select {
	case <-published:
		n.rosoutPublisher.Flush(ctx) //nolint:errcheck // a slow listener misses it
	case <-ctx.Done():
	}
}
