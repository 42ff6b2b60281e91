package bridge

import (
	"context"

	"rsros/record/source"
	"rsros/ros/graph"
)

// JoinROS2 is record.Options.Join: a node whose topics and services are those of the recording's control, in ROS 2, and
// the graph that is recorded.
func JoinROS2(ctx context.Context, join graph.JoinOptions) (*graph.Node, source.Graph, func() error, error) {
	n, m, err := Join(ctx, ROS2, join, Options{})
	if err != nil {
		return nil, nil, nil, err
	}
	topics := source.NewROS2(m.to, m.log)
	return n, topics, func() error {
		topics.Close()
		m.Close()
		return n.Close()
	}, nil
}
