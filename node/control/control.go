package control

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/node/graph"
	"rsros/node/replay"
	"rsros/node/ros"
)

// Player is controlled by a Remote: a replay.Player, or a bag that plays as a device.
// Pause and Resume return replay.ErrNoChange if there is nothing to do.
type Player interface {
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

// Remote lets other nodes control a player through services, topics and
// dynamic_reconfigure. Closing the node closes it, too.
type Remote struct {
	player      Player
	node        *ros.Node
	log         zerolog.Logger
	services    graph.Services
	subscribers []*ros.Subscriber
	reconfigure *reconfigure
}

// Offer returns a Remote with the controls that every playback has.
func Offer(n *ros.Node, p Player, log zerolog.Logger) (c *Remote, err error) {
	c = &Remote{player: p, node: n, log: log}
	c.services, err = graph.Offer(c.node,
		graph.SetBool("~pause_playback", c.pause),
		graph.SetBool("/pause_playback", c.pause),
		graph.Trigger("~step", c.step(c.player.StepMessage, "one message published")),
		graph.Trigger("~step_frame_set", c.step(c.player.StepFrameSet, "one frame set published")),
		graph.Trigger("~stop", c.stop),
	)
	if err != nil {
		return nil, err
	}
	if c.reconfigure, err = newReconfigure(c.node, c.player); err != nil {
		return nil, err
	}
	return c, c.Subscribe("~seek", "std_msgs/Float64", c.seek)
}

// Changed publishes the parameters if any value other than the position has changed.
func (c *Remote) Changed(s replay.Status) { c.reconfigure.changed(s) }

// Subscribe subscribes to a topic until Close. An empty typ means any type.
func (c *Remote) Subscribe(topic, typ string, received func(ros.Received)) error {
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

// Close stops the services and the subscriptions.
func (c *Remote) Close() {
	c.services.Close()
	for _, s := range c.subscribers {
		s.Close()
	}
}

// pause responds in rosbag play's words.
func (c *Remote) pause(on bool) (string, error) {
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

func (c *Remote) step(do func(context.Context) error, done string) func() (string, error) {
	return func() (string, error) { return done, do(context.Background()) }
}

func (c *Remote) stop() (string, error) {
	return "playback stopped", c.player.Stop(context.Background())
}

// seek receives a position in seconds from the start.
func (c *Remote) seek(r ros.Received) {
	var m msgs.Float64
	err := msgs.Unmarshal(r.Data, &m)
	if err == nil {
		err = c.player.Seek(context.Background(), seconds(m.Data))
	}
	if err != nil {
		c.log.Warn().Err(err).Msg("~seek")
	}
}

// seconds converts s to a duration, clamped to its range. NaN becomes 0.
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
