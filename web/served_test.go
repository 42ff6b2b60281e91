package web

import (
	"encoding/binary"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"rsros/node/websocket"
)

// given is a stream with its one frame, as the page gets it.
type given struct {
	info          map[string]any
	kind, codec   byte
	width, height int
	stride        int
	body          []byte
}

// The numbers of docs/view-protocol.md.
const (
	kindVideo, kindTopic           = 1, 3
	codecRaw, codecJSON, codecROS1 = 0, 3, 5
)

// message is the binary message of a frame.
func (g *given) message(stream int) []byte {
	head := make([]byte, 48, 48+len(g.body))
	head[0], head[1] = g.kind, g.codec
	binary.LittleEndian.PutUint16(head[2:], uint16(stream))
	binary.LittleEndian.PutUint32(head[4:], 1)
	binary.LittleEndian.PutUint64(head[8:], 1)
	binary.LittleEndian.PutUint16(head[32:], uint16(g.width))
	binary.LittleEndian.PutUint16(head[34:], uint16(g.height))
	binary.LittleEndian.PutUint32(head[36:], uint32(g.stride))
	return append(head, g.body...)
}

// servePage serves the page, and to each that subscribes to a stream its one frame:
// pictures that stand still can be compared. It returns the page's address.
func servePage(t *testing.T, name string, streams []given) string {
	t.Helper()
	page, err := Handler()
	if err != nil {
		t.Fatal(err)
	}
	var infos []map[string]any
	for i, s := range streams {
		s.info["id"] = i
		infos = append(infos, s.info)
	}
	hello := mustJSON(t, map[string]any{
		"op": "hello", "version": 1, "viewer": 1, "viewOnly": true, "now": "1", "files": false, "candidates": []any{}, "record": nil,
		"source": map[string]any{"kind": "camera", "name": name, "info": []any{}, "sensors": []any{}, "streams": infos},
		"state":  map[string]any{"playing": true, "position": nil, "rate": 1, "loop": false, "range": nil, "ended": false},
	})
	mux := http.NewServeMux()
	mux.Handle("/", page)
	var open sync.WaitGroup
	t.Cleanup(open.Wait)
	mux.HandleFunc("GET /api/ws", func(w http.ResponseWriter, r *http.Request) {
		open.Add(1)
		defer open.Done()
		c, err := websocket.Upgrade(w, r, websocket.Options{Subprotocols: []string{"rs-ros.view.v1"}})
		if err != nil {
			t.Error(err)
			return
		}
		defer c.HangUp()
		if err := c.Write(websocket.Text, []byte(hello)); err != nil {
			return
		}
		answerPage(c, streams)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// answerPage sends frames until the page goes.
func answerPage(c *websocket.Conn, streams []given) {
	for {
		_, text, err := c.Read()
		if err != nil {
			return
		}
		var said struct {
			Op     string
			Stream int
			T      json.RawMessage
		}
		if json.Unmarshal(text, &said) != nil {
			return
		}
		switch said.Op {
		case "subscribe":
			err = c.Write(websocket.Binary, streams[said.Stream].message(said.Stream))
		case "ping":
			err = c.Write(websocket.Text, []byte(`{"op":"pong","now":"1","t":`+string(said.T)+`}`))
		}
		if err != nil {
			return
		}
	}
}
