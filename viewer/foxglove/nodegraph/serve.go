package nodegraph

import (
	"rsros/ros/graph"
	"rsros/viewer/foxglove"
)

// Options returns the options of a server that lets clients see a node's graph and, if
// playback isn't nil, control it. The server must be closed before the node.
func Options(n *graph.Node, playback *Playback) foxglove.Options {
	o := foxglove.Options{Name: n.Name(), Graph: New(n), Log: n.Log()}
	if playback != nil {
		o.Playback = playback
	}
	return o
}
