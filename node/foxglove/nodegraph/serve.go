package nodegraph

import (
	"rsros/node/foxglove"
	"rsros/node/graph"
)

// Serve lets clients see a node's graph and, if it isn't nil, control playback. It
// returns nil if a has no address. The Listener is closed before the node.
func Serve(n *graph.Node, a foxglove.Access, playback *Playback) (*foxglove.Listener, error) {
	if a.Address == "" {
		return nil, nil
	}
	log := n.Log()
	o := foxglove.Options{Name: n.Name(), Graph: New(n), Log: log}
	if playback != nil {
		o.Playback = playback
	}
	l, err := foxglove.Listen(a, o)
	if err != nil {
		return nil, err
	}
	log.Info().Str("url", l.URL()).Bool("view only", a.ViewOnly).Msg("Foxglove and Lichtblick can connect")
	return l, nil
}
