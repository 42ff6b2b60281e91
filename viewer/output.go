package viewer

import (
	"context"

	"rsros/msgs"
	"rsros/replay"
)

// Output is a replay.Output that passes a player's messages to viewers and to another
// output. Server.AttachPlayer connects it to the viewers.
type Output struct {
	replay.Output         // the other one
	topics        *topics // nil if there are no viewers; set before the player runs
}

// NewOutput returns an output for viewers and another output.
func NewOutput(other replay.Output) *Output { return &Output{Output: other} }

// Advertise implements replay.Output.
func (o *Output) Advertise(c replay.Channel) (replay.Sink, error) {
	sink, err := o.Output.Advertise(c)
	if t := o.topic(c.Topic); t != nil && err == nil {
		return tee{sink, t}, nil
	}
	return sink, err
}

func (o *Output) topic(name string) *topic {
	if o.topics == nil {
		return nil
	}
	return o.topics.byName[name]
}

// Reads implements replay.Output: messages that viewers get as a tree are read here.
func (o *Output) Reads(c replay.Channel) bool {
	t := o.topic(c.Topic)
	return t != nil && !t.decoded
}

// tee passes messages of one topic to viewers and to another sink.
type tee struct {
	replay.Sink
	topic *topic
}

func (t tee) Publish(ctx context.Context, m msgs.Raw) error {
	return t.Sink.Publish(ctx, t.topic.pass(m))
}

func (t tee) Subscribers() int { return t.Sink.Subscribers() + t.topic.watcherCount() }

// Recall implements replay.Recaller. Only viewers need it: ROS subscribers have received the message.
func (t tee) Recall(m msgs.Raw) { t.topic.show(m) }
