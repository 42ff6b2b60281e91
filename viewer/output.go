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
	next   replay.Output // nil if there is no other output
	topics *topics       // nil if there are no viewers; set before the player runs
}

// NewOutput returns an output for viewers and next, which may be nil.
func NewOutput(next replay.Output) *Output { return &Output{next: next} }

// Advertise implements replay.Output.
func (o *Output) Advertise(c replay.Channel) (replay.Sink, error) {
	var next replay.Sink = discard{}
	if o.next != nil {
		var err error
		if next, err = o.next.Advertise(c); err != nil {
			return nil, err
		}
	}
	if t := o.topic(c.Topic); t != nil {
		return tee{next, t}, nil
	}
	return next, nil
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

// Ready implements replay.Output.
func (o *Output) Ready(ctx context.Context) error {
	if o.next == nil {
		return nil
	}
	return o.next.Ready(ctx)
}

// PublishClock implements replay.Output. It doesn't concern viewers, who are sent the position.
func (o *Output) PublishClock(t bagstore.Time) {
	if o.next != nil {
		o.next.PublishClock(t)
	}
}

// Skipped implements replay.Skipper for the other output.
func (o *Output) Skipped() uint64 {
	if s, ok := o.next.(replay.Skipper); ok {
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

// discard is a replay.Sink without subscribers.
type discard struct{}

func (discard) Publish(m msgs.Raw) {
	if m.Owner != nil {
		m.Owner.Release()
	}
}

func (n discard) PublishWait(_ context.Context, m msgs.Raw) error {
	n.Publish(m)
	return nil
}

func (discard) Subscribers() int             { return 0 }
func (discard) Dropped() uint64              { return 0 }
func (discard) Settle(context.Context) error { return nil }
func (discard) Flush(context.Context) error  { return nil }
