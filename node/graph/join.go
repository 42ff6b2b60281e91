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

	// Name is the node's name if ROS has none. Unique appends a process id and
	// a time to it, as rosbag does.
	Name   string
	Unique bool

	Log zerolog.Logger
}

// Node is a node together with the master that Join started for it, if any.
type Node struct {
	*ros.Node
	masterURI  string
	stopMaster func()
}

// Join starts a node, and before it the embedded master if o.Master asks for one.
// It doesn't wait for a master that runs elsewhere.
//
// The error wraps program.ErrUsage if a name, remap or address is invalid, and
// program.ErrNoMaster if the master can't be started.
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

// Close leaves the graph and then stops the master that Join started.
func (n *Node) Close() error {
	err := n.Node.Close()
	n.stopMaster()
	return err
}
