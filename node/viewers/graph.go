package viewers

import (
	"context"
	"slices"

	"rsros/msgs"
	"rsros/node/foxglove"
	"rsros/node/foxglove/nodegraph"
	"rsros/node/graph"
	"rsros/node/record"
	"rsros/node/view"
)

// topics is a node's graph as view.Graph.
type topics struct{ *nodegraph.Graph }

// Follow implements view.Graph.
func (g topics) Follow(changed func(map[string]msgs.Type)) (stop func()) {
	return g.Graph.Follow(func(s *foxglove.State) {
		types := make(map[string]msgs.Type)
		for _, t := range s.Topics {
			types[t.Name] = t.Type
		}
		changed(types)
	})
}

// Subscribe implements view.Graph.
func (g topics) Subscribe(topic string, typ msgs.Type, deliver func(msgs.Raw)) (stop func(), err error) {
	return g.Graph.Subscribe(foxglove.Topic{Name: topic, Type: typ}, func(m foxglove.Message) {
		m.Retain()
		deliver(rawOf(m))
	})
}

// rawOf makes a message of three parts at most of what is shared. It owns a reference.
func rawOf(m foxglove.Message) msgs.Raw {
	r := msgs.Raw{Time: m.Time, Owner: m}
	switch parts := m.Content(nil); len(parts) {
	case 0:
	case 1:
		r.Body = parts[0]
	case 2:
		r.Head, r.Body = parts[0], parts[1]
	default:
		r.Head, r.Body, r.Tail = parts[0], parts[1], slices.Concat(parts[2:]...)
	}
	return r
}

// ShowRecording serves viewers of a recording: they see what is recorded, and control it.
func ShowRecording(o Options) func(*graph.Node, *record.TopicRecording) (close func() error, err error) {
	return func(n *graph.Node, r *record.TopicRecording) (func() error, error) {
		l, err := Serve(n, o)
		if l == nil {
			return l.Close, err
		}
		detach := l.Page.AttachGraph(topics{nodegraph.New(n)}, r, n.Name())
		return func() error {
			detach()
			return l.Close()
		}, nil
	}
}

// Run serves viewers of a graph until ctx ends. Foxglove's clients may connect, too.
func Run(ctx context.Context, join graph.JoinOptions, o view.RunOptions) (err error) {
	n, err := graph.Join(ctx, join)
	if err != nil {
		return err
	}
	defer n.Close() //nolint:errcheck // it publishes nothing
	ctx, cancel := graph.UntilKilled(ctx, n.Node)
	defer cancel()
	others := nodegraph.Server(n, nil, o.ViewOnly)
	defer others.Close()
	o.Others = others
	o.Attach = func(s *view.Server) (detach func()) {
		return s.AttachGraph(topics{nodegraph.New(n)}, nil, join.ROS.MasterURI)
	}
	return view.Run(ctx, o)
}
