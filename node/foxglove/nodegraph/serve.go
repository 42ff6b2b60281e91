package nodegraph

import (
	"github.com/rs/zerolog"

	"rsros/node/foxglove"
	"rsros/node/graph"
)

// Serve lets clients see a node's graph and, if playback isn't nil, control it. It returns
// nil if a has no address. The Listener must be closed before the node. The URL is logged to
// log, which must not be the node's, because the URL contains the token and the node's log is
// published.
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

// Options returns the options of a server that lets clients see a node's graph and, if
// playback isn't nil, control it. The server must be closed before the node.
func Options(n *graph.Node, playback *Playback) foxglove.Options {
	o := foxglove.Options{Name: n.Name(), Graph: New(n), Log: n.Log()}
	if playback != nil {
		o.Playback = playback
	}
	return o
}
