// Package view serves the viewer's page of a node in a graph, and Foxglove's clients on
// the same port. The caller lets the [viewer.Server] show a device, a player, or what is recorded.
package view

import (
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/viewer"
	"rsros/viewer/foxglove/nodegraph"
	"rsros/viewer/guard"
)

// Access says where viewers connect and what they may do. The zero value is nowhere.
type Access struct {
	viewer.Access
	ViewOnly bool           // viewers can't change anything
	Lines    *ros.LogWriter // what they see of the log, which has to write to it; nil for nothing
	Announce func(string)   // shows the user, and nobody else, an address with a token; may be nil
}

// Options are what viewers need in addition to the node.
type Options struct {
	Access
	RecordDir string              // of recordings that viewers start
	Playback  *nodegraph.Playback // for Foxglove's clients; nil without a player
}

// Serve serves viewers of a node, who see nothing at first. The server and the listener are
// nil if there is no address. The caller closes the listener before the node, and before
// what the server shows.
func Serve(n *graph.Node, o Options) (*viewer.Server, *guard.Listener, error) {
	if o.Address == "" {
		return nil, nil, nil
	}
	s, err := viewer.New(viewer.Options{RecordDir: o.RecordDir, ViewOnly: o.ViewOnly, Foxglove: nodegraph.Options(n, o.Playback),
		Log: n.Log().With().Str("component", "view").Logger(), Lines: o.Lines, Node: n.Name()})
	if err != nil {
		return nil, nil, err
	}
	l, err := viewer.Listen(o.Access.Access, s)
	if err == nil {
		log := n.Log()
		log.Info().Stringer("url", l.URL()).Msg("serving the viewer")
		if secret := l.URL().Secret(); o.Announce != nil && secret != l.URL().String() {
			o.Announce(secret)
		}
	}
	return s, l, err
}
