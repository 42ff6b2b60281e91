package view

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rsros/msgs"
	"rsros/node/record"
	"rsros/node/view/wire"
)

// Graph is a running graph, whose topics viewers see.
type Graph interface {
	// Follow calls back with the types of all topics by their names, soon and after each
	// change, until stop is called. Calls don't overlap, and none is under way when stop
	// returns.
	Follow(changed func(map[string]msgs.Type)) (stop func())
	// Subscribe delivers the messages of a topic, the latched ones first, until stop is
	// called; a call that is under way then may still end. deliver releases the owner and
	// doesn't block. It may be called by several goroutines.
	Subscribe(topic string, typ msgs.Type, deliver func(msgs.Raw)) (stop func(), err error)
}

// graphed is the stage of a graph: its topics as they are at the moment. A topic is
// subscribed to while a viewer watches it.
type graphed struct {
	*topics
	graph    Graph
	recorder *record.TopicRecording // nil if nothing is recorded
	server   *Server
	source   wire.Source
	frozen   *atomic.Bool
	stop     context.CancelFunc
	running  sync.WaitGroup

	mu   sync.Mutex
	subs map[*topic]func() // how to end those that are subscribed to
}

func newGraphed(s *Server, g Graph, r *record.TopicRecording, name string, types map[string]msgs.Type, frozen *atomic.Bool) *graphed {
	of := &graphed{graph: g, recorder: r, server: s, frozen: frozen, subs: make(map[*topic]func())}
	of.topics = newTopics(of, types)
	of.source = wire.Source{Kind: "graph", Name: name, Info: [][2]string{}, Sensors: []wire.Sensor{}, Streams: of.streams(), Marks: []wire.Mark{}}
	ctx, stop := context.WithCancel(context.Background())
	of.stop = stop
	of.running.Go(func() { of.run(ctx) })
	return of
}

// run subscribes to what is watched, until ctx ends.
func (g *graphed) run(ctx context.Context) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		g.mu.Lock()
		for _, t := range g.list {
			g.follow(t, t.stream.watched())
		}
		g.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// follow subscribes to a topic or ends that; mu is held.
func (g *graphed) follow(t *topic, on bool) {
	end := g.subs[t]
	switch {
	case on == (end != nil):
	case on:
		stop, err := g.graph.Subscribe(t.name, t.typ, func(m msgs.Raw) { g.deliver(t, m) })
		if err != nil {
			g.server.o.Log.Warn().Err(err).Str("topic", t.name).Msg("viewers can't see a topic")
			stop = func() {}
		}
		g.subs[t] = stop
	default:
		end()
		delete(g.subs, t)
	}
}

func (g *graphed) deliver(t *topic, m msgs.Raw) {
	if !g.frozen.Load() {
		t.show(m)
	} else if m.Owner != nil {
		m.Owner.Release()
	}
}

// described implements stage.
func (g *graphed) described() *wire.Source { return &g.source }

// state implements stage.
func (g *graphed) state() *wire.State { return &wire.State{Playing: !g.frozen.Load(), Rate: 1} }

// still implements stage: what is latched comes again to whoever subscribes again.
func (g *graphed) still() bool { return true }

// showAgain implements stage. For a topic's first viewer there is a subscription yet to
// come, which begins with what is latched.
func (g *graphed) showAgain(list []*stream) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range list {
		if t := g.list[s.id-1]; g.subs[t] != nil && len(t.watchers.All()) > 1 {
			g.follow(t, false)
			g.follow(t, true)
		}
	}
	return nil
}

func (g *graphed) play() error {
	g.frozen.Store(false)
	return nil
}

func (g *graphed) pause() error {
	g.frozen.Store(true)
	return nil
}

func (*graphed) seek(*wire.Request) error      { return errNoFile }
func (*graphed) step(int) error                { return errNoFile }
func (*graphed) setRate(float64) error         { return errNoFile }
func (*graphed) setLoop(bool) error            { return errNoFile }
func (*graphed) setRange(*[2]wire.Nanos) error { return errNoFile }
func (*graphed) setOption(*wire.Request) error { return errNoOptions }

// end implements stage.
func (g *graphed) end() error {
	g.stop()
	g.running.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	for t := range maps.Clone(g.subs) {
		g.follow(t, false)
	}
	return nil
}

// recording implements stage.
func (g *graphed) recording() *wire.Record {
	if g.recorder == nil {
		return nil
	}
	p := g.recorder.Progress()
	r := &wire.Record{On: !p.Ended, Paused: p.Paused, Seconds: p.Duration.Seconds(), Bytes: p.Bytes, Drops: p.Dropped, Part: max(len(p.Paths), 1), Streams: []uint16{}}
	if n := len(p.Paths); n > 0 {
		r.File = filepath.Base(p.Paths[n-1])
		r.Free, _ = record.Free(filepath.Dir(p.Paths[n-1])) // unknown is 0
	}
	for _, name := range p.Topics {
		if t := g.byName[name]; t != nil && t.id > 0 {
			r.Streams = append(r.Streams, t.id)
		}
	}
	slices.Sort(r.Streams)
	return r
}

var errOneRecording = errors.New("the program makes one recording")

func (g *graphed) startRecording(*wire.Request) (string, error) {
	if g.recorder == nil {
		return "", errUnrecorded
	}
	return "", errOneRecording
}

func (g *graphed) stopRecording() (map[string]any, error) {
	if g.recorder == nil {
		return nil, errUnrecorded
	}
	g.recorder.Stop()
	return nil, nil
}

func (g *graphed) pauseRecording(on bool) error {
	if g.recorder == nil {
		return errUnrecorded
	}
	g.recorder.Pause(on)
	return nil
}

func (g *graphed) splitRecording() error {
	if g.recorder == nil {
		return errUnrecorded
	}
	g.recorder.Split()
	return nil
}
