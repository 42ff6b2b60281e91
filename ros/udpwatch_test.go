package ros

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/ros/rosapi"
	"rsros/ros/xmlrpc"
	"rsros/test/need"
	"rsros/test/peer"
)

// A UDP subscriber whose node stops answering is dropped, although its port still accepts datagrams, as
// a vanished machine's appears to; one whose node can't be called at all is kept.
func TestUDPSubscriberThatVanishes(t *testing.T) {
	need.UDP(t)
	m := startMaster(t)
	n := startNode(t, m, "n")
	n.attendEvery = time.Millisecond
	p := advertise(t, n, stringType)
	var asked atomic.Int64
	api := xmlrpc.NewServer(func(_ context.Context, method string, _ []any) (any, error) {
		if method == "getPid" {
			asked.Add(1)
		}
		return []any{1, "", 7}, nil
	}, zerolog.Nop())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	served := make(chan error, 1)
	go func() { served <- api.Serve(l) }()
	defer func() { <-served }()
	defer api.Close() //nolint:errcheck // it may be closed already

	subscribe := func(name, uri string) {
		t.Helper()
		socket, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		need.Must(t, err)
		t.Cleanup(func() { socket.Close() }) //nolint:errcheck // at the end
		caller := rosapi.NewCaller(name)
		if _, err := caller.Call(t.Context(), m.uri(), "registerSubscriber", "/chatter", stringType.Type.Name, uri); err != nil {
			t.Fatal(err)
		}
		header := Header{"callerid": name, "topic": "/chatter", "md5sum": stringType.Type.MD5, "type": stringType.Type.Name}.AppendFields(nil)
		params := []any{"UDPROS", header, "127.0.0.1", socket.LocalAddr().(*net.UDPAddr).Port, 1500}
		if _, err := caller.Call(t.Context(), n.URI(), "requestTopic", "/chatter", []any{params}); err != nil {
			t.Fatal(err)
		}
	}
	subscribe("/walker", "http://"+l.Addr().String()+"/")
	subscribe("/hidden", "http://127.0.0.1:1/")
	peer.Await(t, "an answer", func() bool { return asked.Load() > 1 }) // the first has arrived
	if got := p.Subscribers(); got != 2 {
		t.Errorf("%d subscribers while their nodes answer", got)
	}
	api.Close() //nolint:errcheck // nobody answers now
	peer.Await(t, "the end of the one that answered", func() bool { return p.Subscribers() == 1 })
	if s := p.Stats().Subscribers[0]; s.CallerID != "/hidden" {
		t.Errorf("%+v is left", s)
	}
}
