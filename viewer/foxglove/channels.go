package foxglove

import (
	"slices"
	"strings"

	"rsros/viewer/clients"
)

// The names of ROS 1's serialization and definitions in the protocol.
const (
	encodingROS = "ros1"
	schemaROS   = "ros1msg"
)

// channel is a topic to which clients may subscribe.
type channel struct {
	Topic
	id uint32

	subscriptions clients.Watchers[*subscription] // share one subscription of the source
}

// channel returns a channel by its number, or nil if the topic doesn't exist. Callers hold mu.
func (s *Server) channel(id uint32) *channel {
	t, live := s.topics.live[id]
	if live && s.channels[id] == nil {
		ch := &channel{Topic: t, id: id}
		ch.subscriptions.Open = func() (stop func(), err error) {
			return s.o.Source.Subscribe(t, func(m Message) { s.deliver(m, ch.subscriptions.All()...) })
		}
		s.channels[id] = ch
	}
	if !live {
		return nil
	}
	return s.channels[id]
}

// updateTopics replaces the topics and informs the clients. It returns the subscriptions of
// removed topics, which the caller ends. Callers hold mu.
func (s *Server) updateTopics(topics []Topic) (ended []*subscription) {
	added, removed := s.topics.update(topics)
	for _, c := range s.clients.All() {
		if len(removed) > 0 {
			c.send("unadvertise", object{"channelIds": removed})
		}
		c.advertise(added)
		if len(removed) == 0 {
			continue
		}
		for id, sub := range c.subs {
			if sub == nil {
				continue
			}
			if _, live := s.topics.live[sub.channel.id]; !live {
				ended = append(ended, sub)
				c.subs[id] = nil // the client may unsubscribe
				delete(c.watched, sub.channel.id)
			}
		}
	}
	return ended
}

// advertise advertises some channels to the client, sorted by name. The server's mu is held.
func (c *client) advertise(list []uint32) {
	live := c.s.topics.live
	slices.SortFunc(list, func(a, b uint32) int { return strings.Compare(live[a].Name, live[b].Name) })
	for some := range slices.Chunk(list, batch) {
		channels := []channelInfo{}
		for _, id := range some {
			t := live[id]
			channels = append(channels, channelInfo{ID: id, Topic: t.Name, Encoding: encodingROS,
				SchemaName: t.Type.Name, Schema: t.Type.Definition, SchemaEncoding: schemaROS})
		}
		c.send("advertise", object{"channels": channels})
	}
}

// subscribe begins to deliver a channel's messages to a client. All clients share one
// subscription of a topic, except of latched topics, whose earlier messages each client needs.
func (s *Server) subscribe(sub *subscription) (err error) {
	ch := sub.channel
	if ch.Latched {
		sub.stop, err = s.o.Source.Subscribe(ch.Topic, func(m Message) { s.deliver(m, sub) })
		return err
	}
	sub.stop = func() { ch.subscriptions.Remove(sub) }
	return ch.subscriptions.Add(sub)
}

// deliver queues a message.
func (s *Server) deliver(m Message, to ...*subscription) {
	m.Retain()
	i := &message{content: m}
	if s.playing.Load() {
		i.time = &instant{time: m.Time, round: int(s.round.Load())}
	}
	i.Init(m.ContentSize(), m.Body.Release)
	for _, sub := range to {
		sub.put(i)
	}
	i.Release()
}
