package record

import (
	"context"

	"rsros/ros/graph"
)

// services returns those of Topics.
func (r *Recording) services() []graph.Service {
	trigger := func(name string, do func() (string, error)) graph.Service {
		return graph.Trigger(name, func(context.Context) (string, error) { return do() })
	}
	return []graph.Service{
		trigger("~trigger", r.Trigger),
		trigger("~mark", func() (string, error) { return r.Mark(), nil }),
		graph.SetBool("~pause_recording", func(_ context.Context, on bool) (string, error) {
			r.Pause(on)
			if on {
				return "recording is paused", nil
			}
			return "recording goes on", nil
		}),
		trigger("~split", func() (string, error) {
			r.Split()
			return "the next message begins a new file", nil
		}),
		trigger("~stop_recording", func() (string, error) {
			r.Stop()
			return "recording ends", nil
		}),
	}
}
