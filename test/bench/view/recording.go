package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"time"

	"github.com/coder/websocket"

	"rsros/node/view/wire"
)

// client is a viewer that asks, and waits for what it asked for.
type client struct {
	ctx  context.Context
	conn *websocket.Conn
	id   int
}

// recording opens a recording, and seeks in it while it is paused.
func recording(program, path string) error {
	cmd, url, err := view(program, filepath.Dir(path))
	if err != nil {
		return err
	}
	defer stop(cmd)
	conn, _, err := websocket.Dial(context.Background(), url+"api/ws", &websocket.DialOptions{Subprotocols: []string{wire.Subprotocol}})
	if err != nil {
		return err
	}
	defer conn.CloseNow() //nolint:errcheck // at the end
	conn.SetReadLimit(64 << 20)
	c := &client{ctx: context.Background(), conn: conn}
	var took []float64
	var source *wire.Source
	var depth uint16
	for range max(1, *times/10) {
		if *cold {
			if err := forget(path); err != nil {
				return err
			}
		}
		begun := time.Now()
		if source, depth, err = c.open(filepath.Base(path)); err != nil {
			return err
		}
		took = append(took, time.Since(begun).Seconds()*1e3)
	}
	report("open to first picture", took)
	c.ask(map[string]any{"op": "pause"})
	took = took[:0]
	random := rand.New(rand.NewPCG(1, 1))
	for range *times {
		begun, at := time.Now(), random.Int64N(int64(*source.End))
		c.ask(map[string]any{"op": "seek", "time": strconv.FormatInt(at, 10)})
		if err := c.picture(depth, func(time uint64) bool { return time == uint64(at) }); err != nil {
			return err
		}
		took = append(took, time.Since(begun).Seconds()*1e3)
	}
	report("seek to picture", took)
	return nil
}

// ask sends a request.
func (c *client) ask(fields map[string]any) {
	c.id++
	fields["id"] = c.id
	say(c.ctx, c.conn, fields)
}

// open opens a recording, and returns when its first depth picture, or the first picture of
// another video stream, has come.
func (c *client) open(file string) (*wire.Source, uint16, error) {
	c.ask(map[string]any{"op": "open", "file": file})
	for {
		kind, data, err := c.conn.Read(c.ctx)
		if err != nil {
			return nil, 0, err
		}
		var m struct {
			wire.SourceChanged
			ID    int    `json:"id"`
			Error string `json:"error"`
		}
		if kind == websocket.MessageBinary || json.Unmarshal(data, &m) != nil {
			continue
		}
		if m.Error != "" {
			return nil, 0, errors.New(m.Error)
		}
		if m.Op != "source" || m.Source == nil {
			continue
		}
		var chosen uint16
		for _, s := range m.Source.Streams {
			if s.Kind == "video" && (chosen == 0 || s.Format == "Z16") {
				chosen = s.ID
			}
		}
		if chosen == 0 || m.Source.End == nil {
			return nil, 0, fmt.Errorf("%s has no pictures to seek to", file)
		}
		say(c.ctx, c.conn, map[string]any{"op": "subscribe", "stream": chosen, "codec": *codec, "divisor": 1})
		return m.Source, chosen, c.picture(chosen, func(uint64) bool { return true })
	}
}

// picture waits for a stream's next picture at a time that will do, and gives credit for
// all that come.
func (c *client) picture(stream uint16, will func(time uint64) bool) error {
	for {
		kind, data, err := c.conn.Read(c.ctx)
		if err != nil {
			return err
		}
		if kind != websocket.MessageBinary || binary.LittleEndian.Uint16(data[2:]) != stream {
			continue
		}
		say(c.ctx, c.conn, map[string]any{"op": "credit", "stream": stream, "upto": binary.LittleEndian.Uint32(data[4:])})
		if will(binary.LittleEndian.Uint64(data[24:])) {
			return nil
		}
	}
}
