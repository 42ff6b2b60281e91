package view

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"rsros/msgs"
	"rsros/node/record"
)

// onlooker shows a graph: a new stage whenever its topics change.
type onlooker struct {
	server   *Server
	graph    Graph
	recorder *record.TopicRecording
	name     string
	frozen   atomic.Bool

	mu    sync.Mutex
	types map[string]msgs.Type // nil before the first were told
}

// AttachGraph shows the topics of a graph, or if r isn't nil, those of them that are
// recorded. name is what viewers read. The caller detaches the graph before it closes the
// server, and before the recording ends.
func (s *Server) AttachGraph(g Graph, r *record.TopicRecording, name string) (detach func()) {
	o := &onlooker{server: s, graph: g, recorder: r, name: name}
	stop := g.Follow(o.told)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { o.run(ctx) })
	return func() {
		stop()
		cancel()
		running.Wait()
	}
}

func (o *onlooker) told(types map[string]msgs.Type) {
	o.mu.Lock()
	o.types = types
	o.mu.Unlock()
}

// run shows what there is, until ctx ends.
func (o *onlooker) run(ctx context.Context) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	var shown map[string]msgs.Type
	for {
		if types := o.wanted(); types != nil && (shown == nil || !maps.Equal(types, shown)) {
			o.show(types)
			shown = types
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// wanted are the topics to show; nil if none are known yet.
func (o *onlooker) wanted() map[string]msgs.Type {
	o.mu.Lock()
	types := o.types
	o.mu.Unlock()
	if o.recorder == nil || types == nil {
		return types
	}
	recorded := make(map[string]msgs.Type)
	for _, name := range o.recorder.Topics() {
		if typ, known := types[name]; known {
			recorded[name] = typ
		}
	}
	return recorded
}

func (o *onlooker) show(types map[string]msgs.Type) {
	s := o.server
	s.commands.Lock()
	defer s.commands.Unlock()
	s.replace(newGraphed(s, o.graph, o.recorder, o.name, types, &o.frozen))
}
