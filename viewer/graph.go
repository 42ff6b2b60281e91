package viewer

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"rsros/msgs"
	"rsros/program/work"
	"rsros/record"
	"rsros/viewer/foxglove"
	"rsros/viewer/wire"
)

// graphStage is the stage of a graph with its current topics. A topic is
// subscribed to while a viewer watches it.
type graphStage struct {
	base
	*topics
	recorder *record.Recording // nil if nothing is recorded
	frozen   *atomic.Bool
}

// AttachGraph shows the topics of a graph or, if r isn't nil, those that are recorded, until Close.
// When they change, it shows a new stage. name is the title.
func (s *Server) AttachGraph(g foxglove.Graph, r *record.Recording, name string) {
	s.jobs.Go(func() {
		var known atomic.Pointer[map[string]msgs.Type] // nil before the first state
		defer g.Follow(func(state *foxglove.State) {
			types := make(map[string]msgs.Type)
			for _, t := range state.Topics {
				types[t.Name] = t.Type
			}
			known.Store(&types)
		})()
		var frozen atomic.Bool
		var shown map[string]msgs.Type
		work.Every(s.ctx, updateInterval, func(time.Time) {
			types := known.Load()
			if types == nil {
				return
			}
			if now := recordedTopics(*types, r); shown == nil || !maps.Equal(now, shown) {
				shown = now
				s.commands.Lock()
				defer s.commands.Unlock()
				s.replace(newGraphStage(s, g, r, name, now, &frozen))
			}
		})
	})
}

// recordedTopics returns the topics that are recorded, or all if r is nil.
func recordedTopics(types map[string]msgs.Type, r *record.Recording) map[string]msgs.Type {
	if r == nil {
		return types
	}
	some := make(map[string]msgs.Type)
	for _, name := range r.Topics() {
		if typ, known := types[name]; known {
			some[name] = typ
		}
	}
	return some
}

func newGraphStage(s *Server, graph foxglove.Graph, r *record.Recording, name string, types map[string]msgs.Type, frozen *atomic.Bool) *graphStage {
	g := &graphStage{recorder: r, frozen: frozen, base: base{server: s}}
	g.topics = newTopics(g, types)
	g.source = wire.Source{Kind: "graph", Name: name, Info: [][2]string{}, Sensors: []wire.Sensor{}, Streams: g.streams(), Marks: []wire.Mark{}}
	for _, t := range g.list {
		t.watchers.Open = func() (stop func(), err error) {
			return graph.Subscribe(foxglove.Topic{Name: t.name, Type: t.typ}, func(m foxglove.Message) {
				if !frozen.Load() {
					m.Retain()
					t.offer(t.message(m.Content(nil), m.Time, m.Body.Release))
				}
			})
		}
	}
	return g
}

func (g *graphStage) state() *wire.State { return &wire.State{Playing: !g.frozen.Load(), Rate: 1} }

// canResend implements stage: viewers that come later need latched messages again.
func (g *graphStage) canResend() bool { return true }

// resend implements stage. A topic's only viewer doesn't need it, because the subscription began
// with it.
func (g *graphStage) resend(list []*stream) (err error) {
	for _, s := range list {
		err = errors.Join(err, s.watchers.Reopen())
	}
	return err
}

func (g *graphStage) do(r *wire.Request) (map[string]any, error) {
	switch {
	case r.Op == "play":
		g.frozen.Store(false)
	case r.Op == "pause":
		g.frozen.Store(true)
	case g.recorder == nil || !strings.HasPrefix(r.Op, "record."):
		return nil, errCannot
	case r.Op == "record.stop":
		g.recorder.Stop()
	default:
		_, err := g.recorder.Control(strings.TrimPrefix(r.Op, "record."), r.On)
		return nil, err
	}
	return nil, nil
}

// end implements stage: subscriptions end with their last viewers.
func (*graphStage) end() error { return nil }

func (g *graphStage) recording() *wire.Record {
	if g.recorder == nil {
		return nil
	}
	f := g.recorder.Figures()
	r := figures(f)
	r.On, r.File, r.Drops, r.Part = !f.Ended, f.File, f.Lost-f.TooLarge, f.Files
	for _, row := range f.Rows {
		if t := g.byName[row.Name]; t != nil && t.id > 0 {
			r.Streams = append(r.Streams, t.id)
		}
	}
	slices.Sort(r.Streams)
	return r
}
