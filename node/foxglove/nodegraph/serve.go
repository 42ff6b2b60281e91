package nodegraph

import (
	"net/http"

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
	o := options(n, playback)
	l, err := foxglove.Listen(a, o)
	if err != nil {
		return nil, err
	}
	log.Info().Str("url", l.URL()).Bool("view only", a.ViewOnly).Msg("Foxglove and Lichtblick can connect")
	return l, nil
}

// Server lets clients that come through another server's listener see a node's graph and,
// if it isn't nil, control playback. The caller closes it before the node.
func Server(n *graph.Node, playback *Playback, viewOnly bool) *foxglove.Server {
	o := options(n, playback)
	if !viewOnly {
		o.Control = func(*http.Request) bool { return true }
	}
	return foxglove.New(o)
}

func options(n *graph.Node, playback *Playback) foxglove.Options {
	o := foxglove.Options{Name: n.Name(), Graph: New(n), Log: n.Log()}
	if playback != nil {
		o.Playback = playback
	}
	return o
}
