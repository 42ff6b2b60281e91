// Package control lets other nodes control playback of bags and of recordings as devices, by services, topics and
// dynamic_reconfigure, and see its state on ~status.
//
// It starts no goroutine: requests run on the node's goroutines and are passed to the Player.
package control

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/replay"
	"rsros/ros"
	"rsros/ros/graph"
)

// Player is controlled by a Remote: a replay.Player or a recorded.Device. Do returns
// replay.ErrNoChange if there is nothing to do.
type Player interface {
	Do(context.Context, replay.Command) error
	Status() replay.Status
}

// Remote lets other nodes control a player and see its state. Closing the node closes it, too.
type Remote struct {
	// Details returns additional values for ~status. It is set before the first Publish; nil: there are none.
	Details func(replay.Status) []msgs.KeyValue

	player      Player
	node        *ros.Node
	log         zerolog.Logger
	status      *ros.Publisher
	services    graph.Services
	subscribers []*ros.Subscriber
	parameters  *graph.Reconfigure
	published   atomic.Pointer[replay.Status] // the values of parameters
	ctx         context.Context               // ends with Close
	cancel      context.CancelFunc
}

// Offer returns a Remote with the controls that every playback has.
func Offer(n *ros.Node, p Player, log zerolog.Logger) (c *Remote, err error) {
	c = &Remote{player: p, node: n, log: log}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	typ := msgs.MustType("diagnostic_msgs/DiagnosticStatus")
	if c.status, err = n.Advertise(ros.PublisherOptions{Topic: "~status", Type: typ, Latch: true, Queue: 10}); err != nil {
		return nil, err
	}
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
	c.parameters, err = graph.ServeReconfigure(n, "~", parameters(p.Status()), func() graph.Parameters {
		s := p.Status()
		c.published.Store(&s)
		return parameters(s)
	}, c.set)
	if err != nil {
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
	c.cancel()
	c.services.Close()
	for _, s := range c.subscribers {
		s.Close()
	}
}

// pause responds in rosbag play's words.
func (c *Remote) pause(ctx context.Context, on bool) (string, error) {
	command, done, already := replay.Command(replay.Resume{}), "resumed", "running."
	if on {
		command, done, already = replay.Pause{}, "paused", "paused."
	}
	err := c.player.Do(ctx, command)
	if errors.Is(err, replay.ErrNoChange) {
		return "", errors.New("Bag is already " + already) //nolint:staticcheck // the wording is rosbag's
	}
	return "Playback is now " + done, err
}

func (c *Remote) trigger(command replay.Command, done string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) { return done, c.player.Do(ctx, command) }
}

func (c *Remote) seek(r ros.Received) {
	var m msgs.Float64
	err := msgs.Unmarshal(r.Data, &m)
	if err == nil {
		err = c.player.Do(c.ctx, replay.SeekOffset{Offset: seconds(m.Data)})
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

func parameters(s replay.Status) graph.Parameters {
	return graph.Parameters{
		{Name: "paused", Description: "bag time is stopped", Default: s.State == replay.Paused},
		{Name: "loop", Description: "start again at the end", Default: s.Loop},
		{Name: "rate", Description: "seconds of bag time per second", Default: s.Rate, Min: minRate, Max: maxRate},
		{Name: "position", Description: "seconds from the start", Default: s.Position.Seconds(),
			Min: 0.0, Max: s.Length.Seconds()},
	}
}

// positionSlack is the least distance of a seek by parameter. Some clients send all values
// with each request, including the position that was last published.
const positionSlack = time.Millisecond

func (c *Remote) set(ctx context.Context, values map[string]any) error {
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
		if err := c.player.Do(ctx, command); !errors.Is(err, replay.ErrNoChange) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Publish publishes the state as ~status, and the parameters if any value other than the position has changed. It is
// called by one goroutine at a time.
func (c *Remote) Publish(s replay.Status) {
	m := statusMessage(s)
	if c.Details != nil {
		m.Values = append(m.Values, c.Details(s)...)
	}
	c.status.Publish(msgs.Raw{Head: msgs.Marshal(&m)})
	last := c.published.Load()
	if s.Rate != last.Rate || s.Loop != last.Loop || (s.State == replay.Paused) != (last.State == replay.Paused) {
		c.parameters.Publish()
	}
}

// LateWarning is the lateness above which ~status warns: one frame at 30 Hz.
const LateWarning = 33 * time.Millisecond

func statusMessage(s replay.Status) msgs.DiagnosticStatus {
	seconds := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 6, 64) }
	m := msgs.DiagnosticStatus{Level: msgs.DiagnosticOK, Name: "replay", Message: string(s.State)}
	switch {
	case s.HeldUp != "":
		m.Level = msgs.DiagnosticWarn
		m.Message += ", held up by " + s.HeldUp
	case s.Dropped > 0:
		m.Level = msgs.DiagnosticWarn
		m.Message += fmt.Sprintf(", slow subscribers lost %d messages", s.Dropped)
	case s.Skipped > 0:
		m.Level = msgs.DiagnosticWarn
		m.Message += fmt.Sprintf(", too slow to compute %d times", s.Skipped)
	case s.State == replay.Stalled:
		m.Level = msgs.DiagnosticWarn
		m.Message += ", messages aren't read in time"
	case s.Late > LateWarning:
		m.Level = msgs.DiagnosticWarn
		m.Message += fmt.Sprintf(", %v late", s.Late.Round(time.Millisecond))
	}
	m.Values = []msgs.KeyValue{
		{Key: "state", Value: string(s.State)},
		{Key: "bag time", Value: seconds(s.Time.Sub(0))},
		{Key: "position", Value: seconds(s.Position)},
		{Key: "duration", Value: seconds(s.Length)},
		{Key: "rate", Value: strconv.FormatFloat(s.Rate, 'g', -1, 64)},
		{Key: "loop", Value: strconv.FormatBool(s.Loop)},
		{Key: "round", Value: strconv.Itoa(s.Round)},
		{Key: "lateness", Value: seconds(s.Late)},
		{Key: "worst lateness", Value: seconds(s.WorstLate)},
		{Key: "stalls", Value: strconv.Itoa(s.Stalls)},
		{Key: "stalled", Value: seconds(s.Stalled)},
		{Key: "messages", Value: strconv.FormatUint(s.Messages, 10)},
		{Key: "bytes", Value: strconv.FormatUint(s.Bytes, 10)},
		{Key: "dropped", Value: strconv.FormatUint(s.Dropped, 10)},
		{Key: "skipped", Value: strconv.FormatUint(s.Skipped, 10)},
		{Key: "held up by", Value: s.HeldUp},
	}
	return m
}
