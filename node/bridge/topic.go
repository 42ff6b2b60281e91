package bridge

import (
	"context"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/msgs/ros2"
	"rsros/program/buffers"
	"rsros/ros"
	dds "rsros/ros2"
)

// topic publishes the messages of a topic of ROS 1 in ROS 2.
type topic struct {
	name    string // in ROS 1
	md5     string
	latched bool
	image   bool
	out     *dds.Publisher
	encoder *ros2.Encoder
	buffers buffers.Pool
	listen  func(*topic) (stop func(), err error) // has the topic's messages published until stop
	stop    func()                                // nil while nobody subscribes
	lossy   bool                                  // it was said that messages lose something
	log     zerolog.Logger
	sampler zerolog.Sampler
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
	return &topic{
		name: p.Topic, md5: p.Type.MD5, latched: p.Latched, image: p.Type.MD5 == msgs.MustType("sensor_msgs/Image").MD5,
		out: out, encoder: encoder, listen: listen, log: log.With().Str("topic", p.Topic).Logger(),
		sampler: &zerolog.BurstSampler{Burst: 1, Period: time.Second},
	}, nil
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
	if raw, ok := t.encodeShared(m); ok {
		t.out.Publish(raw)
	}
}

// receive publishes a message of another node.
func (t *topic) receive(r ros.Received) {
	raw, ok := t.encode([][]byte{r.Data}, func() buffers.Releaser { return r.Retain() })
	if raw.Key = r.Header["callerid"]; ok {
		t.out.Publish(raw)
	}
}

func (t *topic) publishWait(ctx context.Context, m *ros.Shared) error {
	raw, ok := t.encodeShared(m)
	if !ok {
		return nil
	}
	return t.out.PublishWait(ctx, raw)
}

func (t *topic) encodeShared(m *ros.Shared) (msgs.Raw, bool) {
	var room [3][]byte
	parts := m.Content(room[:0])
	if len(parts) > 1 && len(parts[0]) == 0 {
		parts = parts[1:]
	}
	raw, ok := t.encode(parts, func() buffers.Releaser { m.Retain(); return m })
	raw.Time, raw.Key = m.Time, m.Key
	return raw, ok
}

// encode returns a message in CDR, which may keep a reference to its parts. It logs why there is none.
func (t *topic) encode(parts [][]byte, retain func() buffers.Releaser) (msgs.Raw, bool) {
	raw, err := t.encodeParts(parts, retain)
	if err != nil {
		if t.sampler.Sample(zerolog.WarnLevel) {
			t.log.Warn().Err(err).Msg("can't convert a message for ROS 2")
		}
		return msgs.Raw{}, false
	}
	return raw, true
}

func (t *topic) encodeParts(parts [][]byte, retain func() buffers.Releaser) (msgs.Raw, error) {
	if t.image && len(parts) <= 2 {
		var e msgs.Encoder
		e.BeginCDR()
		raw, err := movedImage(&e, msgs.NewDecoder(parts[0]), parts)
		if err == nil {
			raw.Owner = retain()
		}
		return raw, err
	}
	in := parts[0]
	if len(parts) > 1 {
		joined := t.buffers.Get()
		defer joined.Release()
		for _, part := range parts {
			joined.Bytes = append(joined.Bytes, part...)
		}
		in = joined.Bytes
	}
	b := t.buffers.Get()
	out, whole, err := t.encoder.Convert(b.Bytes, in)
	if err != nil {
		b.Release()
		return msgs.Raw{}, err
	}
	if !whole && !t.lossy {
		t.lossy = true
		t.log.Warn().Strs("fields", t.encoder.Dropped).Msg("ROS 2 can't represent all of a message")
	}
	b.Bytes = out
	return msgs.Raw{Body: out, Owner: b}, nil
}

// movedImage encodes the head of a sensor_msgs/Image, whose pixels remain where they are: after the head in the only
// part, or in a part of their own. d decodes the first part.
func movedImage(e *msgs.Encoder, d *msgs.Decoder, parts [][]byte) (msgs.Raw, error) {
	var head msgs.ImageHead
	head.Decode(d)
	if err := d.Err(); err != nil {
		return msgs.Raw{}, err
	}
	pixels := parts[0][len(parts[0])-d.Remaining():]
	if len(parts) == 2 && len(pixels) == 0 {
		pixels = parts[1]
	}
	if len(pixels) < int(head.DataLen) {
		return msgs.Raw{}, fmt.Errorf("an image has %d bytes of pixels, and says %d", len(pixels), head.DataLen)
	}
	pixels = pixels[:head.DataLen] // librealsense writes more
	head.Append(e)
	return msgs.Raw{Head: e.B, Body: pixels}, nil
}
