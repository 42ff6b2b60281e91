package foxglove

import (
	"slices"
	"strings"
	"sync"

	"rsros/node/clients"
)

// The names of ROS 1's serialization and definitions in the protocol.
const (
	encodingROS = "ros1"
	schemaROS   = "ros1msg"
)

// channel is a topic as clients know it. Its number stays the same while the server
// lives, and no other channel gets it.
type channel struct {
	Topic
	id uint32

	mu            sync.Mutex // orders subscribing and unsubscribing
	stop          func()     // of the subscription that all share; nil if there is none
	subscriptions clients.List[*subscription]
}

// channels are all that were ever advertised. The server's mu guards them.
type channels struct {
	all  map[Topic]*channel
	live map[uint32]*channel
}

func newChannels() channels {
	return channels{all: make(map[Topic]*channel), live: make(map[uint32]*channel)}
}

// batch is how many channels or services are advertised in one message.
const batch = 100

// update replaces the topics and informs the clients. It returns
// the subscriptions whose topics went, for the caller to end.
func (cs *channels) update(topics []Topic, all []*client) (ended []*subscription) {
	now := make(map[uint32]*channel)
	var added []*channel
	for _, t := range topics {
		ch := cs.all[t]
		if ch == nil {
			ch = &channel{Topic: t, id: uint32(len(cs.all) + 1)}
			cs.all[t] = ch
		}
		if now[ch.id] == nil && cs.live[ch.id] == nil {
			added = append(added, ch)
		}
		now[ch.id] = ch
	}
	var gone []uint32
	for id := range cs.live {
		if now[id] == nil {
			gone = append(gone, id)
		}
	}
	slices.Sort(gone)
	cs.live = now
	for _, c := range all {
		if len(gone) > 0 {
			c.send(unadvertise{"unadvertise", gone})
		}
		c.advertise(added)
		for _, sub := range c.subs {
			if slices.Contains(gone, sub.channel.id) {
				ended = append(ended, sub)
			}
		}
	}
	return ended
}

// introduce sends a new client all channels; there may be none.
func (cs *channels) introduce(c *client) {
	var all []*channel
	for _, ch := range cs.live {
		all = append(all, ch)
	}
	if len(all) == 0 {
		c.send(advertise{"advertise", []channelInfo{}})
	}
	c.advertise(all)
}

func (c *client) advertise(list []*channel) {
	slices.SortFunc(list, func(a, b *channel) int { return strings.Compare(a.Name, b.Name) })
	for some := range slices.Chunk(list, batch) {
		m := advertise{Op: "advertise"}
		for _, ch := range some {
			m.Channels = append(m.Channels, channelInfo{ID: ch.id, Topic: ch.Name, Encoding: encodingROS,
				SchemaName: ch.Type.Name, Schema: ch.Type.Definition, SchemaEncoding: schemaROS})
		}
		c.send(m)
	}
}

// subscribe begins to deliver a channel's messages to a client. All clients share one
// subscription of the topic, except of latched ones: there each needs what came before.
func (s *Server) subscribe(sub *subscription) (err error) {
	ch := sub.channel
	if ch.Latched {
		sub.stop, err = s.o.Graph.Subscribe(ch.Topic, func(m Message) { s.deliver(m, sub) })
		return err
	}
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.subscriptions.Add(sub)
	if ch.stop == nil {
		if ch.stop, err = s.o.Graph.Subscribe(ch.Topic, func(m Message) { s.deliver(m, ch.subscriptions.All()...) }); err != nil {
			ch.stop = nil
			ch.subscriptions.Remove(sub)
			return err
		}
	}
	sub.stop = func() {
		ch.mu.Lock()
		defer ch.mu.Unlock()
		if ch.subscriptions.Remove(sub) == 0 && ch.stop != nil {
			ch.stop()
			ch.stop = nil
		}
	}
	return nil
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
