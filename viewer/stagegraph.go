package viewer

import (
	"context"
	"errors"
	"sync"

	"rsros/msgs"
	"rsros/viewer/foxglove"
	"rsros/viewer/wire"
)

// stageGraph is the stage's topics and playback for Foxglove's clients. It implements
// foxglove.Graph and, as stagePlayback, foxglove.Playback. It is nil if Foxglove's clients see
// something else.
type stageGraph struct {
	s *Server

	mu              sync.Mutex
	topicsChanged   func(*foxglove.State)
	playbackChanged func(foxglove.PlaybackState)
	session         int
	recall          []*stream // with new subscribers
}

// topic returns a topic of what is shown, or nil.
func (o *stageGraph) topic(name string) *topic {
	if g := o.s.current(); g != nil {
		return g.topicList().byName[name]
	}
	return nil
}

// state returns the topics that are shown; callers hold mu.
func (o *stageGraph) state() *foxglove.State {
	state := &foxglove.State{Session: o.session}
	if g := o.s.current(); g != nil {
		for _, t := range g.topicList().list {
			state.Topics = append(state.Topics, foxglove.Topic{Name: t.name, Type: t.typ, Latched: t.latched.Load() != nil})
		}
	}
	return state
}

// Follow implements foxglove.Graph.
func (o *stageGraph) Follow(changed func(*foxglove.State)) (stop func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.topicsChanged = changed
	changed(o.state())
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.topicsChanged = nil
	}
}

// changed begins a new session because another stage is shown. Its channels are new even if
// their names aren't.
func (o *stageGraph) changed() {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.session++
	if o.topicsChanged != nil {
		o.topicsChanged(&foxglove.State{Session: o.session})
		o.topicsChanged(o.state())
	}
}

var errTopicGone = errors.New("the topic isn't shown any more")

// Subscribe implements foxglove.Graph.
func (o *stageGraph) Subscribe(t foxglove.Topic, deliver func(foxglove.Message)) (stop func(), err error) {
	shown := o.topic(t.Name)
	if shown == nil {
		return nil, errTopicGone
	}
	shown.taps.Add(&deliver)
	if list := shown.latched.Load(); list != nil {
		for _, raw := range *list {
			m := shown.message([][]byte{raw.Head, raw.Body, raw.Tail}, raw.Time, nil)
			deliver(foxglove.Message{Body: m, Time: int64(m.time)})
			m.Release()
		}
	}
	return func() { shown.taps.Remove(&deliver) }, nil
}

// Recall implements foxglove.Recaller.
func (o *stageGraph) Recall(t foxglove.Topic) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if shown := o.topic(t.Name); shown != nil && shown.latched.Load() == nil {
		o.recall = append(o.recall, &shown.stream)
	}
}

// unseen returns the streams that were recalled.
func (o *stageGraph) unseen() []*stream {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	list := o.recall
	o.recall = nil
	return list
}

var errTopicsOnly = errors.New("there is no ROS graph here")

// Publish implements foxglove.Graph.
func (*stageGraph) Publish(string, msgs.Type) (foxglove.Publisher, error) { return nil, errTopicsOnly }

// Call implements foxglove.Graph.
func (*stageGraph) Call(context.Context, foxglove.Service, []byte) ([]byte, error) {
	return nil, errTopicsOnly
}

// SetParam implements foxglove.Graph.
func (*stageGraph) SetParam(context.Context, string, any) error { return errTopicsOnly }

// Range implements foxglove.Playback.
func (o *stageGraph) Range() (start, end int64, ok bool) {
	if g := o.s.current(); g != nil {
		from, to, ok := g.span()
		return int64(from), int64(to), ok
	}
	return 0, 0, false
}

// Follow of foxglove.Playback.
func (p stagePlayback) Follow(changed func(foxglove.PlaybackState)) (stop func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.playbackChanged = changed
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.playbackChanged = nil
	}
}

// stagePlayback implements foxglove.Playback.
type stagePlayback struct{ *stageGraph }

// report sends clients the state of playback.
func (o *stageGraph) report(st *wire.State) {
	if o == nil || st.Position == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.playbackChanged != nil {
		o.playbackChanged(playbackOf(st))
	}
}

func playbackOf(st *wire.State) foxglove.PlaybackState {
	out := foxglove.PlaybackState{Status: foxglove.Paused, Speed: float32(st.Rate), Jumps: st.Jumps}
	if st.Position != nil {
		out.Time = int64(*st.Position)
	}
	if st.Ended {
		out.Status = foxglove.Ended
	} else if st.Playing {
		out.Status = foxglove.Playing
	}
	return out
}

// Do implements foxglove.Playback: it pauses first and plays last.
func (o *stageGraph) Do(_ context.Context, c foxglove.PlaybackCommand) (foxglove.PlaybackState, error) {
	o.s.commands.Lock()
	defer o.s.commands.Unlock()
	g := o.s.current()
	if g == nil {
		return foxglove.PlaybackState{}, errNothing
	}
	do := func(r wire.Request) error {
		_, err := g.do(&r)
		return err
	}
	var err error
	if !c.Play {
		err = do(wire.Request{Op: "pause"})
	}
	if c.Speed != float32(g.state().Rate) {
		err = errors.Join(err, do(wire.Request{Op: "rate", Rate: float64(c.Speed)}))
	}
	if at := wire.Nanos(c.Time); c.Seek {
		err = errors.Join(err, do(wire.Request{Op: "seek", Time: &at}))
	}
	if c.Play && !g.state().Playing {
		err = errors.Join(err, do(wire.Request{Op: "play"}))
	}
	o.s.sendState(g)
	return playbackOf(g.state()), err
}
