package bridge

import (
	"context"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/msgs/ros2"
	"rsros/program/buffers"
	"rsros/ros"
	dds "rsros/ros2"
)

// topic publishes the messages of a topic of ROS 1 in ROS 2.
type topic struct {
	*conversion
	name    string // in ROS 1
	md5     string
	latched bool
	out     *dds.Publisher
	listen  func(*topic) (stop func(), err error) // has the topic's messages published until stop
	stop    func()                                // nil while nobody subscribes
}

// unlimited is the depth of a queue that is bounded in bytes alone.
const unlimited = 1 << 30

// openTopic advertises a topic of ROS 1 under a name in ROS 2. change is called when its number of subscribers changes.
func openTopic(
	to *dds.Node, name string, p ros.Publication, qos dds.QoS, change func(),
	listen func(*topic) (stop func(), err error), log zerolog.Logger,
) (*topic, error) {
	encoder, err := ros2.NewEncoder(p.Type.Name, p.Type.Definition)
	if err != nil {
		return nil, err
	}
	out, err := to.Advertise(dds.PublisherOptions{
		Topic: name, Type: encoder.Type, Hash: encoder.Hash, Definition: encoder.Definition,
		QoS:          qos,
		OnSubscriber: func(int) { change() },
	})
	if err != nil {
		return nil, err
	}
	c := newConversion(encoder, encoder.Dropped, p.Topic, p.Type, log)
	c.toROS2 = true
	return &topic{conversion: c, name: p.Topic, md5: p.Type.MD5, latched: p.Latched, out: out, listen: listen}, nil
}

// follow listens to the topic while it has subscribers. Latched messages are always passed on, for those to come.
func (t *topic) follow() {
	if t == nil {
		return
	}
	wanted := t.latched || t.out.Subscribers() > 0
	switch {
	case wanted && t.stop == nil:
		t.stop, _ = t.listen(t) // it fails if the node is closed
	case !wanted && t.stop != nil:
		t.stop()
		t.stop = nil
	}
}

func (t *topic) close() {
	if t.stop != nil {
		t.stop()
	}
	t.out.Close()
}

func (t *topic) losses() (list []Loss) {
	for subscriber, n := range t.out.Lost() {
		list = append(list, Loss{t.out.Topic(), subscriber.String(), n})
	}
	return list
}

func (t *topic) publish(m *ros.Shared) {
	if raw, ok := t.shared(m); ok {
		t.out.Publish(raw)
	}
}

// receive publishes a message of another node.
func (t *topic) receive(r ros.Received) {
	raw, ok := t.message([][]byte{r.Data}, func() buffers.Releaser { return r.Retain() })
	if raw.Key = r.Header["callerid"]; ok {
		t.out.Publish(raw)
	}
}

func (t *topic) publishWait(ctx context.Context, m *ros.Shared) error {
	raw, ok := t.shared(m)
	if !ok {
		return nil
	}
	return t.out.PublishWait(ctx, raw)
}

// shared converts a message of this program's node.
func (t *topic) shared(m *ros.Shared) (msgs.Raw, bool) {
	var room [3][]byte
	parts := m.Content(room[:0])
	if len(parts) > 1 && len(parts[0]) == 0 {
		parts = parts[1:]
	}
	raw, ok := t.message(parts, func() buffers.Releaser { m.Retain(); return m })
	raw.Time, raw.Key = m.Time, m.Key
	return raw, ok
}
