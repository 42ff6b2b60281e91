package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/rs/zerolog"

	"rsros/node/ros"
	"rsros/program"
)

// JoinOptions say which graph a program joins, and under which name.
type JoinOptions struct {
	ROS    Config
	Master Mode // default ROS

	// Name is the node's name if ROS has none. With Unique it is made unique, as
	// the names of rosbag's nodes are.
	Name   string
	Unique bool

	Log zerolog.Logger
}

// Node is a node in a graph, and the master that was started for it, if one was.
type Node struct {
	*ros.Node
	masterURI  string
	stopMaster func()
}

// Join makes sure that there is a master as o.Master says, and starts the node.
// It doesn't wait for a master that is to run elsewhere.
//
// program.ErrUsage if a name, remap or address makes no sense; program.ErrNoMaster
// if the master can't be started.
func Join(ctx context.Context, o JoinOptions) (*Node, error) {
	if o.ROS.Name == "" {
		o.ROS.Name, o.ROS.Anonymous = o.Name, o.Unique
	}
	stop, err := connect(ctx, cmp.Or(o.Master, ROS), &o.ROS, o.Log)
	if err != nil {
		return nil, err
	}
	o.ROS.Log = o.Log
	n, err := ros.NewNode(ctx, o.ROS)
	if err != nil {
		stop()
		if errors.Is(err, ros.ErrConfig) {
			return nil, fmt.Errorf("%w: %w", program.ErrUsage, err)
		}
		return nil, fmt.Errorf("start the node: %w", err)
	}
	return &Node{Node: n, masterURI: o.ROS.MasterURI, stopMaster: stop}, nil
}

// Close leaves the graph, and then stops the master that was started for the
// node.
func (n *Node) Close() error {
	err := n.Node.Close()
	n.stopMaster()
	return err
}
