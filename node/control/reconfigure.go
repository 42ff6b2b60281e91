package control

import (
	"errors"
	"time"

	"rsros/node/graph"
	"rsros/node/replay"
)

// Bounds of the rate.
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

// set executes a request for some of the parameters.
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
