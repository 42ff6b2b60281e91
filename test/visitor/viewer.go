package visitor

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/coder/websocket"

	"rsros/viewer/wire"
)

// Message is a message of the program to a Viewer.
type Message struct {
	Op      string
	ID      any // of an answer: a float64
	OK      bool
	Error   string
	Source  *wire.Source
	Devices []wire.Candidate `json:"candidates"`
	Playing bool
	Rate    float64
	Record  wire.Record `json:"-"` // of op "record"

	// Of binary messages only.
	Stream   uint16 `json:"-"`
	Sequence uint32
	Time     uint64 `json:"-"` // of the frame
	Body     []byte
}

// Viewer is a client of the viewer's socket (docs/internals/view-protocol.md). It ends with the test.
type Viewer struct {
	t    testing.TB
	conn *websocket.Conn
}

// DialViewer connects to a page by its address, which ends in a slash.
func DialViewer(t testing.TB, page string) *Viewer {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), page+"api/ws", &websocket.DialOptions{Subprotocols: []string{wire.Subprotocol}})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(16 << 20)
	c := &Viewer{t, conn}
	t.Cleanup(c.Close)
	return c
}

// Close disconnects. It may be called more than once.
func (c *Viewer) Close() { c.conn.CloseNow() } //nolint:errcheck // at the end

// Send sends a text.
func (c *Viewer) Send(format string, args ...any) {
	c.t.Helper()
	if err := c.conn.Write(c.t.Context(), websocket.MessageText, fmt.Appendf(nil, format, args...)); err != nil {
		c.t.Fatal(err)
	}
}

// Await reads messages until one is as wanted, and gives credit for frames.
func (c *Viewer) Await(is func(Message) bool) Message {
	c.t.Helper()
	for {
		kind, data, err := c.conn.Read(c.t.Context())
		var m Message
		switch {
		case err != nil:
		case kind == websocket.MessageText:
			if err = json.Unmarshal(data, &m); m.Op == "record" {
				err = json.Unmarshal(data, &m.Record)
			}
		default:
			le := binary.LittleEndian
			m.Stream, m.Sequence, m.Time = le.Uint16(data[2:]), le.Uint32(data[4:]), le.Uint64(data[24:])
			m.Body = data[wire.HeadSize+le.Uint32(data[40:]):]
			c.Send(`{"op":"credit","stream":%d,"upto":%d}`, m.Stream, m.Sequence)
		}
		if err != nil {
			c.t.Fatal(err)
		}
		if is(m) {
			return m
		}
	}
}

// Source reads messages until a source is as wanted, and returns the numbers of its
// streams by their names.
func (c *Viewer) Source(is func(*wire.Source) bool) map[string]uint16 {
	c.t.Helper()
	m := c.Await(func(m Message) bool { return m.Source != nil && is(m.Source) })
	ids := make(map[string]uint16)
	for _, s := range m.Source.Streams {
		ids[s.Name] = s.ID
	}
	return ids
}

// Ask sends a request, whose fields are more, and returns the answer.
func (c *Viewer) Ask(id int, op, more string) Message {
	c.t.Helper()
	c.Send(`{"op":%q,"id":%d%s}`, op, id, more)
	return c.Await(func(m Message) bool { return m.Op == "answer" && m.ID == float64(id) })
}

// Must asks for what has to succeed.
func (c *Viewer) Must(id int, op, more string) {
	c.t.Helper()
	if m := c.Ask(id, op, more); !m.OK {
		c.t.Fatalf("%s%s: %s", op, more, m.Error)
	}
}

// Subscribe subscribes to a stream.
func (c *Viewer) Subscribe(stream uint16) {
	c.t.Helper()
	c.SubscribeAs(stream, "raw")
}

// SubscribeAs subscribes to a stream with the codec raw or packed.
func (c *Viewer) SubscribeAs(stream uint16, codec string) {
	c.t.Helper()
	c.Send(`{"op":"subscribe","stream":%d,"codec":%q,"divisor":1}`, stream, codec)
}
