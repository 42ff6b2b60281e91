package foxglove

import (
	"time"

	"github.com/coder/websocket"

	"rsros/viewer/clients"
)

// Bounds of the messages of one topic that wait for one client.
const (
	largeMessage  = 64 << 10 // bytes; of larger messages, only the newest of a topic waits
	queueBytes    = 1 << 20  // of smaller messages
	queueMessages = 1000     // number of smaller messages
	keptBytes     = 4 << 20  // of latched messages, which aren't dropped
)

// subscription is a client's subscription of a channel. It has two queues, so that small
// messages don't wait for large ones.
type subscription struct {
	id           uint32 // the client's number for it
	channel      *channel
	small, large *clients.Subscription
	stop         func() // ends the delivery
}

func (c *client) newSubscription(id uint32, ch *channel) *subscription {
	send := func(i clients.Item, _ clients.Delivery) error { return c.sendMessage(id, i.(*message)) }
	small := clients.Options{
		Class: clients.ClassSmall, Messages: queueMessages, Bytes: queueBytes, Kept: keptBytes, Send: send,
	}
	large := clients.Options{Class: clients.ClassLarge, Messages: 1, Send: send}
	return &subscription{id: id, channel: ch, small: c.Subscribe(small), large: c.Subscribe(large)}
}

// message is a message for clients.
type message struct {
	clients.Shared
	content Message
	time    *instant // current time, for clients that follow the server's time; nil if there is none
}

// instant is a time of a recording in ns, and the number of jumps of playback until then. The zero instant means none.
type instant struct {
	clients.Shared
	time  int64
	round int
}

// put queues a message. Small messages of latched topics are never dropped.
func (s *subscription) put(m *message) {
	switch {
	case m.content.ContentSize() > largeMessage:
		s.large.Offer(m)
	case s.channel.Latched:
		s.small.Keep(m)
	default:
		s.small.Offer(m)
	}
}

// close ends the delivery and drops waiting messages.
func (s *subscription) close() {
	s.stop()
	s.small.Close()
	s.large.Close()
}

// sendMessage sends the time and then a message of a subscription.
func (c *client) sendMessage(id uint32, m *message) error {
	if m.time != nil && m.time.round == c.time.round {
		if err := c.sendTime(m.time); err != nil {
			return err
		}
	}
	c.head = appendMessageHead(c.head[:0], id, m.content.Time)
	c.parts = m.content.Content(append(c.parts[:0], c.head))
	err := c.Write(websocket.MessageBinary, c.parts...)
	clear(c.parts) // keep no references
	return err
}

// sendTime sends the client the time if it advanced or jumped.
func (c *client) sendTime(t *instant) error {
	if t.round == c.time.round && t.time <= c.time.time {
		return nil
	}
	c.time.time, c.time.round = t.time, t.round
	return c.Write(websocket.MessageBinary, appendTime(nil, t.time))
}

const (
	dropInterval = 5 * time.Second  // minimum time between two reports of drops
	clearTime    = 10 * time.Second // without drops, after which the report is removed
)

// dropStatusID names the status on drops, which is replaced and removed by it.
const dropStatusID = "drops"

// dropText is a text that Lichtblick recognizes and adds advice to. With numbers in it, each
// status would be a new alert.
const dropText = "Send buffer limit reached"

// dropStatus is the report of drops that the client was last sent.
type dropStatus struct {
	dropped           uint64
	shown             bool
	shownAt, lastDrop time.Time
}

// update sends the client a warning while it is too slow.
func (d *dropStatus) update(c *client, now time.Time) {
	dropped := c.Dropped()
	if dropped > d.dropped {
		d.lastDrop = now
	}
	switch {
	case dropped > d.dropped && now.Sub(d.shownAt) >= dropInterval:
		d.shownAt, d.shown = now, true
		c.send("status", status{Level: levelWarning, Message: dropText, ID: dropStatusID})
	case d.shown && now.Sub(d.lastDrop) >= clearTime:
		d.shown = false
		c.send("removeStatus", object{"statusIds": []string{dropStatusID}})
	}
	d.dropped = dropped
}
