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
	from    *ros.Node
	name    string // in ROS 1
	md5     string
	latched bool
	image   bool
	out     *dds.Publisher
	encoder *ros2.Encoder
	buffers buffers.Pool
	tap     *ros.Tap // nil while nobody subscribes
	log     zerolog.Logger
	sampler zerolog.Sampler
}

func newTopic(from *ros.Node, p ros.Publication, out *dds.Publisher, e *ros2.Encoder, log zerolog.Logger) *topic {
	return &topic{
		from: from, name: p.Topic, md5: p.Type.MD5, latched: p.Latched, image: p.Type.MD5 == msgs.MustType("sensor_msgs/Image").MD5,
		out: out, encoder: e, log: log.With().Str("topic", p.Topic).Logger(),
		sampler: &zerolog.BurstSampler{Burst: 1, Period: time.Second},
	}
}

// follow taps the topic while it has subscribers. Latched messages are always passed on, for those to come.
func (t *topic) follow() {
	if t == nil {
		return
	}
	wanted := t.latched || t.out.Subscribers() > 0
	switch {
	case wanted && t.tap == nil:
		tap, err := t.from.TapWait(t.name, t.publish, t.publishWait)
		if err != nil {
			return // the node is closed
		}
		t.tap = tap
	case !wanted && t.tap != nil:
		t.tap.Close()
		t.tap = nil
	}
}

func (t *topic) close() {
	if t.tap != nil {
		t.tap.Close()
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
	if raw, ok := t.encode(m); ok {
		t.out.Publish(raw)
	}
}

func (t *topic) publishWait(ctx context.Context, m *ros.Shared) error {
	raw, ok := t.encode(m)
	if !ok {
		return nil
	}
	return t.out.PublishWait(ctx, raw)
}

// encode returns a message in CDR. It logs why there is none.
func (t *topic) encode(m *ros.Shared) (msgs.Raw, bool) {
	var room [3][]byte
	parts := m.Content(room[:0])
	if len(parts) > 1 && len(parts[0]) == 0 {
		parts = parts[1:]
	}
	raw, err := t.encodeParts(m, parts)
	if err != nil {
		if t.sampler.Sample(zerolog.WarnLevel) {
			t.log.Warn().Err(err).Msg("can't convert a message for ROS 2")
		}
		return msgs.Raw{}, false
	}
	raw.Time, raw.Key = m.Time, m.Key
	return raw, true
}

func (t *topic) encodeParts(m *ros.Shared, parts [][]byte) (msgs.Raw, error) {
	if t.image && len(parts) <= 2 {
		raw, err := imageInCDR(parts)
		if err == nil {
			m.Retain()
			raw.Owner = m
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
	out, _, err := t.encoder.Convert(b.Bytes, in)
	if err != nil {
		b.Release()
		return msgs.Raw{}, err
	}
	b.Bytes = out
	return msgs.Raw{Body: out, Owner: b}, nil
}

// imageInCDR returns a sensor_msgs/Image whose pixels remain where they are: after the head in the only
// part, or in a part of their own.
func imageInCDR(parts [][]byte) (msgs.Raw, error) {
	var head msgs.ImageHead
	d := msgs.NewDecoder(parts[0])
	head.Decode(d)
	pixels := parts[0][d.Pos():]
	if len(parts) == 2 && len(pixels) == 0 {
		pixels = parts[1]
	}
	if err := d.Err(); err != nil {
		return msgs.Raw{}, err
	}
	if len(pixels) < int(head.DataLen) {
		return msgs.Raw{}, fmt.Errorf("an image has %d bytes of pixels, and says %d", len(pixels), head.DataLen)
	}
	pixels = pixels[:head.DataLen] // librealsense writes more
	var e msgs.Encoder
	e.BeginCDR()
	head.Append(&e)
	return msgs.Raw{Head: e.B, Body: pixels}, nil
}
