package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/node/bridge"
	"rsros/node/naming"
	"rsros/node/transport"
	"rsros/program"
	"rsros/replay"
	"rsros/ros"
)

// output publishes a player's messages. Only the player's goroutine may use it.
type output struct {
	ctx       context.Context // ends with the playback
	node      *ros.Node
	mirror    *bridge.Mirror // in ROS 2; nil without
	queue     int
	bytes     int64
	immediate bool
	clock     *ros.Publisher // nil without /clock
	encoder   msgs.Encoder
	sinks     []*sink
	problems  []string
	images    map[string]transport.Options // the topics with compressed transports, by recorded name
	wrapper   *naming.Source               // nil if the bags' own messages are played
}

func newOutput(ctx context.Context, n *ros.Node, o *Options) (*output, error) {
	out := &output{ctx: ctx, node: n, queue: o.Queue, immediate: o.Replay.Immediate}
	switch {
	case o.Replay.Immediate:
		out.bytes = immediateBytes
	case o.Queue < 0:
		out.bytes = -1
	}
	if o.Replay.ClockHz == 0 {
		return out, nil
	}
	typ := msgs.MustType("rosgraph_msgs/Clock")
	clock, err := n.Advertise(ros.PublisherOptions{Topic: "/clock", Type: typ, Queue: o.Queue})
	out.clock = clock
	return out, err
}

// Advertise advertises a channel under its recorded publisher's name, so that recordings
// of the replay keep publishers apart.
func (o *output) Advertise(c replay.Channel) (replay.Sink, error) {
	p, err := transport.Advertise(o.ctx, o.node, ros.PublisherOptions{
		Topic: c.Topic, Type: c.Type, CallerID: c.CallerID,
		Latch: c.Latch, LatchAll: c.LatchAll, BestEffort: c.BestEffort, Queue: o.queue, QueueBytes: o.bytes,
	}, o.transports(c.Topic))
	if err != nil {
		return nil, err
	}
	sink := &sink{out: o, Publisher: p}
	o.sinks = append(o.sinks, sink)
	return sink, nil
}

// transports returns the options of compressed transports. name may be the recorded one after a prefix.
func (o *output) transports(name string) (images transport.Options) {
	for recorded, options := range o.images {
		if strings.HasSuffix(name, recorded) {
			images = options
			images.Wait = o.immediate
		}
	}
	return images
}

// Ready waits until the master knows all topics, and nodes of ROS 2 could find them.
func (o *output) Ready(ctx context.Context) error {
	if err := o.node.Sync(ctx); err != nil {
		return err
	}
	return o.mirror.Ready(ctx)
}

func (*output) Reads(replay.Channel) bool { return false }

// PublishClock publishes /clock.
func (o *output) PublishClock(t bagstore.Time) {
	o.encoder.B = o.encoder.B[:0]
	o.encoder.Time(msgs.Time(t))
	o.clock.Publish(msgs.Raw{Head: o.encoder.B})
}

type sink struct {
	*transport.Publisher
	out *output
}

func (s *sink) Publish(ctx context.Context, m msgs.Raw) error {
	if !s.out.immediate {
		s.Publisher.Publish(m)
		return nil
	}
	if err := s.Settle(ctx); err != nil {
		if m.Owner != nil {
			m.Owner.Release()
		}
		return err
	}
	return s.PublishWait(ctx, s.Share(m))
}

func (s *sink) Room(ctx context.Context, size int64) error {
	if s.Settle(ctx) != nil {
		return fmt.Errorf("a subscriber of %s in compressed form: %w", s.Topic(), context.Cause(ctx))
	}
	return s.Publisher.Room(ctx, size)
}

func (s *sink) Subscribers() int {
	if n := s.Publisher.Subscribers(); n > 0 || !s.Wanted() {
		return n
	}
	return 1
}

// flushPatience is the wait at the end for a subscriber that reads nothing.
const flushPatience = 5 * time.Second

// Settle waits for the transports.
func (o *output) Settle(ctx context.Context) error {
	for _, s := range o.sinks {
		if err := s.Settle(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Flush waits while the subscribers make progress.
func (o *output) Flush(ctx context.Context) error {
	for _, s := range o.sinks {
		for _, p := range s.All() {
			if err := o.flush(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *output) flush(ctx context.Context, p *ros.Publisher) error {
	for {
		before := sent(p.Stats())
		patience, cancel := context.WithTimeout(ctx, flushPatience)
		err := p.Flush(patience)
		cancel()
		switch {
		case err == nil || ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(err, context.DeadlineExceeded):
			return err
		case sent(p.Stats()) == before:
			o.problems = append(o.problems, fmt.Sprintf("a subscriber of %s doesn't read its last messages", p.Topic()))
			return nil
		}
	}
}

// leave waits until subscribers have read everything, before the node is closed.
func (o *output) leave(ctx context.Context) {
	if o.wrapper != nil {
		o.wrapper.Close()
		o.problems = append(o.problems, o.wrapper.Problems()...)
	}
	ctx, cancel := context.WithTimeout(ctx, flushPatience)
	defer cancel()
	if err := errors.Join(o.mirror.Drain(ctx), o.node.Drain(ctx)); errors.Is(err, context.DeadlineExceeded) {
		o.problems = append(o.problems, "a subscriber doesn't read its last messages")
	}
}

func (o *output) close() {
	for _, s := range o.sinks {
		s.Close()
	}
}

// Losses counts the drops of subscribers of the topics and their transports, and images that weren't compressed in
// time.
func (o *output) Losses() (dropped, skipped uint64) {
	for _, l := range o.mirror.Lost() {
		dropped += l.Messages
	}
	for _, s := range o.sinks {
		for _, p := range s.All() {
			dropped += p.Dropped()
		}
		for _, d := range s.Drops() {
			skipped += d.Dropped
		}
	}
	return dropped, skipped
}

func sent(s ros.PublisherStats) (n uint64) {
	for _, sub := range s.Subscribers {
		n += sub.Messages
	}
	return n
}

// describeSkipped describes what was skipped, one text per topic.
func (o *output) describeSkipped() (list []string) {
	if o.wrapper != nil && o.wrapper.Skipped() > 0 {
		list = append(list, program.Count(o.wrapper.Skipped(), "frame set")+" weren't processed in time")
	}
	for _, s := range o.sinks {
		for _, d := range s.Drops() {
			if d.Dropped > 0 {
				list = append(list, fmt.Sprintf("%s of %s weren't compressed in time", program.Count(d.Dropped, "image"), d.Topic))
			}
		}
	}
	return list
}

func describe(l bridge.Loss) string {
	return fmt.Sprintf("%s of %s by %s", program.Count(l.Messages, "message"), l.Topic, cmp.Or(l.Subscriber, "others"))
}

// losses returns what slow subscribers lost, sorted by topic and subscriber.
func (o *output) losses() []bridge.Loss {
	list := o.mirror.Lost()
	seen := make(map[string]bool) // several publishers share a topic's subscribers
	for _, s := range o.sinks {
		for _, p := range s.All() {
			if seen[p.Topic()] {
				continue
			}
			seen[p.Topic()] = true
			for subscriber, n := range p.Lost() {
				list = append(list, bridge.Loss{Topic: p.Topic(), Subscriber: subscriber, Messages: n})
			}
		}
	}
	slices.SortFunc(list, bridge.Loss.Compare)
	return list
}

func (o *output) details(s replay.Status) (values []msgs.KeyValue) {
	if s.Dropped == 0 {
		return nil
	}
	for _, l := range o.losses() {
		values = append(values, msgs.KeyValue{Key: "dropped " + l.Topic + " " + l.Subscriber,
			Value: strconv.FormatUint(l.Messages, 10)})
	}
	return values
}

// logEnd logs what was played, and returns what was lost unless lossyOK.
func (o *output) logEnd(log zerolog.Logger, s replay.Status, bags []string, lossyOK bool) (lost []string) {
	losses, skips := o.losses(), o.describeSkipped()
	dropped, _ := o.Losses()
	made := program.Summary{Verb: "played", Paths: bags, Size: int64(s.Bytes), Counts: []string{
		program.Count(s.Messages, "message"), fmt.Sprintf("at most %v late", s.WorstLate.Round(time.Microsecond))}}
	if s.Stalls > 0 {
		made.Losses = append(made.Losses,
			fmt.Sprintf("%s, %v in all", program.Count(s.Stalls, "stall"), s.Stalled.Round(time.Millisecond)))
	}
	if dropped > 0 {
		lost = append(lost, lossText(dropped, losses))
		made.Losses = append(made.Losses, lost...)
	}
	log.Info().Msg(made.String())
	for _, l := range losses {
		log.Warn().Str("topic", l.Topic).Str("subscriber", l.Subscriber).Uint64("lost", l.Messages).
			Msg("a slow subscriber lost messages")
	}
	for _, text := range skips {
		log.Warn().Msg("the computer is too slow: " + text)
	}
	if lossyOK {
		return nil
	}
	return append(lost, skips...)
}

func lossText(dropped uint64, list []bridge.Loss) string {
	const most = 10 // subscribers named
	text := "slow subscribers lost " + program.Count(dropped, "message")
	var each []string
	for _, l := range list[:min(len(list), most)] {
		each = append(each, describe(l))
	}
	if len(list) > most {
		each = append(each, fmt.Sprintf("and %d more", len(list)-most))
	}
	if len(each) == 0 {
		return text
	}
	return text + ": " + strings.Join(each, ", ")
}
