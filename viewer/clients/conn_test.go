package clients

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"rsros/test/need"
)

const maxMessage = 4 << 20

// member is a client whose messages handle gets.
type member struct {
	*Client
	handle func(*Client, websocket.MessageType, []byte) error
}

func (m *member) Handle(kind websocket.MessageType, message []byte) error {
	return m.handle(m.Client, kind, message)
}
func (*member) Tick(time.Time) {}
func (*member) Leave()         {}

// serve serves clients on loopback until the test ends, and returns the address.
func serve(t *testing.T, b *Budget, handle func(*Client, websocket.MessageType, []byte) error) (*Server[*member], string) {
	t.Helper()
	s := NewServer[*member](b, zerolog.New(zerolog.NewTestWriter(t)))
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Serve(w, r, maxMessage, []string{"b", "a"}, func(c *Client) (*member, error) {
			m := &member{c, handle}
			return m, s.Join(m)
		})
	}))
	t.Cleanup(func() {
		s.Close(0)
		h.Close()
	})
	return s, "ws" + strings.TrimPrefix(h.URL, "http")
}

func dial(t *testing.T, url string) *websocket.Conn {
	t.Helper()
	c, _, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{Subprotocols: []string{"x", "a", "b"}})
	need.Must(t, err)
	c.SetReadLimit(-1)
	t.Cleanup(func() { c.CloseNow() }) //nolint:errcheck // the test is over
	return c
}

// parts is a message in parts.
type parts struct {
	Shared
	kind websocket.MessageType
	list [][]byte
}

// TestMessages sends messages both ways, in frames and in parts, with pings between them.
func TestMessages(t *testing.T) {
	_, url := serve(t, nil, func(c *Client, kind websocket.MessageType, m []byte) error {
		s := c.Subscribe(Options{Send: func(i Item, _ Delivery) error { return c.Write(i.(*parts).kind, i.(*parts).list...) }})
		m, third := bytes.Clone(m), len(m)/3
		p := &parts{kind: kind, list: [][]byte{m[:third], m[third : 2*third], m[2*third:]}}
		p.Init(int64(len(m)), nil)
		s.Offer(p)
		p.Release()
		return nil
	})
	c := dial(t, url)
	if c.Subprotocol() != "b" {
		t.Errorf("the subprotocol is %q, expected the one of the server that the client offers", c.Subprotocol())
	}
	ctx, cancel := context.WithCancel(t.Context())
	pinged := make(chan struct{})
	go func() {
		defer close(pinged)
		for c.Ping(ctx) == nil {
		}
	}()
	for _, n := range []int{0, 1, 125, 126, 65535, 65536, 65537, 3 << 20, maxMessage} {
		for _, kind := range []websocket.MessageType{websocket.MessageText, websocket.MessageBinary} {
			sent := bytes.Repeat([]byte("0123456"), n/7+1)[:n]
			w, err := c.Writer(t.Context(), kind)
			need.Must(t, err)
			for frame := range slices.Chunk(sent, n/3+1) {
				if _, err := w.Write(frame); err != nil {
					t.Fatal(err)
				}
			}
			need.Must(t, w.Close())
			gotKind, got, err := c.Read(t.Context())
			if err != nil || gotKind != kind || !bytes.Equal(got, sent) {
				t.Errorf("%d bytes of %v came back as %d of %v, %v", n, kind, len(got), gotKind, err)
			}
		}
	}
	cancel()
	<-pinged
}

// TestTooManyClients checks that a client that finds no room is told so.
func TestTooManyClients(t *testing.T) {
	_, url := serve(t, nil, func(c *Client, kind websocket.MessageType, m []byte) error {
		c.Send(kind, bytes.Clone(m))
		return nil
	})
	for range maxClients {
		c := dial(t, url)
		need.Must(t, c.Write(t.Context(), websocket.MessageText, nil))
		if _, _, err := c.Read(t.Context()); err != nil { // it is in
			t.Fatal(err)
		}
	}
	if _, _, err := dial(t, url).Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusTryAgainLater {
		t.Errorf("one client too many saw %v", err)
	}
}

// TestRefusedMessages checks that a client reads why it is disconnected, though it hasn't sent
// everything that it has to say.
func TestRefusedMessages(t *testing.T) {
	long := strings.Repeat("ü", 100)
	for name, test := range map[string]struct {
		message string
		kind    websocket.MessageType
		budget  int64
		status  websocket.StatusCode
		reason  string
	}{
		"too big":     {strings.Repeat("x", maxMessage+1), websocket.MessageBinary, budgetBytes, websocket.StatusMessageTooBig, "read limited at 4194305 bytes"},
		"not UTF-8":   {"\xff", websocket.MessageText, budgetBytes, websocket.StatusInvalidFramePayloadData, "a text message isn't UTF-8"},
		"over budget": {strings.Repeat("x", 1<<20), websocket.MessageBinary, 256 << 10, websocket.StatusTryAgainLater, "too much is being received at once"},
		"by handle":   {"x", websocket.MessageText, budgetBytes, websocket.StatusPolicyViolation, long[:122]},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewBudget(test.budget)
			s, url := serve(t, b, func(c *Client, _ websocket.MessageType, _ []byte) error {
				return c.Close(websocket.StatusPolicyViolation, long)
			})
			c := dial(t, url)
			go func() {
				for c.Write(t.Context(), test.kind, []byte(test.message)) == nil {
				}
			}()
			_, _, err := c.Read(t.Context())
			var closed websocket.CloseError
			if !errors.As(err, &closed) || closed.Code != test.status || closed.Reason != test.reason {
				t.Errorf("the client saw %v", err)
			}
			c.CloseNow() //nolint:errcheck // it is closed
			s.Close(0)
			if n := b.Used(); n != 0 {
				t.Errorf("%d bytes are kept", n)
			}
		})
	}
}

// TestPanic lets the code of a protocol panic wherever it is called: the client is disconnected, and
// others are served.
func TestPanic(t *testing.T) {
	for name, test := range map[string]struct {
		fail   func(*Client) error
		status websocket.StatusCode
	}{
		"handle": {func(*Client) error { panic("handle") }, websocket.StatusInternalError},
		"send": {func(c *Client) error {
			give(c.Subscribe(Options{Send: func(Item, Delivery) error { panic("send") }}), "text", 1, false)
			return nil
		}, -1},
		"goroutine": {func(c *Client) error {
			c.Go(func() error { panic("goroutine") })
			return nil
		}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewBudget(budgetBytes)
			s, url := serve(t, b, func(c *Client, kind websocket.MessageType, m []byte) error {
				if string(m) == "fail" {
					return test.fail(c)
				}
				c.Send(kind, bytes.Clone(m))
				return nil
			})
			fails, other := dial(t, url), dial(t, url)
			for _, c := range []*websocket.Conn{fails, other} {
				text := "hello"
				if c == fails {
					text = "fail"
				}
				need.Must(t, c.Write(t.Context(), websocket.MessageText, []byte(text)))
			}
			if _, _, err := fails.Read(t.Context()); err == nil || websocket.CloseStatus(err) != test.status {
				t.Errorf("the client saw %v", err)
			}
			if _, m, err := other.Read(t.Context()); string(m) != "hello" {
				t.Errorf("the other client got %q, %v", m, err)
			}
			s.Close(0)
			if n := b.Used(); n != 0 {
				t.Errorf("%d bytes are kept", n)
			}
		})
	}
}

// TestPatience checks how long a connection waits for a client that sends or takes nothing.
func TestPatience(t *testing.T) {
	for name, test := range map[string]struct {
		most time.Duration
		end  func(*conn)
	}{
		"silence and stall": {time.Millisecond, func(*conn) {}},
		"closing":           {time.Hour, (*conn).hurry},
	} {
		t.Run(name, func(t *testing.T) {
			near, far := net.Pipe()
			defer far.Close() //nolint:errcheck // at the end
			c := &conn{Conn: near, silence: test.most, stall: test.most}
			defer c.Close() //nolint:errcheck // at the end
			ended := make(chan error, 2)
			go func() { _, err := c.Read(make([]byte, 1)); ended <- err }()
			go func() { _, err := c.Write(make([]byte, 1)); ended <- err }()
			test.end(c)
			for range 2 {
				if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("it ended with %v", err)
				}
			}
		})
	}
}
