package record

import (
	"context"
	"fmt"

	"rsros/ros/graph"
)

// Control pauses, continues, splits, marks or triggers a recording, and returns what to say about it. Only "pause"
// needs on.
func (r *Recording) Control(do string, on bool) (string, error) {
	switch do {
	case "pause":
		r.Pause(on)
		if on {
			return "recording is paused", nil
		}
		return "recording goes on", nil
	case "split":
		r.Split()
		return "a new file begins with what comes next", nil
	case "mark":
		return r.Mark(), nil
	case "trigger":
		return r.Trigger()
	}
	return "", fmt.Errorf("a recording can't %s", do)
}

// services returns those of Topics.
func (r *Recording) services() []graph.Service {
	trigger := func(do string) graph.Service {
		return graph.Trigger("~"+do, func(context.Context) (string, error) { return r.Control(do, true) })
	}
	return []graph.Service{
		trigger("trigger"), trigger("mark"), trigger("split"),
		graph.SetBool("~pause_recording", func(_ context.Context, on bool) (string, error) { return r.Control("pause", on) }),
		graph.Trigger("~stop_recording", func(context.Context) (string, error) {
			r.Stop()
			return "recording ends", nil
		}),
	}
}
