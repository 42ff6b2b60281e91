package visitor

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"testing"

	"github.com/coder/websocket"

	"rsros/test/need"
	"rsros/viewer/api"
)

// Object has the fields of a text message.
type Object = map[string]any

// Message is a message of the program to a Viewer: a text message, or a frame.
type Message struct {
	Op      string
	Source  *api.Source
	Devices []api.Candidate `json:"candidates"`
	Playing bool
	Rate    float64
	Record  api.Record   `json:"-"` // of op "record"
	Streams []api.Stream `json:"-"` // of op "streams"
	Fields  Object       `json:"-"` // all fields; nil for a frame

	Head           api.Head `json:"-"`
	Metadata, Body []byte   `json:"-"`
}

// Viewer is a client of the viewer's socket (docs/internals/view-protocol.md). It ends with the test.
type Viewer struct {
	Page  string // its address, which ends in a slash
	Conn  *websocket.Conn
	Early []Message // frames that came before an awaited text, for Frame and Await

	t      testing.TB
	last   int         // request
	source *api.Source // for Source
}

// DialViewer connects to a page by its address.
func DialViewer(t testing.TB, page string) *Viewer {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), page+"api/ws", &websocket.DialOptions{Subprotocols: []string{api.Subprotocol}})
	need.Must(t, err)
	conn.SetReadLimit(64 << 20)
	t.Cleanup(func() { conn.CloseNow() }) //nolint:errcheck // at the end
	return &Viewer{Page: page, Conn: conn, t: t}
}

// Send sends a text message.
func (c *Viewer) Send(op string, fields Object) {
	c.t.Helper()
	message := Object{"op": op}
	maps.Copy(message, fields)
	text, err := json.Marshal(message)
	if err == nil {
		err = c.Conn.Write(c.t.Context(), websocket.MessageText, text)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// Read returns the next message. It gives no credit.
func (c *Viewer) Read() (m Message) {
	c.t.Helper()
	kind, b, err := c.Conn.Read(c.t.Context())
	switch {
	case err != nil:
	case kind == websocket.MessageText:
		err = errors.Join(json.Unmarshal(b, &m), json.Unmarshal(b, &m.Fields))
		switch m.Op {
		case "record":
			err = json.Unmarshal(b, &m.Record)
		case "streams":
			err = json.Unmarshal(b, &struct{ Streams *[]api.Stream }{&m.Streams})
		}
	default:
		le := binary.LittleEndian
		m.Head = api.Head{
			Kind: api.Kind(b[0]), Codec: api.Codec(b[1]), Stream: le.Uint16(b[2:]), Sequence: le.Uint32(b[4:]), Number: le.Uint64(b[8:]), Stamp: le.Uint64(b[16:]),
			Time: le.Uint64(b[24:]), Width: le.Uint16(b[32:]), Height: le.Uint16(b[34:]), Stride: le.Uint32(b[36:]), Metadata: le.Uint32(b[40:]), Skipped: le.Uint32(b[44:]),
		}
		m.Metadata, m.Body = b[api.HeadSize:][:m.Head.Metadata], b[api.HeadSize+m.Head.Metadata:]
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

// Text returns the next text message of a kind.
func (c *Viewer) Text(op string) Object {
	c.t.Helper()
	for {
		m := c.Read()
		if m.Fields == nil {
			c.Early = append(c.Early, m)
		} else if m.Op == op {
			return m.Fields
		}
	}
}

// Frame returns the next frame. It gives no credit.
func (c *Viewer) Frame() Message {
	c.t.Helper()
	for {
		if m := c.next(); m.Fields == nil {
			return m
		}
	}
}

// next returns the first early frame, or the next message.
func (c *Viewer) next() Message {
	c.t.Helper()
	if len(c.Early) == 0 {
		return c.Read()
	}
	m := c.Early[0]
	c.Early = c.Early[1:]
	return m
}

// Await reads messages until one is as wanted, and gives credit for frames.
func (c *Viewer) Await(is func(Message) bool) Message {
	c.t.Helper()
	for {
		m := c.next()
		if m.Fields == nil {
			c.Credit(m.Head.Stream, m.Head.Sequence)
		}
		if is(m) {
			return m
		}
	}
}

// Credit gives credit for the frames of a stream.
func (c *Viewer) Credit(stream uint16, upto uint32) {
	c.t.Helper()
	c.Send("credit", Object{"stream": stream, "upto": upto})
}

// Source reads messages until a source is as wanted, and returns the numbers of its
// streams by their names: of several cameras, after the camera's and a slash.
func (c *Viewer) Source(is func(*api.Source) bool) map[string]uint16 {
	c.t.Helper()
	c.Await(func(m Message) bool {
		if m.Source != nil {
			c.source = m.Source
		} else if m.Op == "streams" {
			c.source.Streams = m.Streams
		}
		return (m.Source != nil || m.Op == "streams") && is(c.source)
	})
	ids := make(map[string]uint16)
	for _, s := range c.source.Streams {
		if s.Camera != "" {
			s.Name = s.Camera + "/" + s.Name
		}
		ids[s.Name] = s.ID
	}
	return ids
}

// Ask sends a request, and returns the answer and whether the request succeeded.
func (c *Viewer) Ask(op string, fields Object) (answer Object, ok bool) {
	c.t.Helper()
	c.last++
	request := Object{"id": c.last}
	maps.Copy(request, fields)
	c.Send(op, request)
	for {
		if m := c.Text("answer"); m["id"] == float64(c.last) {
			return m, m["ok"] == true
		}
	}
}

// Must sends a request that has to succeed, and returns the answer.
func (c *Viewer) Must(op string, fields Object) Object {
	c.t.Helper()
	m, ok := c.Ask(op, fields)
	if !ok {
		c.t.Fatalf("%s %v: %v", op, fields, m)
	}
	return m
}

// Subscribe subscribes to a stream.
func (c *Viewer) Subscribe(stream uint16) {
	c.t.Helper()
	c.SubscribeAs(stream, "raw", 1)
}

// SubscribeAs subscribes to a stream with the codec raw or packed, and images smaller by a divisor.
func (c *Viewer) SubscribeAs(stream uint16, codec string, divisor int) {
	c.t.Helper()
	c.Send("subscribe", Object{"stream": stream, "codec": codec, "divisor": divisor})
}
