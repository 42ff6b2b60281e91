package ros

import "context"

// Drain gets everything published so far to its readers before the node leaves:
// queues are emptied, then each TCPROS connection is closed for writing, and the
// subscriber hangs up when it has read to the end. Leaving at once would cost
// messages: a roscpp subscriber that hears from the master of a publisher's end
// hangs up with what it hasn't read yet unread. No new subscriber is taken from
// then on. What a subscriber hasn't read when ctx ends is lost to it.
func (n *Node) Drain(ctx context.Context) error {
	n.mu.Lock()
	var outlets []*outlet
	for _, t := range n.topics {
		outlets = append(outlets, t.end()...)
	}
	n.mu.Unlock()
	for _, c := range outlets {
		if err := c.queue.Flush(ctx); err != nil {
			return err
		}
		if half, ok := c.conn.(interface{ CloseWrite() error }); ok {
			half.CloseWrite() //nolint:errcheck // one that is broken is gone already
		} else {
			c.hangUp() // UDP: what was sent is all that can be done
		}
	}
	for _, c := range outlets {
		select {
		case <-c.gone:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// end refuses new subscribers and gives those that are there.
func (t *topic) end() []*outlet {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	return t.outlets
}
