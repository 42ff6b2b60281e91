package ros

import (
	"context"
	"maps"
	"slices"
	"time"

	"rsros/msgs"
)

const rosoutTopic = "/rosout"

// startRosout publishes log lines until the node is closed.
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

// describe fills in the fields of a log message that describe the node.
func (n *Node) describe(m *msgs.Log, seq uint32) {
	m.Name = n.Name()
	m.Header.Seq, m.Header.Stamp = seq, msgs.FromTime(n.Now())
	n.mu.Lock()
	m.Topics = slices.Sorted(maps.Keys(n.topics))
	n.mu.Unlock()
}

// flushRosout sends the lines logged so far, within 200 ms: the last lines of a
// program are those that matter.
func (n *Node) flushRosout() {
	ctx, cancel := context.WithTimeout(n.ctx, 200*time.Millisecond)
	defer cancel()
	published, err := n.rosout.Mark(ctx)
	if err != nil {
		return
	}
	select {
	case <-published:
		n.rosoutPublisher.Flush(ctx) //nolint:errcheck // a slow subscriber misses them
	case <-ctx.Done():
	}
}
