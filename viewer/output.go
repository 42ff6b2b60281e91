package viewer

import (
	"context"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/replay"
)

// Output is a replay.Output that passes a player's messages to viewers and to another
// output. Server.AttachPlayer connects it to the viewers.
type Output struct {
	replay.Output         // the other one
	topics        *topics // nil if there are no viewers; set before the player runs
}

// NewOutput returns an output for viewers and next.
func NewOutput(next replay.Output) *Output { return &Output{Output: next} }

// Advertise implements replay.Output.
func (o *Output) Advertise(c replay.Channel) (replay.Sink, error) {
	next, err := o.Output.Advertise(c)
	if t := o.topic(c.Topic); t != nil && err == nil {
		return tee{next, t}, nil
	}
	return next, err
}

func (o *Output) topic(name string) *topic {
	if o.topics == nil {
		return nil
	}
	return o.topics.byName[name]
}

// Reads implements replay.Reader: messages that viewers get as a tree are read here.
func (o *Output) Reads(c replay.Channel) bool {
	t := o.topic(c.Topic)
	return t != nil && !t.decoded
}

// Skipped implements replay.Skipper for the other output.
func (o *Output) Skipped() uint64 {
	if s, ok := o.Output.(replay.Skipper); ok {
		return s.Skipped()
	}
	return 0
}

// tee passes messages of one topic to viewers and to another sink.
type tee struct {
	replay.Sink
	topic *topic
}

func (t tee) Publish(m msgs.Raw) { t.Sink.Publish(t.topic.pass(m)) }

func (t tee) PublishWait(ctx context.Context, m msgs.Raw) error {
	return t.Sink.PublishWait(ctx, t.topic.pass(m))
}

func (t tee) Subscribers() int { return t.Sink.Subscribers() + t.topic.watcherCount() }

// Recall implements replay.Recaller. Only viewers need it: ROS subscribers have received the message.
func (t tee) Recall(m msgs.Raw) { t.topic.show(m) }

// discard is a replay.Output, and the replay.Sink of all channels, without subscribers.
type discard struct{}

func (d discard) Advertise(replay.Channel) (replay.Sink, error) { return d, nil }

func (discard) Publish(m msgs.Raw) {
	if m.Owner != nil {
		m.Owner.Release()
	}
}

func (n discard) PublishWait(_ context.Context, m msgs.Raw) error {
	n.Publish(m)
	return nil
}

func (discard) Ready(context.Context) error  { return nil }
func (discard) PublishClock(bagstore.Time)   {}
func (discard) Subscribers() int             { return 0 }
func (discard) Dropped() uint64              { return 0 }
func (discard) Settle(context.Context) error { return nil }
func (discard) Flush(context.Context) error  { return nil }
