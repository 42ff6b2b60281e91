package node

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/node/replay"
	"rsros/node/ros"
)

// steered is what playback controls work on: a player, or a bag that plays as a
// device. Each method returns when it is done. Pause and Resume return
// replay.ErrNoChange where there is nothing to do.
type steered interface {
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
	StepMessage(ctx context.Context) error
	StepFrameSet(ctx context.Context) error
	Seek(ctx context.Context, offset time.Duration) error // from the start of playback
	SetRate(ctx context.Context, rate float64) error
	SetLoop(ctx context.Context, on bool) error
	Stop(ctx context.Context) error
	Status() replay.Status
}

// commanded is a player that is steered by commands.
type commanded struct{ *replay.Player }

func (p commanded) Pause(ctx context.Context) error        { return p.Do(ctx, replay.Pause{}) }
func (p commanded) Resume(ctx context.Context) error       { return p.Do(ctx, replay.Resume{}) }
func (p commanded) StepMessage(ctx context.Context) error  { return p.Do(ctx, replay.StepMessage{}) }
func (p commanded) StepFrameSet(ctx context.Context) error { return p.Do(ctx, replay.StepFrameSet{}) }
func (p commanded) Stop(ctx context.Context) error         { return p.Do(ctx, replay.Stop{}) }

func (p commanded) Seek(ctx context.Context, offset time.Duration) error {
	return p.Do(ctx, replay.SeekOffset{Offset: offset})
}

func (p commanded) SetRate(ctx context.Context, rate float64) error {
	return p.Do(ctx, replay.SetRate{Rate: rate})
}

func (p commanded) SetLoop(ctx context.Context, on bool) error {
	return p.Do(ctx, replay.SetLoop{On: on})
}

// playControl is how others in the graph steer a player: services, topics and
// dynamic_reconfigure. Closing the node closes them all.
type playControl struct {
	player      steered
	node        *ros.Node
	log         zerolog.Logger
	services    offered
	subscribers []*ros.Subscriber
	reconfigure *playReconfigure
}

// offer opens the controls that every playback has.
func (c *playControl) offer() (err error) {
	c.services, err = offer(c.node, []service{
		{"~pause_playback", "std_srvs/SetBool", setBool(c.pause)},
		{"/pause_playback", "std_srvs/SetBool", setBool(c.pause)},
		{"~step", "std_srvs/Trigger", trigger(c.step(c.player.StepMessage, "one message published"))},
		{"~step_frame_set", "std_srvs/Trigger", trigger(c.step(c.player.StepFrameSet, "one frame set published"))},
		{"~stop", "std_srvs/Trigger", trigger(c.stop)},
	})
	if err != nil {
		return err
	}
	if c.reconfigure, err = newPlayReconfigure(c.node, c.player); err != nil {
		return err
	}
	return c.subscribe("~seek", "std_msgs/Float64", c.seek)
}

// listen subscribes to the topics that the options let lead a player.
func (c *playControl) listen(player *replay.Player, o *PlayOptions) error {
	if o.RateControlTopic != "" {
		control := rateControlTopic{player: player, log: c.log}
		if err := c.subscribe(o.RateControlTopic, "", control.received); err != nil {
			return err
		}
	}
	if !o.Replay.FollowClock {
		return nil
	}
	return c.subscribe("/clock", "rosgraph_msgs/Clock", func(r ros.Received) {
		var m msgs.Clock
		if msgs.Unmarshal(r.Data, &m) == nil {
			player.Submit(replay.FollowTime{Time: bagstore.Time(m.Clock)})
		}
	})
}

func (c *playControl) subscribe(topic, typ string, received func(ros.Received)) error {
	o := ros.SubscriberOptions{Topic: topic, Queue: 10, NoDelay: true}
	if typ != "" {
		o.Type = msgs.MustType(typ)
	}
	s, err := c.node.Subscribe(o, received)
	if err != nil {
		return fmt.Errorf("subscribe to %s: %w", topic, err)
	}
	c.subscribers = append(c.subscribers, s)
	return nil
}

func (c *playControl) close() {
	c.services.close()
	for _, s := range c.subscribers {
		s.Close()
	}
}

// pause answers in the words of rosbag play.
func (c *playControl) pause(on bool) (string, error) {
	do, done, already := c.player.Resume, "resumed", "running."
	if on {
		do, done, already = c.player.Pause, "paused", "paused."
	}
	err := do(context.Background())
	if errors.Is(err, replay.ErrNoChange) {
		return "", errors.New("Bag is already " + already) //nolint:staticcheck // the wording is rosbag's
	}
	return "Playback is now " + done, err
}

func (c *playControl) step(do func(context.Context) error, done string) func() (string, error) {
	return func() (string, error) { return done, do(context.Background()) }
}

func (c *playControl) stop() (string, error) {
	return "playback stopped", c.player.Stop(context.Background())
}

// seek takes seconds from the start.
func (c *playControl) seek(r ros.Received) {
	var m msgs.Float64
	err := msgs.Unmarshal(r.Data, &m)
	if err == nil {
		err = c.player.Seek(context.Background(), seconds(m.Data))
	}
	if err != nil {
		c.log.Warn().Err(err).Msg("~seek")
	}
}

// seconds is s as a duration, cut to what fits; NaN is 0.
func seconds(s float64) time.Duration {
	switch ns := s * 1e9; {
	case ns != ns:
		return 0
	case ns >= math.MaxInt64:
		return math.MaxInt64
	case ns <= math.MinInt64:
		return math.MinInt64
	default:
		return time.Duration(math.Round(ns))
	}
}

// rateControlTopic hands the stamps of any topic whose messages begin with a
// header to the player.
type rateControlTopic struct {
	player     *replay.Player
	log        zerolog.Logger
	spec       *msgs.Spec
	definition string
	warned     bool
}

func (t *rateControlTopic) received(r ros.Received) {
	if definition := r.Header["message_definition"]; t.spec == nil || definition != t.definition {
		spec, err := msgs.Parse(r.Header["type"], definition)
		if err != nil {
			t.warn(err)
			return
		}
		t.spec, t.definition = spec, definition
	}
	stamp, ok := t.spec.Stamp(r.Data)
	if !ok {
		t.warn(errors.New("its messages don't begin with a header"))
		return
	}
	t.player.Submit(replay.RateControlStamp{Stamp: bagstore.Time(stamp)})
}

func (t *rateControlTopic) warn(err error) {
	if !t.warned {
		t.log.Warn().Err(err).Msg("the rate control topic can't control the rate")
	}
	t.warned = true
}
