package websocket

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	peer "github.com/coder/websocket"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs handle on each connection to a server on loopback, until the test ends.
func serve(t testing.TB, options Options, handle func(*Conn)) (url string) {
	t.Helper()
	var running sync.WaitGroup
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		running.Add(1) // before the server forgets the connection
		defer running.Done()
		c, err := Upgrade(w, r, options)
		if err != nil {
			return
		}
		defer c.HangUp()
		handle(c)
	}))
	t.Cleanup(func() {
		s.Close()
		running.Wait()
	})
	return "ws" + strings.TrimPrefix(s.URL, "http")
}

// dial connects the independent client.
func dial(t testing.TB, url string, subprotocols ...string) *peer.Conn {
	t.Helper()
	c, _, err := peer.Dial(t.Context(), url, &peer.DialOptions{Subprotocols: subprotocols})
	if err != nil {
		t.Fatal(err)
	}
	c.SetReadLimit(-1)
	t.Cleanup(func() { c.CloseNow() }) //nolint:errcheck // the test is over
	return c
}

// echo returns each message in three parts.
func echo(c *Conn) {
	for {
		kind, m, err := c.Read()
		if err != nil {
			return
		}
		third := len(m) / 3
		if c.Write(kind, m[:third], m[third:2*third], m[2*third:]) != nil {
			return
		}
	}
}

func TestMessagesBothWays(t *testing.T) {
	c := dial(t, serve(t, Options{MaxMessage: 4 << 20, Subprotocols: []string{"b", "a"}}, echo), "x", "a", "b")
	if c.Subprotocol() != "b" {
		t.Errorf("the subprotocol is %q, expected the server's preferred one that the client offers", c.Subprotocol())
	}
	for _, n := range []int{0, 1, 7, 8, 125, 126, 127, 65535, 65536, 3 << 20} {
		for _, kind := range []peer.MessageType{peer.MessageText, peer.MessageBinary} {
			sent := bytes.Repeat([]byte("0123456"), n/7+1)[:n]
			w, err := c.Writer(t.Context(), kind)
			if err != nil {
				t.Fatal(err)
			}
			for part := range slices.Chunk(sent, n/3+1) { // frames of one message
				if _, err := w.Write(part); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			gotKind, got, err := c.Read(t.Context())
			if err != nil {
				t.Fatalf("read %d bytes back: %v", n, err)
			}
			if gotKind != kind || !bytes.Equal(got, sent) {
				t.Errorf("%d bytes of %v came back as %d of %v", n, kind, len(got), gotKind)
			}
		}
	}
}

func TestPings(t *testing.T) {
	ended := make(chan error, 1)
	c := dial(t, serve(t, Options{Silence: time.Minute}, func(c *Conn) {
		if err := c.Ping(); err != nil {
			t.Error(err)
		}
		_, _, err := c.Read()
		ended <- err
	}))
	ctx := c.CloseRead(t.Context()) // answers the server's ping, takes our pong
	for range 3 {
		if err := c.Ping(ctx); err != nil {
			t.Fatal(err)
		}
	}
	c.Close(peer.StatusGoingAway, "that's it") //nolint:errcheck // the server says what it saw
	var closed *ClosedError
	if err := <-ended; !errors.As(err, &closed) || closed.Status != StatusGoingAway || closed.Reason != "that's it" {
		t.Errorf("the connection ended with %v", err)
	}
}

// TestCloseTellsWhy closes from the server's side while the client reads.
func TestCloseTellsWhy(t *testing.T) {
	long := strings.Repeat("ü", 100)
	url := serve(t, Options{}, func(c *Conn) {
		c.Close(StatusPolicy, long)
		if err := c.Write(Text, []byte("too late")); !errors.Is(err, ErrClosing) {
			t.Errorf("Write after Close: %v", err)
		}
		if _, _, err := c.Read(); err == nil {
			t.Error("Read after Close returned a message")
		}
	})
	_, _, err := dial(t, url).Read(t.Context())
	var closed peer.CloseError
	if !errors.As(err, &closed) || closed.Code != peer.StatusPolicyViolation || closed.Reason != long[:122] {
		t.Errorf("the client saw %v", err)
	}
}

// TestClientThatTakesNothing is a Write that waits in vain: Stall ends it, or Close,
// or HangUp.
func TestClientThatTakesNothing(t *testing.T) {
	for name, test := range map[string]struct {
		stall time.Duration
		end   func(*Conn)
	}{
		"stall":   {time.Millisecond, func(*Conn) {}},
		"close":   {time.Hour, func(c *Conn) { c.Close(StatusGoingAway, "") }},
		"hang up": {time.Hour, (*Conn).HangUp},
	} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan error, 1)
			dial(t, serve(t, Options{Stall: test.stall}, func(c *Conn) {
				var writer sync.WaitGroup
				writer.Go(func() { ended <- fill(c) })
				test.end(c)
				writer.Wait()
			}))
			if err := <-ended; err == nil {
				t.Error("everything was sent though nobody read")
			}
		})
	}
}

// fill writes more than the kernel's buffers of both ends hold.
func fill(c *Conn) error {
	for range 1024 {
		if err := c.Write(Binary, make([]byte, 64<<10)); err != nil {
			return err
		}
	}
	return nil
}

// TestWriteCopiesNothing looks at the memory that reaches the connection.
func TestWriteCopiesNothing(t *testing.T) {
	parts := [][]byte{[]byte("head"), make([]byte, 1<<20), nil, []byte("tail")}
	w := &memory{}
	c := newConn(w, bufio.NewReader(strings.NewReader("")), "", Options{})
	allocs := testing.AllocsPerRun(10, func() {
		w.got = w.got[:0]
		if err := c.Write(Binary, parts...); err != nil {
			t.Error(err)
		}
	})
	if want := []*byte{&c.head[0], &parts[0][0], &parts[1][0], &parts[3][0]}; !slices.Equal(w.got, want) {
		t.Errorf("written from %p, expected the head and the caller's parts at %p", w.got, want)
	}
	if allocs > 0 {
		t.Errorf("Write of a megabyte allocates %.0f times", allocs)
	}
}

// memory is a connection that notes from where it was written to.
type memory struct {
	wire
	got []*byte
}

func (m *memory) Write(b []byte) (int, error) {
	m.got = append(m.got, &b[0])
	return len(b), nil
}

// TestSilentClient is one that sends nothing.
func TestSilentClient(t *testing.T) {
	ended := make(chan error, 1)
	dial(t, serve(t, Options{Silence: time.Millisecond}, func(c *Conn) {
		_, _, err := c.Read()
		ended <- err
	}))
	var timeout net.Error
	if err := <-ended; !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("Read ended with %v, expected that the time ran out", err)
	}
}

func TestHandshake(t *testing.T) {
	good := map[string]string{"Connection": "keep-alive, Upgrade", "Upgrade": "WebSocket", "Sec-WebSocket-Version": "13",
		"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "other, known"}
	tests := []struct {
		name, key, value string
		method           string
		status           int
		says             string
	}{
		{"good", "", "", http.MethodGet, http.StatusSwitchingProtocols, ""},
		{"method", "", "", http.MethodPost, http.StatusMethodNotAllowed, "method POST"},
		{"no upgrade", "Upgrade", "h2c", http.MethodGet, http.StatusUpgradeRequired, "doesn't ask"},
		{"version", "Sec-WebSocket-Version", "8", http.MethodGet, http.StatusUpgradeRequired, `version "8", expected 13`},
		{"no key", "Sec-WebSocket-Key", "", http.MethodGet, http.StatusBadRequest, "Sec-WebSocket-Key"},
		{"short key", "Sec-WebSocket-Key", "c2hvcnQ=", http.MethodGet, http.StatusBadRequest, "16 bytes"},
		{"subprotocol", "Sec-WebSocket-Protocol", "unknown", http.MethodGet, http.StatusBadRequest, `["unknown"], expected one of ["known"]`},
	}
	url := "http" + strings.TrimPrefix(serve(t, Options{Subprotocols: []string{"known"}}, func(*Conn) {}), "ws")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), test.method, url, nil)
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range good {
				r.Header.Set(k, v)
			}
			if test.key != "" {
				r.Header.Set(test.key, test.value)
			}
			client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			answer, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close() //nolint:errcheck // read
			if answer.StatusCode != test.status {
				t.Errorf("status %d, expected %d", answer.StatusCode, test.status)
			}
			if test.status == http.StatusSwitchingProtocols { // the example of RFC 6455 §1.3
				if got := answer.Header.Get("Sec-WebSocket-Accept"); got != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
					t.Errorf("Sec-WebSocket-Accept is %q", got)
				}
				return
			}
			body, err := io.ReadAll(answer.Body)
			if err != nil || !strings.Contains(string(body), test.says) {
				t.Errorf("the answer is %q, %v; expected %q in it", body, err, test.says)
			}
		})
	}
}

// TestConcurrentUse lets many write, ping and close at once, for the race detector.
func TestConcurrentUse(t *testing.T) {
	c := dial(t, serve(t, Options{}, func(c *Conn) {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 50 {
					c.Write(Binary, make([]byte, 1000)) //nolint:errcheck // may be closed
					c.Ping()                            //nolint:errcheck // may be closed
				}
			})
		}
		all.Go(func() { echo(c) })
		all.Wait()
		c.Close(StatusNormal, "")
	}))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var pings sync.WaitGroup
	pings.Go(func() {
		for c.Ping(ctx) == nil {
		}
	})
	total := 0
	for total < 200 {
		if _, m, err := c.Read(ctx); err != nil {
			t.Fatal(err)
		} else if len(m) == 1000 {
			total++
		}
	}
	c.CloseNow() //nolint:errcheck // ends both
	pings.Wait()
}
