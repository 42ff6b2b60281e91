// Package visitor has clients of the program for tests: viewers, and Foxglove's, which is written independently of the
// server. client.cjs checks the server with the client that Lichtblick uses.
package visitor

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/coder/websocket"

	"rsros/test/need"
)

// Foxglove is a client of the Foxglove WebSocket protocol. It must not be used concurrently.
type Foxglove struct {
	t    testing.TB
	conn *websocket.Conn
	last []string // events received, for a failure's message

	Channels map[string]Channel // by topic
	Services map[string]uint32  // by name
	Clock    int64              // the server's latest time; ns
}

// Channel is a topic as the server advertises it.
type Channel struct {
	ID                                                  uint32
	Topic, Encoding, SchemaName, Schema, SchemaEncoding string
}

// Event is what the server sent: a text message, or the fields of a binary one.
type Event struct {
	Op   string // of a text message
	Text []byte // all of it

	Opcode       byte   // of a binary message
	ID, Call     uint32 // of a message's subscription, or of a service and a call
	Time         int64
	Encoding     string // of a service's response
	Data         []byte // of a message or a response
	State        byte   // of playback
	Speed        float32
	DidSeek      bool
	PlayRequest  string
	Size         int // of the whole message
	ArrivedAfter int // other events before it
}

// Decode reads the fields of a text message.
func (e Event) Decode(t testing.TB, to any) {
	t.Helper()
	if err := json.Unmarshal(e.Text, to); err != nil {
		t.Fatalf("%v in %s", err, e.Text)
	}
}

// patience is how long a test waits for an event.
const patience = time.Minute

// DialFoxglove connects to a server.
func DialFoxglove(t testing.TB, url string) *Foxglove {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{Subprotocols: []string{"foxglove.websocket.v1", "foxglove.sdk.v1"}})
	need.Must(t, err)
	conn.SetReadLimit(-1)
	c := &Foxglove{t: t, conn: conn, Channels: make(map[string]Channel), Services: make(map[string]uint32)}
	t.Cleanup(c.Close)
	return c
}

// Close closes the connection without a close frame. It may be called more than once.
func (c *Foxglove) Close() { c.conn.CloseNow() } //nolint:errcheck // the test is over

// Send sends a text message.
func (c *Foxglove) Send(message any) {
	c.t.Helper()
	b, err := json.Marshal(message)
	if err == nil {
		err = c.conn.Write(c.t.Context(), websocket.MessageText, b)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// SendBinary sends an opcode and fields: byte, uint32, uint64, float32, string with its length, and
// bytes without.
func (c *Foxglove) SendBinary(opcode byte, fields ...any) {
	c.t.Helper()
	b := []byte{opcode}
	for _, f := range fields {
		switch v := f.(type) {
		case string:
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(v))), v...)
		default:
			var err error
			if b, err = binary.Append(b, binary.LittleEndian, v); err != nil {
				c.t.Fatal(err)
			}
		}
	}
	if err := c.conn.Write(c.t.Context(), websocket.MessageBinary, b); err != nil {
		c.t.Fatal(err)
	}
}

// Subscribe subscribes to an advertised channel.
func (c *Foxglove) Subscribe(id uint32, topic string) {
	c.t.Helper()
	ch := c.AwaitChannel(topic)
	c.Send(map[string]any{"op": "subscribe", "subscriptions": []any{map[string]any{"id": id, "channelId": ch.ID}}})
}

// AwaitChannel reads until a topic is advertised.
func (c *Foxglove) AwaitChannel(topic string) Channel {
	c.t.Helper()
	return awaitName(c, c.Channels, topic)
}

// AwaitService reads until a service is advertised.
func (c *Foxglove) AwaitService(name string) uint32 {
	c.t.Helper()
	return awaitName(c, c.Services, name)
}

func awaitName[T any](c *Foxglove, known map[string]T, name string) T {
	c.t.Helper()
	has := func(Event) bool { _, has := known[name]; return has }
	if !has(Event{}) {
		c.Await(name, has)
	}
	return known[name]
}

// AwaitOp reads until a text message with an op arrives.
func (c *Foxglove) AwaitOp(op string) Event {
	c.t.Helper()
	return c.Await(op, func(e Event) bool { return e.Op == op })
}

// Await reads until wanted returns true.
func (c *Foxglove) Await(what string, wanted func(Event) bool) Event {
	c.t.Helper()
	for n := 0; ; n++ {
		e, err := c.Next()
		if err != nil {
			c.t.Fatalf("waiting for %s: %v; before it came %q", what, err, c.last)
		}
		if wanted(e) {
			e.ArrivedAfter = n
			return e
		}
	}
}

// Next reads the next event.
func (c *Foxglove) Next() (Event, error) {
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	kind, b, err := c.conn.Read(ctx)
	if err != nil {
		return Event{}, err
	}
	if kind == websocket.MessageBinary {
		return c.binary(b), nil
	}
	if c.last = append(c.last, string(b)); len(c.last) > 10 {
		c.last = c.last[1:]
	}
	e := Event{Text: b, Size: len(b)}
	var m struct {
		Op         string
		Channels   []Channel
		ChannelIDs []uint32
		Services   []struct {
			ID   uint32
			Name string
		}
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return e, err
	}
	e.Op = m.Op
	for _, ch := range m.Channels {
		c.Channels[ch.Topic] = ch
	}
	for _, id := range m.ChannelIDs {
		for topic, ch := range c.Channels {
			if ch.ID == id {
				delete(c.Channels, topic)
			}
		}
	}
	for _, s := range m.Services {
		c.Services[s.Name] = s.ID
	}
	return e, nil
}

// binary decodes a binary message. A truncated one fails the test.
func (c *Foxglove) binary(b []byte) Event {
	defer func() {
		if recover() != nil {
			c.t.Errorf("a binary message is too short: % x", b)
		}
	}()
	e := Event{Opcode: b[0], Size: len(b)}
	le := binary.LittleEndian
	switch e.Opcode {
	case 1:
		e.ID, e.Time, e.Data = le.Uint32(b[1:]), int64(le.Uint64(b[5:])), b[13:]
	case 2:
		e.Time = int64(le.Uint64(b[1:]))
		c.Clock = e.Time
	case 3:
		e.ID, e.Call = le.Uint32(b[1:]), le.Uint32(b[5:])
		n := le.Uint32(b[9:])
		e.Encoding, e.Data = string(b[13:13+n]), b[13+n:]
	case 5:
		e.State, e.Time, e.Speed = b[1], int64(le.Uint64(b[2:])), math.Float32frombits(le.Uint32(b[10:]))
		n := le.Uint32(b[15:])
		e.DidSeek, e.PlayRequest = b[14] == 1, string(b[19:19+n])
	default:
		c.t.Errorf("unknown opcode %d", e.Opcode)
	}
	return e
}
