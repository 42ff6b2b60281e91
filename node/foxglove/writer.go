package foxglove

import (
	"time"

	"rsros/node/websocket"
)

const (
	tickTime   = time.Second
	pingTime   = 10 * time.Second // a third of what the connection waits for a sign of life
	tellTime   = 5 * time.Second  // at least, between two words on drops
	healedTime = 10 * time.Second // without drops, after which the word is taken back
)

// dropStatus names the status on drops, which is replaced and removed by it.
const dropStatus = "drops"

// dropText is one that Lichtblick knows: it adds what the user can do. Numbers in it
// would make a new alert of each.
const dropText = "Send buffer limit reached"

// dropNews is what the client was told of its drops.
type dropNews struct {
	dropped        uint64
	shown          bool
	told, occurred time.Time
}

// write sends what waits until the connection ends, or with an error.
func (c *client) write() error {
	ticker := time.NewTicker(tickTime)
	defer ticker.Stop()
	w := regular{c: c, pinged: time.Now()}
	for {
		select { // also while there is always something to send
		case <-c.ctx.Done():
			return nil
		case now := <-ticker.C:
			if err := w.tick(now); err != nil {
				return err
			}
		default:
		}
		out, ok, err := c.lanes.next()
		if err != nil {
			return err
		}
		if ok {
			if err := c.send(out); err != nil {
				return err
			}
			continue
		}
		select {
		case <-c.lanes.ready:
		case <-c.ctx.Done():
			return nil
		case now := <-ticker.C:
			if err := w.tick(now); err != nil {
				return err
			}
		}
	}
}

// regular is what a client is sent from time to time.
type regular struct {
	c      *client
	pinged time.Time
	drops  dropNews
}

func (w *regular) tick(now time.Time) error {
	w.c.tellDrops(&w.drops, now)
	if now.Sub(w.pinged) < pingTime {
		return nil
	}
	w.pinged = now
	return w.c.ws.Ping()
}

// send sends one thing.
func (c *client) send(out outgoing) error {
	switch {
	case out.control != nil:
		kind := websocket.Binary
		if out.control[0] == '{' {
			kind = websocket.Text
		}
		return c.ws.Write(kind, out.control)
	case out.time != nil:
		return c.sendTime(*out.time)
	}
	m := &out.item
	defer m.Release()
	if m.clock.round == c.clock.round {
		if err := c.sendTime(m.clock); err != nil {
			return err
		}
	}
	c.head = appendMessageHead(c.head[:0], out.from.id, m.Time)
	c.parts = m.Content(append(c.parts[:0], c.head))
	err := c.ws.Write(websocket.Binary, c.parts...)
	clear(c.parts) // holds no message alive
	if err == nil {
		c.lanes.sent(out.from, m.ContentSize())
	}
	return err
}

// sendTime tells the client what time it is, if it goes on or jumped.
func (c *client) sendTime(t instant) error {
	if t.round == c.clock.round && t.time <= c.clock.time {
		return nil
	}
	c.clock = t
	return c.ws.Write(websocket.Binary, appendTime(nil, t.time))
}

// tellDrops tells the client that it is too slow, as long as it is.
func (c *client) tellDrops(n *dropNews, now time.Time) {
	dropped := c.lanes.lost()
	if dropped > n.dropped {
		n.occurred = now
	}
	switch {
	case dropped > n.dropped && now.Sub(n.told) >= tellTime:
		n.told, n.shown = now, true
		c.say(status{Op: "status", Level: levelWarning, Message: dropText, ID: dropStatus})
	case n.shown && now.Sub(n.occurred) >= healedTime:
		n.shown = false
		c.say(removeStatus{"removeStatus", []string{dropStatus}})
	}
	n.dropped = dropped
}
