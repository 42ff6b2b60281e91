package ros

import (
	"context"
	"errors"
	"net"
	"time"

	"rsros/ros/internal/wire"
)

func (n *Node) accept() {
	for {
		conn, err := n.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of file descriptors: retry slowly
			n.log.Warn().Err(err).Msg("can't accept a connection")
			select {
			case <-n.ctx.Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		if !n.serve(conn, func() error { return n.serveConn(conn) }) {
			conn.Close() //nolint:errcheck // nothing was written
			return
		}
	}
}

// serve calls run in a goroutine, which Close ends. It returns false if the node is closed.
func (n *Node) serve(conn net.Conn, run func() error) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.connected.Err() != nil {
		return false
	}
	n.wg.Go(func() {
		defer conn.Close() //nolint:errcheck // may already be closed
		defer context.AfterFunc(n.connected, func() { conn.Close() })()
		if err := run(); err != nil {
			n.log.Debug().Err(err).Stringer("peer", conn.RemoteAddr()).Msg("connection ended")
		}
	})
	return true
}

// serveConn reads a peer's header and serves the topic or service that it names.
func (n *Node) serveConn(conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(n.cfg.handshake)); err != nil {
		return err
	}
	h, err := wire.ReadHeader(conn)
	if err != nil {
		return err
	}
	switch {
	case h[wire.KeyTopic] != "":
		return n.serveSubscriber(conn, h)
	case h[wire.KeyService] != "":
		return n.serveService(conn, h)
	}
	return refuse(conn, "the connection header names neither a topic nor a service")
}

// Header is a connection header, which each end sends before the first message. The keys are the field names of the ROS
// wiki: "callerid", "topic" or "service", "type", "md5sum", "message_definition", "latching", ….
type Header = wire.Header
