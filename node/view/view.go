// Package view serves the viewer's page of a node in a graph, and Foxglove's clients on
// the same port. The caller lets the [viewer.Server] show a device, a player, or what is recorded.
package view

import (
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/viewer"
	"rsros/viewer/foxglove"
	"rsros/viewer/guard"
)

// Access says where viewers connect and what they may do. The zero value is nowhere.
type Access struct {
	guard.Access
	ViewOnly bool           `setting:"view-only"` // viewers can't change anything
	Lines    *ros.LogWriter // what they see of the log, which has to write to it; nil for nothing
	Announce func(string)   // shows the user, and nobody else, an address with a token; may be nil
}

// Options are what viewers need in addition to the node.
type Options struct {
	Access
	RecordDir string               // of recordings that viewers start
	Playback  bool                 // Foxglove's clients may control the playback of what is shown
	Attach    func(*viewer.Server) // if not nil, shows something before viewers connect
}

// Foxglove returns the options of a server that shows Foxglove's clients the graph of a node. The
// node must outlive the server.
func Foxglove(n *graph.Node) foxglove.Options {
	return foxglove.Options{Name: n.Name(), Source: nodeGraph{n}, Log: n.Log()}
}

// Serve serves viewers of a node. The server and the listener are nil if there is no address. The caller closes the
// listener before the node, and before what the server shows.
func Serve(n *graph.Node, o Options) (*viewer.Server, *guard.Listener, error) {
	if o.Address == "" {
		return nil, nil, nil
	}
	log := n.Log().With().Str("component", "view").Logger()
	s, err := viewer.New(viewer.Options{
		RecordDir: o.RecordDir, ViewOnly: o.ViewOnly, Foxglove: Foxglove(n), Playback: o.Playback,
		Log: log, Lines: o.Lines, Node: n.Name(),
	})
	if err != nil {
		return nil, nil, err
	}
	if o.Attach != nil {
		o.Attach(s)
	}
	l, err := guard.Listen(o.Access.Access, log, s)
	if err == nil {
		node := n.Log()
		node.Info().Stringer("url", l.URL()).Msg("serving the viewer")
		if secret := l.URL().Secret(); o.Announce != nil && secret != l.URL().String() {
			o.Announce(secret)
		}
	}
	return s, l, err
}
