package view

import (
	"context"
	"errors"

	"rsros/record"
	"rsros/ros/graph"
	"rsros/viewer"
)

// ShowRecording serves viewers of a recording: they see what is recorded, and control it.
func ShowRecording(o Options) func(*graph.Node, *record.Recording) (close func() error, err error) {
	return func(n *graph.Node, r *record.Recording) (func() error, error) {
		o.Attach = func(s *viewer.Server) { s.AttachGraph(nodeGraph{n}, r, n.Name()) }
		_, l, err := Serve(n, o)
		return l.Close, err
	}
}

// Run serves viewers of a graph until ctx ends. Foxglove's clients may connect, too.
func Run(ctx context.Context, join graph.JoinOptions, o viewer.RunOptions) (err error) {
	n, err := graph.Join(ctx, join)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	ctx, cancel := n.UntilDone(ctx)
	defer cancel()
	o.Foxglove = Foxglove(n)
	o.Attach = func(s *viewer.Server) { s.AttachGraph(nodeGraph{n}, nil, join.ROS.MasterURI) }
	return viewer.Run(ctx, o)
}
