package viewer

import (
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"rsros/viewer/clients"
)

// Viewers that send requests and read nothing are disconnected when 4 MiB wait for them, and their
// memory is released.
func TestUnreadAnswers(t *testing.T) {
	const asking, budget = 4, 64 << 20
	b := clients.NewBudget(budget)
	s, _, _ := start(t, Options{ViewOnly: true, Budget: b}, "")
	h := httptest.NewServer(s)
	defer h.Close()
	var all sync.WaitGroup
	for range asking {
		v := connect(t, h.URL)
		all.Go(func() {
			for {
				if v.conn.Write(t.Context(), websocket.MessageText, []byte(`{"op":"play","id":1}`)) != nil {
					return
				}
				if n := b.Used(); n > 2*budget {
					t.Errorf("viewers keep %d bytes", n)
				}
			}
		})
	}
	all.Wait()
	for end := time.Now().Add(time.Minute); s.viewers.Slow() != asking || b.Used() > 1<<20; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d viewers were disconnected, and %d bytes are kept", s.viewers.Slow(), b.Used())
		}
	}
	if m := connect(t, h.URL).ask("play", nil); m["ok"] != false {
		t.Errorf("a viewer that reads is answered %v", m)
	}
}
