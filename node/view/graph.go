package view

import (
	"context"
	"errors"

	"rsros/node/bridge"
	"rsros/program/work"
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

// Run serves viewers of a graph until ctx ends. Foxglove's clients may connect, too. The topics of ROS 2 are carried to
// a graph that only this process knows, while somebody watches them.
func Run(ctx context.Context, join graph.JoinOptions, world bridge.Worlds, o viewer.RunOptions) (err error) {
	title := join.ROS.MasterURI
	if world == bridge.ROS2 {
		join.Master, title = graph.Private, "ROS 2"
	}
	n, err := graph.Join(ctx, join)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	ctx, cancel := n.UntilDone(ctx)
	defer cancel()
	if world == bridge.ROS2 {
		carry := bridge.CarryOptions{ROS: join.ROS, All: true, Log: join.Log}
		carry.ROS.MasterURI, carry.ROS.Name = n.MasterURI(), ""
		failed := make(chan error, 1)
		stop := work.Run(ctx, func(ctx context.Context) {
			failed <- bridge.Carry(ctx, carry)
			cancel() // without it there is nothing to see
		})
		defer func() {
			stop()
			err = errors.Join(err, <-failed)
		}()
	}
	o.Foxglove = Foxglove(n)
	o.Attach = func(s *viewer.Server) { s.AttachGraph(nodeGraph{n}, nil, title) }
	return viewer.Run(ctx, o)
}
