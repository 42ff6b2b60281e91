package ros

import "context"

// Drain delivers everything published so far before the node leaves: it flushes
// the queues, then closes each TCPROS connection for writing and waits until the
// subscriber has read to the end and hung up. Without it messages would be lost: a
// roscpp subscriber that learns from the master that a publisher is gone hangs up
// without reading the rest. New subscribers are refused from here on. Messages that
// a subscriber hasn't read when ctx ends are lost.
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
			half.CloseWrite() //nolint:errcheck // a broken connection is gone already
		} else {
			c.hangUp() // UDP has no acknowledgement to wait for
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

// end refuses new subscribers and returns the connected ones.
func (t *topic) end() []*outlet {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	return t.outlets
}
