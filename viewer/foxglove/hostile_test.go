package foxglove

import (
	"encoding/json"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/visitor"
	"rsros/viewer/clients"
)

// hostile connects clients that misbehave concurrently, and returns when all have.
func hostile(t *testing.T, url string, n int, misbehave func(*websocket.Conn) error) []*websocket.Conn {
	t.Helper()
	var all sync.WaitGroup
	list := make([]*websocket.Conn, n)
	for i := range list {
		conn, _, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{Subprotocols: subprotocols()})
		need.Must(t, err)
		t.Cleanup(func() { conn.CloseNow() }) //nolint:errcheck // at the end
		list[i] = conn
		all.Go(func() { misbehave(conn) }) //nolint:errcheck // ends with the connection
	}
	all.Wait()
	return list
}

// TestUnfinishedMessages connects 30 clients that send 3 MB of a message and not the rest. The server
// must not keep more than the budget for all clients, and must serve another client meanwhile.
func TestUnfinishedMessages(t *testing.T) {
	const budget = 16 << 20
	b := clients.NewBudget(budget)
	f := newFake("/a")
	s, url := start(t, Options{Source: f, Budget: b})
	chunk := make([]byte, 1<<20)
	list := hostile(t, url, 30, func(conn *websocket.Conn) error {
		w, err := conn.Writer(t.Context(), websocket.MessageBinary)
		for range 3 {
			if err == nil {
				_, err = w.Write(chunk)
			}
		}
		return err
	})
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if b.Used() > budget || m.HeapAlloc > 2*budget {
		t.Errorf("clients keep %d bytes, and the heap has %d", b.Used(), m.HeapAlloc)
	}
	c := visitor.DialFoxglove(t, url)
	c.Subscribe(1, "/a")
	peer.Await(t, "the subscription", func() bool { return len(subscriptions(s, "/a")) == 1 })
	f.publish("/a", 1, "small")
	c.Await("a small message", isMessage)
	for _, conn := range list {
		conn.CloseNow() //nolint:errcheck // the others have left already
	}
	c.Close()
	peer.Await(t, "the memory", func() bool { return b.Used() == 0 })
}

// TestUnreadAnswers connects clients that send requests and read nothing. Each is disconnected when 4
// MiB wait for it, and its memory is released.
func TestUnreadAnswers(t *testing.T) {
	b := clients.NewBudget(22 << 20)
	f := newFake()
	f.state.Params = map[string]any{"/long": strings.Repeat("x", 100<<10)}
	s, url := start(t, Options{Source: f, Budget: b})
	visitor.DialFoxglove(t, url).AwaitOp("serverInfo")
	request, err := json.Marshal(map[string]any{"op": "getParameters", "parameterNames": []string{}, "id": "all"})
	need.Must(t, err)
	const asking = 8
	hostile(t, url, asking, func(conn *websocket.Conn) error {
		for {
			if err := conn.Write(t.Context(), websocket.MessageText, request); err != nil {
				return err
			}
			if b.Used() > 34<<20 {
				t.Errorf("clients keep %d bytes", b.Used())
			}
			time.Sleep(time.Millisecond) // requests are answered one at a time
		}
	})
	peer.Await(t, "all to be disconnected", func() bool { return s.clients.SlowClients() == asking })
	peer.Await(t, "the memory", func() bool { return b.Used() == 0 })
}
