package bridge

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rsros/msgs/ros2"
	"rsros/program/buffers"
	"rsros/ros"
	dds "rsros/ros2"
)

// inbound publishes the messages of a topic of ROS 2 in ROS 1.
type inbound struct {
	*conversion
	name, typ, hash string // in ROS 2
	qos             dds.QoS
	out             *ros.Publisher
	in              *dds.Subscriber // nil while nobody subscribes
	lost            uint64          // of former subscriptions, on the way
}

// carryToROS1 publishes the topics of other nodes in ROS 2 in ROS 1.
func (b *carrier) carryToROS1() {
	offers := map[string][]dds.EndpointInfo{}
	for _, e := range b.ros2.Endpoints {
		if e.Publisher && !e.Service && markOf(&e) == "" && strings.HasPrefix(e.Topic, "/") && b.wanted(e.Topic) {
			offers[e.Topic] = append(offers[e.Topic], e)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(offers)) {
		list := offers[name]
		if b.broughtByOther(name) {
			b.leaveToOther("topic", name, "to ROS 1")
			delete(offers, name)
			continue
		}
		t := b.toROS1[name]
		m, err, ok := b.mappings.Get(typeOf{list[0].Node, list[0].Type, list[0].Hash})
		if !ok {
			continue
		}
		qos := dds.Offered(list, queue)
		if t != nil && (t.typ != list[0].Type || t.hash != list[0].Hash || t.qos != qos) {
			b.withdraw(t)
			delete(b.toROS1, name)
			t = nil
		}
		if i := slices.IndexFunc(list, func(e dds.EndpointInfo) bool { return e.Type != list[0].Type }); i > 0 {
			err = fmt.Errorf("it has several types: %s and %s", list[0].Type, list[i].Type)
		}
		if t == nil && err == nil && b.mayBegin("topic", name, "to ROS 1") {
			if t, err = b.open(&list[0], qos, m); err == nil {
				b.toROS1[name] = t
				b.log.Info().Str("topic", name).Str("type", t.typ).Msg("carried to ROS 1")
			}
		}
		b.refuse("topic", name, "to ROS 1", err)
		if t != nil {
			b.refuse("topic", name, "to ROS 1", t.follow(b.two))
		}
	}
	for name, t := range b.toROS1 {
		if offers[name] == nil {
			b.withdraw(t)
			b.log.Info().Str("topic", name).Msg("no longer carried to ROS 1")
			delete(b.toROS1, name)
		}
	}
}

// broughtByOther reports whether another bridge carries a topic of ROS 2 to ROS 1.
func (b *carrier) broughtByOther(name string) bool {
	return slices.ContainsFunc(b.ros1.Publishers[name], func(node string) bool {
		if node == b.one.Name() {
			return false
		}
		p, err, ok := b.publications.Get(endpoint{b.ros1.Addresses[node], name})
		return ok && err == nil && b.others[p.Header[mark]]
	})
}

// mapping returns how messages of a type in ROS 2 are converted. It asks the node if the type isn't known.
func (b *carrier) mapping(ctx context.Context, t typeOf) (*ros2.Mapping, error) {
	definition, hash, ok := ros2.Describe(t.name)
	if !ok || t.hash != "" && t.hash != hash {
		if t.hash == "" { // its node can't describe it
			return ros2.Map(t.name, "")
		}
		var err error
		if definition, err = b.two.DescribeType(ctx, t.node, t.name, t.hash); err != nil {
			return nil, err
		}
	}
	return ros2.Map(t.name, definition)
}

func (b *carrier) open(e *dds.EndpointInfo, qos dds.QoS, m *ros2.Mapping) (*inbound, error) {
	out, err := b.one.Advertise(ros.PublisherOptions{
		Topic: e.Topic, Type: m.Type, LatchAll: qos.TransientLocal, Queue: queue, OnSubscriber: func(int) { b.change.Set() },
	})
	if err != nil {
		return nil, err
	}
	c := newConversion(m, m.Dropped, e.Topic, m.Type, b.log)
	return &inbound{conversion: c, name: e.Topic, typ: e.Type, hash: e.Hash, qos: qos, out: out}, nil
}

// follow subscribes while there are subscribers in ROS 1, or always if messages are kept for those to come.
func (t *inbound) follow(n *dds.Node) (err error) {
	switch wanted := t.qos.TransientLocal || t.out.Subscribers() > 0; {
	case wanted && t.in == nil:
		t.in, err = n.Subscribe(dds.SubscriberOptions{
			Topic: t.name, Type: t.typ, Hash: t.hash, QoS: t.qos, Ignore: mark + "=", Callback: t.receive,
		})
	case !wanted && t.in != nil:
		t.unsubscribe()
	}
	return err
}

func (t *inbound) unsubscribe() {
	for _, c := range t.in.Counts() {
		t.lost += c.Lost
	}
	t.in.Close()
	t.in = nil
}

func (t *inbound) receive(r dds.Received) {
	raw, ok := t.message([][]byte{r.Data}, func() buffers.Releaser { return r.Retain() })
	if raw.Key = r.Publisher.String(); ok {
		t.out.Publish(raw)
	}
}

// withdraw closes a topic and says what was lost.
func (b *carrier) withdraw(t *inbound) {
	if t.in != nil {
		t.unsubscribe()
	}
	if t.lost > 0 {
		b.log.Warn().Str("topic", t.name).Uint64("lost", t.lost).Msg("messages were lost on the way from ROS 2")
	}
	for subscriber, n := range t.out.Lost() {
		b.sayLost(Loss{t.name, subscriber, n})
	}
	t.out.Close()
}
