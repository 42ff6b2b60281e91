package nodegraph

import (
	"github.com/rs/zerolog"

	"rsros/node/foxglove"
	"rsros/node/graph"
)

// Serve lets clients see a node's graph and, if it isn't nil, control playback. It
// returns nil if a has no address. The Listener is closed before the node. The address
// is logged to log, which mustn't be the node's: with the token, it isn't for the graph.
func Serve(n *graph.Node, a foxglove.Access, playback *Playback, log zerolog.Logger) (*foxglove.Listener, error) {
	if a.Address == "" {
		return nil, nil
	}
	l, err := foxglove.Listen(a, Options(n, playback))
	if err != nil {
		return nil, err
	}
	log.Info().Str("url", l.URL()).Bool("view only", a.ViewOnly).Msg("Foxglove and Lichtblick can connect")
	return l, nil
}

// Options are those of a server that lets clients see a node's graph and, if it isn't nil,
// control playback. The server is closed before the node.
func Options(n *graph.Node, playback *Playback) foxglove.Options {
	o := foxglove.Options{Name: n.Name(), Graph: New(n), Log: n.Log()}
	if playback != nil {
		o.Playback = playback
	}
	return o
}
