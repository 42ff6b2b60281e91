package attack

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"rsros/test/need"
	"rsros/test/peer"
)

// clientGrowth bounds the memory that viewers' and Foxglove's clients may make a program
// use: their budget of 64 MiB, and as much again that the garbage collector hasn't freed.
const clientGrowth = 256 << 20

// TestHostileClients lets clients that misbehave at a viewer's page, and at the Foxglove
// server on the same port. All are disconnected, and counted in the log.
func TestHostileClients(t *testing.T) {
	t.Parallel()
	program := peer.Released(t)
	bag, err := filepath.Abs("../data/librealsense/sw_small_raw.bag")
	need.Must(t, err)
	p := &target{t: t, growth: clientGrowth, process: peer.Start(t, peer.Env(t, "http://127.0.0.1:1"), program, "view", "--no-open", "--view-only", bag)}
	p.process.Await("its address", func(stdout string) bool { return strings.Contains(stdout, "\n") })
	p.uri = strings.TrimSpace(p.process.Stdout())
	page := visitor{p.uri + "api/ws", "rs-ros.view.v1"}
	foxglove := visitor{p.uri, "foxglove.sdk.v1"}
	page.flood(t, 1, `{"op":"play","id":1}`) // whatever is allocated once
	p.measure()
	for _, a := range []struct {
		name   string
		attack func()
	}{
		{"viewers that read no pongs", func() { page.flood(t, 24, `{"op":"ping","t":"`+strings.Repeat("x", 64)+`"}`) }},
		{"viewers that read no answers", func() { page.flood(t, 24, `{"op":"play","id":1}`) }},
		{"Foxglove clients that read no answers", func() {
			foxglove.flood(t, 24, `{"op":"getParameters","parameterNames":[],"id":"`+strings.Repeat("x", 50_000)+`"}`)
		}},
		{"viewers that don't end a message", func() { page.unfinished(t, 30, 1000<<10) }},
		{"Foxglove clients that don't end a message", func() { foxglove.unfinished(t, 30, 14<<20) }},
	} {
		a.attack()
		p.recovered(a.name)
	}
	p.process.Signal(syscall.SIGQUIT) // makes Go's runtime print all goroutines
	p.process.Wait()
	out := p.process.Output()
	if n := strings.Count(out, "clients.(*Client).run"); n > 0 {
		t.Errorf("%d goroutines still serve clients:\n%s", n, out)
	}
	if !strings.Contains(out, "disconnected a slow client") || !strings.Contains(out, "clients=") {
		t.Errorf("the log doesn't count slow clients:\n%.4000s", out)
	}
}

// visitor is a client of one protocol.
type visitor struct{ url, protocol string }

func (v visitor) dial(ctx context.Context) (*websocket.Conn, error) {
	c, _, err := websocket.Dial(ctx, v.url, &websocket.DialOptions{Subprotocols: []string{v.protocol}})
	return c, err
}

// flood has n clients that send requests, and read nothing, until they are disconnected.
func (v visitor) flood(t *testing.T, n int, request string) {
	var connected atomic.Int32
	together(n, func(int) {
		ctx, cancel := context.WithTimeout(t.Context(), peer.Patience)
		defer cancel()
		c, err := v.dial(ctx)
		if err != nil {
			t.Error(err)
			return
		}
		defer c.CloseNow() //nolint:errcheck // at the end
		for err == nil {
			err = c.Write(ctx, websocket.MessageText, []byte(request))
		}
		if ctx.Err() != nil {
			connected.Add(1)
		}
	})
	if k := connected.Load(); k > 0 {
		t.Errorf("%d of %d clients that read nothing are still connected", k, n)
	}
}

// unfinished has n clients that send so many bytes of a message, and stay for a while.
func (v visitor) unfinished(t *testing.T, n, size int) {
	together(n, func(int) {
		c, err := v.dial(t.Context())
		if err != nil {
			return // as many as are allowed are there
		}
		defer c.CloseNow() //nolint:errcheck // at the end
		w, err := c.Writer(t.Context(), websocket.MessageBinary)
		chunk := make([]byte, 100<<10)
		for sent := 0; err == nil && sent < size; sent += len(chunk) {
			_, err = w.Write(chunk)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		c.Read(ctx) //nolint:errcheck // until it is disconnected or has stayed
	})
}

// TestListedPipe asks for a named pipe in the viewer's folder again and again: no request
// keeps a thread.
func TestListedPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	need.Pipe(t, filepath.Join(dir, "fifo.bag"))
	p := &target{t: t, growth: clientGrowth, process: peer.Start(t, peer.Env(t, "http://127.0.0.1:1"), peer.Released(t), "view", "--no-open", "--view-only", dir)}
	p.process.Await("its address", func(stdout string) bool { return strings.Contains(stdout, "\n") })
	p.uri = strings.TrimSpace(p.process.Stdout())
	p.measure()
	client := http.Client{Timeout: peer.Patience}
	together(300, func(int) {
		answer, err := client.Get(p.uri + "api/files/fifo.bag")
		if err != nil {
			t.Error(err)
			return
		}
		answer.Body.Close() //nolint:errcheck // nothing is read
		if answer.StatusCode < 400 {
			t.Error(answer.Status)
		}
	})
	p.recovered("requests for a pipe")
}
