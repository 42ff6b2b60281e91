package foxglove

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
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

	mu      sync.Mutex // orders subscribing and unsubscribing
	stop    func()     // of the subscription that all share; nil if there is none
	targets atomic.Pointer[[]*subscription]
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

// update takes over the topics that there are now, and tells the clients. It returns
// the subscriptions whose topics went, for the caller to end.
func (cs *channels) update(topics []Topic, clients map[*client]struct{}) (ended []*subscription) {
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
	for c := range clients {
		if len(gone) > 0 {
			c.say(unadvertise{"unadvertise", gone})
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

// introduce tells a new client of all channels; there may be none.
func (cs *channels) introduce(c *client) {
	var all []*channel
	for _, ch := range cs.live {
		all = append(all, ch)
	}
	if len(all) == 0 {
		c.say(advertise{"advertise", []channelInfo{}})
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
		c.say(m)
	}
}

// subscribe begins to deliver a channel's messages to a client. All clients share one
// subscription of the topic, but for latched ones: there each needs what came before.
func (s *Server) subscribe(sub *subscription) (err error) {
	ch := sub.channel
	if ch.Latched {
		sub.stop, err = s.o.Graph.Subscribe(ch.Topic, func(m Message) { sub.put(s.item(m, true)) })
		return err
	}
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.retarget(func(list []*subscription) []*subscription { return append(list, sub) })
	if ch.stop == nil {
		if ch.stop, err = s.o.Graph.Subscribe(ch.Topic, func(m Message) { ch.deliver(s.item(m, false)) }); err != nil {
			ch.stop = nil
			ch.remove(sub)
			return err
		}
	}
	sub.stop = func() {
		ch.mu.Lock()
		defer ch.mu.Unlock()
		if ch.remove(sub) == 0 && ch.stop != nil {
			ch.stop()
			ch.stop = nil
		}
	}
	return nil
}

// item makes a message wait.
func (s *Server) item(m Message, keep bool) item {
	i := item{Message: m, since: time.Now().UnixNano(), keep: keep}
	if s.o.Playback != nil {
		i.clock = instant{m.Time, int(s.round.Load())}
	}
	return i
}

func (ch *channel) deliver(m item) {
	for _, sub := range *ch.targets.Load() {
		sub.put(m)
	}
}

// retarget replaces the list of subscriptions by a changed copy. Callers hold mu.
func (ch *channel) retarget(change func([]*subscription) []*subscription) int {
	var list []*subscription
	if old := ch.targets.Load(); old != nil {
		list = slices.Clone(*old)
	}
	list = change(list)
	ch.targets.Store(&list)
	return len(list)
}

func (ch *channel) remove(sub *subscription) (left int) {
	return ch.retarget(func(list []*subscription) []*subscription {
		return slices.DeleteFunc(list, func(x *subscription) bool { return x == sub })
	})
}
