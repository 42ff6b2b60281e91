package control

import (
	"context"
	"errors"
	"sync"
	"time"

	"rsros/msgs"
	"rsros/node/graph"
	"rsros/node/replay"
	"rsros/node/ros"
)

// reconfigure offers rate, position, loop and paused as parameters of
// dynamic_reconfigure.
type reconfigure struct {
	player Player
	topics *graph.ParameterTopics

	mu   sync.Mutex
	last replay.Status // as last published
}

func newReconfigure(n *ros.Node, p Player) (_ *reconfigure, err error) {
	r := &reconfigure{player: p}
	if r.topics, err = graph.AdvertiseParameters(n, "~"); err != nil {
		return nil, err
	}
	if err := r.topics.Serve(r.set); err != nil {
		return nil, err
	}
	s := p.Status()
	r.topics.Describe(parameters(s))
	r.publish(s)
	return r, nil
}

// Bounds of the rate.
const minRate, maxRate = 0.01, 100.0

// parameters returns the parameters with the player's values.
func parameters(s replay.Status) graph.Parameters {
	return graph.Parameters{
		{Name: "paused", Description: "bag time is stopped", Default: s.State == replay.Paused},
		{Name: "loop", Description: "start again at the end", Default: s.Loop},
		{Name: "rate", Description: "seconds of bag time per second", Default: s.Rate, Min: minRate, Max: maxRate},
		{Name: "position", Description: "seconds from the start", Default: s.Position.Seconds(), Min: 0.0, Max: s.Length.Seconds()},
	}
}

// set executes a request for some of the parameters and returns the resulting values.
func (r *reconfigure) set(m *msgs.Config) (*msgs.Config, error) {
	r.mu.Lock()
	published := r.last.Position
	r.mu.Unlock()
	var errs []error
	ctx := context.Background()
	note := func(err error) {
		if !errors.Is(err, replay.ErrNoChange) {
			errs = append(errs, err)
		}
	}
	for _, p := range m.Doubles {
		switch {
		case p.Name == "rate":
			note(r.player.SetRate(ctx, min(max(p.Value, minRate), maxRate)))
		case p.Name == "position" && changedPosition(p.Value, published):
			note(r.player.Seek(ctx, seconds(p.Value)))
		}
	}
	for _, p := range m.Bools {
		switch {
		case p.Name == "loop":
			note(r.player.SetLoop(ctx, p.Value))
		case p.Name == "paused" && p.Value:
			note(r.player.Pause(ctx))
		case p.Name == "paused":
			note(r.player.Resume(ctx))
		}
	}
	s := r.player.Status()
	r.publish(s)
	config := parameters(s).Config(nil)
	return &config, errors.Join(errs...)
}

// changedPosition reports whether a request asks for a seek. Some clients send all
// values with each request, including the position that was last published.
func changedPosition(value float64, published time.Duration) bool {
	return (seconds(value) - published).Abs() > positionSlack
}

const positionSlack = time.Millisecond

// changed publishes the values if any other than the position has changed.
func (r *reconfigure) changed(s replay.Status) {
	r.mu.Lock()
	same := s.Rate == r.last.Rate && s.Loop == r.last.Loop && (s.State == replay.Paused) == (r.last.State == replay.Paused)
	r.mu.Unlock()
	if !same {
		r.publish(s)
	}
}

func (r *reconfigure) publish(s replay.Status) {
	config := parameters(s).Config(nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = s
	r.topics.Publish(&config)
}
