package viewer

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"rsros/msgs"
	"rsros/program/work"
	"rsros/record"
	"rsros/viewer/api"
	"rsros/viewer/foxglove"
)

// graphStage is the stage of a graph with its current topics. A topic is subscribed to while a viewer watches it.
type graphStage struct {
	base
	graph    foxglove.Graph
	recorder *record.Recording // nil if nothing is recorded
	frozen   atomic.Bool
	topics   atomic.Pointer[topics]
}

// lingerTime is how long a graph is followed after the last viewer has left, who may be loading the page again.
const lingerTime = 10 * time.Second

// AttachGraph shows the topics of a graph or, if r isn't nil, those that are recorded, until Close. While there are
// viewers, it follows the graph, and sends them the topics when those change. name is the title.
func (s *Server) AttachGraph(graph foxglove.Graph, r *record.Recording, name string) {
	g := &graphStage{graph: graph, recorder: r, base: base{server: s}}
	g.source = api.Source{Kind: "graph", Name: name, Info: [][2]string{}, Sensors: []api.Sensor{}, Marks: []api.Mark{}}
	g.topics.Store(newTopics(g, nil))
	s.do(s.ctx, func() error { //nolint:errcheck // after Close, nobody sees it
		s.replace(g)
		return nil
	})
	s.jobs.Go(func() {
		var known atomic.Pointer[[]foxglove.Topic] // nil before the first state
		var updated *[]foxglove.Topic              // those of the last update
		unfollow := func() {}
		defer func() { unfollow() }()
		var looked time.Time // when there were viewers; zero if the graph isn't followed
		work.Every(s.ctx, updateInterval, func(now time.Time) {
			switch viewers := len(s.viewers.All()) > 0; {
			case viewers && looked.IsZero():
				unfollow = graph.Follow(func(state *foxglove.State) { known.Store(&state.Topics) })
				looked = now
			case viewers:
				looked = now
			case !looked.IsZero() && now.Sub(looked) > lingerTime:
				unfollow()
				unfollow, looked = func() {}, time.Time{}
			}
			if list := known.Load(); list != nil && (list != updated || r != nil) {
				g.update(*list)
				updated = list
			}
		})
	})
}

// update replaces the topics. Subscriptions of those that stay go on.
func (g *graphStage) update(list []foxglove.Topic) {
	types, topics := make(map[string]msgs.Type), make(map[string]foxglove.Topic)
	for _, t := range list {
		types[t.Name], topics[t.Name] = t.Type, t
	}
	if g.recorder != nil {
		recorded := g.recorder.Topics()
		maps.DeleteFunc(types, func(name string, _ msgs.Type) bool { return !slices.Contains(recorded, name) })
	}
	before := g.topics.Load()
	now := before.with(g, types)
	if maps.Equal(before.byID, now.byID) {
		return
	}
	for id, t := range now.byID {
		if before.byID[id] != t {
			g.open(t, topics[t.name])
		}
	}
	g.topics.Store(now)
	g.server.notify(g, "streams", map[string]any{"streams": now.streams()})
	g.server.endSubscriptions()
}

// open lets a topic subscribe to the graph while it has viewers.
func (g *graphStage) open(t *topic, of foxglove.Topic) {
	t.greet = t.kept.show
	t.watchers.Open = func() (func(), error) {
		t.kept.reset(true)
		stop, err := g.graph.Subscribe(of, func(m foxglove.Message) {
			if !g.frozen.Load() {
				m.Retain()
				out := t.message(m.Content(nil), m.Time, m.Body.Release)
				t.kept.add(out, m)
				t.offer(out)
			}
		})
		if err != nil {
			return nil, err
		}
		return func() {
			stop()
			t.kept.reset(false)
		}, nil
	}
}

func (g *graphStage) described() *api.Source {
	out := g.base.described()
	out.Streams = g.topics.Load().streams()
	return out
}

func (g *graphStage) stream(id uint16) *stream { return g.topics.Load().stream(id) }

func (g *graphStage) topicList() *topics { return g.topics.Load() }

func (g *graphStage) state() *api.State { return &api.State{Playing: !g.frozen.Load(), Rate: 1} }

func (g *graphStage) do(r *api.Request) (map[string]any, error) {
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

func (g *graphStage) recording() *api.Record {
	if g.recorder == nil {
		return nil
	}
	f := g.recorder.Figures()
	r := figures(f)
	r.On, r.File, r.Drops, r.Part, r.Empty = !f.Ended, f.File, f.Lost-f.TooLarge, f.Files, f.Ended && r.Total.Messages == 0
	for _, row := range f.Rows {
		if t := g.topics.Load().byName[row.Name]; t != nil && t.id > 0 {
			r.Streams = append(r.Streams, t.id)
		}
	}
	slices.Sort(r.Streams)
	return r
}
