package ros

import (
	"bytes"
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/ros/internal/wire"
	"rsros/ros/names"
)

// byteConn is a connection whose peer has sent everything at once.
type byteConn struct{ io.Reader }

func (byteConn) Write(b []byte) (int, error)      { return len(b), nil }
func (byteConn) Close() error                     { return nil }
func (byteConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (byteConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (byteConn) SetDeadline(time.Time) error      { return nil }
func (byteConn) SetReadDeadline(time.Time) error  { return nil }
func (byteConn) SetWriteDeadline(time.Time) error { return nil }

// offline is a node without sockets: one topic, one service.
func offline() *Node {
	n := &Node{cfg: Config{MaxMessage: 1 << 16}, names: &names.Resolver{Node: "/n"}, log: zerolog.Nop(), ctx: context.Background(),
		subs: map[string]*subscription{}}
	t := &topic{node: n, name: "/t", typ: msgs.Type{Name: "a/B", MD5: "1"}}
	n.topics = map[string]*topic{"/t": t}
	s := &ServiceServer{node: n, name: "/s", service: msgs.Service{Name: "a/S", MD5: "2"}, limit: 1 << 16,
		handler: func(_ context.Context, req []byte) ([]byte, error) { return req, nil }}
	n.services = map[string]*ServiceServer{"/s": s}
	return n
}

// FuzzServeConn sends arbitrary bytes to the TCPROS port.
func FuzzServeConn(f *testing.F) {
	f.Add(Header{"topic": "/t", "md5sum": "*", "type": "*", "callerid": "/x"}.AppendTo(nil))
	f.Add(wire.AppendSized(Header{"service": "/s", "md5sum": "*", "persistent": "1"}.AppendTo(nil), []byte("request")))
	f.Add(Header{"service": "/s", "md5sum": "2", "probe": "1"}.AppendTo(nil))
	f.Add([]byte("\xff\xff\xff\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		n := offline()
		if err := n.serveConn(byteConn{bytes.NewReader(b)}); err == nil {
			h, err := wire.ReadHeader(bytes.NewReader(b))
			if err != nil || h[wire.KeyService] != "/s" && h[wire.KeyTopic] != "/t" {
				t.Errorf("served %v, %v", h, err)
			}
		}
		n.wg.Wait()
	})
}

// FuzzReceive receives arbitrary bytes after a publisher's header.
func FuzzReceive(f *testing.F) {
	f.Add(wire.AppendSized(wire.AppendSized(nil, []byte("one")), nil))
	f.Add([]byte("\xff\xff\xff\xff"))
	f.Add([]byte("\x00\x00\x01\x00abc"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var again []byte
		s := &Subscriber{node: offline(), options: SubscriberOptions{MaxMessage: 1 << 16}, ctx: context.Background(), callback: func(r Received) { again = wire.AppendSized(again, r.Data) }}
		l := &link{subscriber: s}
		if err := l.receive(byteConn{bytes.NewReader(b)}, nil); err == nil {
			t.Error("the end of the connection is an error")
		}
		if !bytes.HasPrefix(b, again) {
			t.Errorf("% x became % x", b, again)
		}
		if n := s.pool.Idle(); n > 1<<16 {
			t.Errorf("%d bytes of buffers", n)
		}
	})
}
