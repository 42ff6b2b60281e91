package viewer

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"rsros/msgs"
	"rsros/viewer/api"
	"rsros/viewer/clients"
	"rsros/viewer/foxglove"
)

// topics are the topics of a stage. They don't change; with returns others.
type topics struct {
	list   []*topic // those that have a number, by name
	byName map[string]*topic
	byID   map[uint16]*topic
	last   uint16 // number that was given last
}

// topic is a topic with its viewers and clients.
type topic struct {
	stream
	name     string
	typ      msgs.Type
	decoded  bool // the page decodes the messages, and gets their bytes
	tree     func(data []byte) ([]byte, error)
	messages atomic.Uint64

	kept    kept                                      // of a graph's latched topic
	latched atomic.Pointer[[]msgs.Raw]                // sent first to each Foxglove client, without owners; nil if none
	taps    clients.Watchers[*func(foxglove.Message)] // of Foxglove's clients
}

// decodedTypes are the types of messages that the page decodes (viewer/page/src/topics/decode.ts).
var decodedTypes = []string{
	"sensor_msgs/Image", "sensor_msgs/CompressedImage", "sensor_msgs/PointCloud2", "sensor_msgs/LaserScan",
	"tf2_msgs/TFMessage", "tf/tfMessage",
}

// maxTopics is the number of topics that 16-bit numbers can identify.
const maxTopics = 1<<16 - 1

// keptTransforms is the maximum number of messages with transforms that wait for a viewer. Newer
// ones don't replace them, because each may have tf frames that no other has.
const keptTransforms = 64

// newTopics returns the topics of a stage, given their types by name, up to maxTopics.
func newTopics(of stage, types map[string]msgs.Type) *topics {
	return new(topics).with(of, types)
}

// with returns the topics of a stage, given their types by name. Those that t has, too, are the same.
func (t *topics) with(of stage, types map[string]msgs.Type) *topics {
	now := &topics{byName: make(map[string]*topic), byID: make(map[uint16]*topic), last: t.last}
	for name, old := range t.byName {
		if typ, stays := types[name]; stays && typ == old.typ && old.id > 0 {
			now.byName[name], now.byID[old.id] = old, old
		}
	}
	var specs msgs.Cache[*msgs.Spec]
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if now.byName[name] == nil {
			now.byName[name] = newTopic(of, name, types[name], &specs)
			now.number(now.byName[name])
		}
		if c := now.byName[name]; c.id > 0 {
			now.list = append(now.list, c)
		}
	}
	return now
}

// join adds the topics of another device that aren't there yet.
func (t *topics) join(more *topics) {
	for _, c := range more.list {
		if t.byName[c.name] == nil {
			t.list, t.byName[c.name] = append(t.list, c), c
		}
	}
}

// number gives a topic the next number that no other has, if there is one.
func (t *topics) number(c *topic) {
	for len(t.byID) < maxTopics && c.id == 0 {
		if t.last++; t.last > 0 && t.byID[t.last] == nil {
			c.id, t.byID[t.last] = t.last, c
		}
	}
}

func newTopic(of stage, name string, typ msgs.Type, specs *msgs.Cache[*msgs.Spec]) *topic {
	t := &topic{name: name, typ: typ, decoded: slices.Contains(decodedTypes, typ.Name)}
	t.stage, t.lost, t.queue = of, func() uint64 { return 0 }, frames(1)
	if strings.HasSuffix(strings.ToLower(typ.Name), "/tfmessage") {
		t.queue = frames(keptTransforms)
	}
	spec, err := specs.Get(typ.Name, typ.Definition, msgs.Parse)
	t.tree = func(data []byte) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		return encodeTree(spec, data)
	}
	return t
}

func (t *topics) stream(id uint16) *stream {
	if c := t.byID[id]; c != nil {
		return &c.stream
	}
	return nil
}

func (t *topics) topicList() *topics { return t }

// streams returns the topics' descriptions for viewers.
func (t *topics) streams() []api.Stream {
	list := []api.Stream{}
	for _, c := range t.list {
		list = append(list, api.Stream{
			ID: c.id, Kind: "topic", Name: c.name, Sensor: -1, Format: c.typ.Name, Type: c.typ.Name,
		})
	}
	return list
}

// names returns the names of streams.
func (t *topics) names(of []*stream) (list []string) {
	for _, s := range of {
		list = append(list, t.byID[s.id].name)
	}
	return list
}

// watched returns the names of the topics that have viewers or clients.
func (t *topics) watched() (list []string) {
	for _, c := range t.list {
		if c.watched() {
			list = append(list, c.name)
		}
	}
	return list
}

// watcherCount returns the number of viewers and of taps of the topic.
func (t *topic) watcherCount() int { return len(t.watchers.All()) + len(t.taps.All()) }

func (t *topic) watched() bool { return t.watcherCount() > 0 }

// message returns a message of the topic. Its last release calls release. A time of 0 means now.
func (t *topic) message(content [][]byte, at int64, release func()) *message {
	now := api.NanosOf(time.Now())
	m := &message{of: t, content: content, number: t.messages.Add(1), stamp: now, time: cmp.Or(api.Nanos(at), now)}
	m.Init(m.ContentSize(), release)
	return m
}

// offer sends a message to the topic's viewers and releases it.
func (t *topic) offer(m *message) {
	for _, deliver := range t.taps.All() {
		(*deliver)(foxglove.Message{Body: m, Time: int64(m.time)})
	}
	t.stream.offer(m)
}

// pass sends a message to the topic's viewers and returns it with a reference for another
// recipient.
func (t *topic) pass(raw msgs.Raw) msgs.Raw {
	if !t.watched() {
		return raw
	}
	owner := raw.Owner
	m := t.message([][]byte{slices.Clone(raw.Head), raw.Body, slices.Clone(raw.Tail)}, raw.Time, func() {
		if owner != nil {
			owner.Release()
		}
	})
	if owner != nil {
		m.Retain()
		raw.Owner = m
	}
	t.offer(m)
	return raw
}

// show sends a message to the topic's viewers and releases it.
func (t *topic) show(raw msgs.Raw) {
	if raw = t.pass(raw); raw.Owner != nil {
		raw.Owner.Release()
	}
}
