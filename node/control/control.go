// Package control lets other nodes control playback of bags and of recordings as
// devices, by services, topics and dynamic_reconfigure (Remote). It also publishes the
// state on ~status (Status).
//
// It starts no goroutine: requests run on the node's goroutines and are passed to the
// Player.
package control

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/node/graph"
	"rsros/node/replay"
	"rsros/node/ros"
)

// Player is controlled by a Remote: a replay.Player, or a bag that plays as a device, which
// executes the commands that a Remote gives. Do returns replay.ErrNoChange if there is
// nothing to do.
type Player interface {
	Do(context.Context, replay.Command) error
	Status() replay.Status
}

// Remote lets other nodes control a player. Closing the node closes it, too.
type Remote struct {
	player      Player
	node        *ros.Node
	log         zerolog.Logger
	services    graph.Services
	subscribers []*ros.Subscriber
	parameters  *graph.Reconfigure
	published   atomic.Pointer[replay.Status] // the values of parameters
}

// Offer returns a Remote with the controls that every playback has.
func Offer(n *ros.Node, p Player, log zerolog.Logger) (c *Remote, err error) {
	c = &Remote{player: p, node: n, log: log}
	c.services, err = graph.Offer(c.node,
		graph.SetBool("~pause_playback", c.pause),
		graph.SetBool("/pause_playback", c.pause),
		graph.Trigger("~step", c.trigger(replay.StepMessage{}, "one message published")),
		graph.Trigger("~step_frame_set", c.trigger(replay.StepFrameSet{}, "one frame set published")),
		graph.Trigger("~stop", c.trigger(replay.Stop{}, "playback stopped")),
	)
	if err != nil {
		return nil, err
	}
	if err := c.offerParameters(); err != nil {
		return nil, err
	}
	return c, c.Subscribe("~seek", "std_msgs/Float64", c.seek)
}

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

func (c *Remote) do(command replay.Command) error { return c.player.Do(context.Background(), command) }

// pause responds in rosbag play's words.
func (c *Remote) pause(on bool) (string, error) {
	command, done, already := replay.Command(replay.Resume{}), "resumed", "running."
	if on {
		command, done, already = replay.Pause{}, "paused", "paused."
	}
	err := c.do(command)
	if errors.Is(err, replay.ErrNoChange) {
		return "", errors.New("Bag is already " + already) //nolint:staticcheck // the wording is rosbag's
	}
	return "Playback is now " + done, err
}

func (c *Remote) trigger(command replay.Command, done string) func() (string, error) {
	return func() (string, error) { return done, c.do(command) }
}

// seek receives a position in seconds from the start.
func (c *Remote) seek(r ros.Received) {
	var m msgs.Float64
	err := msgs.Unmarshal(r.Data, &m)
	if err == nil {
		err = c.do(replay.SeekOffset{Offset: seconds(m.Data)})
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

const minRate, maxRate = 0.01, 100.0

// parameters returns the parameters of dynamic_reconfigure with the player's values.
func parameters(s replay.Status) graph.Parameters {
	return graph.Parameters{
		{Name: "paused", Description: "bag time is stopped", Default: s.State == replay.Paused},
		{Name: "loop", Description: "start again at the end", Default: s.Loop},
		{Name: "rate", Description: "seconds of bag time per second", Default: s.Rate, Min: minRate, Max: maxRate},
		{Name: "position", Description: "seconds from the start", Default: s.Position.Seconds(), Min: 0.0, Max: s.Length.Seconds()},
	}
}

func (c *Remote) offerParameters() (err error) {
	c.parameters, err = graph.ServeReconfigure(c.node, "~", parameters(c.player.Status()), func() graph.Parameters {
		s := c.player.Status()
		c.published.Store(&s)
		return parameters(s)
	}, c.set)
	return err
}

// positionSlack is the least distance of a seek by parameter. Some clients send all values
// with each request, including the position that was last published.
const positionSlack = time.Millisecond

func (c *Remote) set(values map[string]any) error {
	var commands []replay.Command
	if rate, ok := values["rate"].(float64); ok {
		commands = append(commands, replay.SetRate{Rate: min(max(rate, minRate), maxRate)})
	}
	if at, ok := values["position"].(float64); ok && (seconds(at)-c.published.Load().Position).Abs() > positionSlack {
		commands = append(commands, replay.SeekOffset{Offset: seconds(at)})
	}
	if on, ok := values["loop"].(bool); ok {
		commands = append(commands, replay.SetLoop{On: on})
	}
	switch values["paused"] {
	case true:
		commands = append(commands, replay.Pause{})
	case false:
		commands = append(commands, replay.Resume{})
	}
	var errs []error
	for _, command := range commands {
		if err := c.do(command); !errors.Is(err, replay.ErrNoChange) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Changed publishes the parameters if any value other than the position has changed.
func (c *Remote) Changed(s replay.Status) {
	last := c.published.Load()
	if s.Rate != last.Rate || s.Loop != last.Loop || (s.State == replay.Paused) != (last.State == replay.Paused) {
		c.parameters.Publish()
	}
}
