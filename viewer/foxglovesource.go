package viewer

import (
	"errors"

	"rsros/viewer/api"
	"rsros/viewer/foxglove"
)

// foxgloveSource is the topics and the playback of what the server shows, for Foxglove's clients.
type foxgloveSource struct{ *Server }

// topic returns a topic of what is shown, or nil.
func (s foxgloveSource) topic(name string) *topic {
	if g := s.current(); g != nil {
		return g.topicList().byName[name]
	}
	return nil
}

// beginFoxglove tells Foxglove's clients that another stage is shown.
func (s *Server) beginFoxglove(g stage) {
	if !s.o.Playback {
		return
	}
	s.foxglove.Begin()
	if s.topicsShown && g != nil {
		s.foxglove.Update(&foxglove.State{Topics: g.topicList().advertised()})
	}
}

// advertised returns the topics as Foxglove's clients see them.
func (t *topics) advertised() (list []foxglove.Topic) {
	for _, c := range t.list {
		list = append(list, foxglove.Topic{Name: c.name, Type: c.typ, Latched: c.latched.Load() != nil})
	}
	return list
}

var errTopicGone = errors.New("the topic isn't shown any more")

// Subscribe implements foxglove.Source.
func (s foxgloveSource) Subscribe(t foxglove.Topic, deliver func(foxglove.Message)) (stop func(), err error) {
	topic := s.topic(t.Name)
	if topic == nil {
		return nil, errTopicGone
	}
	err = topic.taps.Add(&deliver) // nil, because nothing is opened
	if list := topic.latched.Load(); list != nil {
		for _, raw := range *list {
			m := topic.message([][]byte{raw.Head, raw.Body, raw.Tail}, raw.Time, nil)
			deliver(foxglove.Message{Body: m, Time: int64(m.time)})
			m.Release()
		}
	}
	return func() { topic.taps.Remove(&deliver) }, err
}

// Recall implements foxglove.Recaller. The topic's last message is sent at the next update.
func (s foxgloveSource) Recall(t foxglove.Topic) {
	if topic := s.topic(t.Name); topic != nil && topic.latched.Load() == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.recalled = append(s.recalled, &topic.stream)
	}
}

// takeRecalled returns the streams that were recalled since the last call.
func (s *Server) takeRecalled() []*stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.recalled
	s.recalled = nil
	return list
}

// Range implements foxglove.Playback.
func (s foxgloveSource) Range() (start, end int64, ok bool) {
	if g := s.current(); g != nil {
		from, to, ok := g.span()
		return int64(from), int64(to), ok
	}
	return 0, 0, false
}

// Do implements foxglove.Playback: it pauses first and plays last, so that no message is published in between.
func (s foxgloveSource) Do(c foxglove.PlaybackCommand) (now foxglove.PlaybackState, err error) {
	err = s.do(s.ctx, func() (err error) {
		now, err = s.control(c)
		return err
	})
	return now, err
}

// control does Do's work. The owner calls it.
func (s *Server) control(c foxglove.PlaybackCommand) (foxglove.PlaybackState, error) {
	g := s.current()
	if g == nil {
		return foxglove.PlaybackState{}, errNothing
	}
	do := func(r api.Request) error {
		_, err := g.do(&r)
		return err
	}
	var err error
	if !c.Play {
		err = do(api.Request{Op: "pause"})
	}
	if c.Speed != float32(g.state().Rate) { // which may have more digits
		err = errors.Join(err, do(api.Request{Op: "rate", Rate: float64(c.Speed)}))
	}
	if at := api.Nanos(c.Time); c.Seek {
		err = errors.Join(err, do(api.Request{Op: "seek", Time: &at}))
	}
	if c.Play && !g.state().Playing {
		err = errors.Join(err, do(api.Request{Op: "play"}))
	}
	s.sendState(g)
	return playbackOf(g.state()), err
}

// PlaybackChanged tells Foxglove's clients the state of playback at once, not at the next
// update. A nil Server has no clients.
func (s *Server) PlaybackChanged() {
	if s == nil {
		return
	}
	if g := s.current(); g != nil {
		s.report(g.state())
	}
}

// report tells Foxglove's clients the state of playback.
func (s *Server) report(st *api.State) {
	if s.o.Playback && st.Position != nil {
		s.foxglove.Played(playbackOf(st))
	}
}

func playbackOf(st *api.State) foxglove.PlaybackState {
	out := foxglove.PlaybackState{Status: foxglove.Playing, Speed: float32(st.Rate), Jumps: st.Jumps}
	if st.Position != nil {
		out.Time = int64(*st.Position)
	}
	switch {
	case st.Ended:
		out.Status = foxglove.Ended
	case !st.Playing:
		out.Status = foxglove.Paused
	case st.Waiting:
		out.Status = foxglove.Buffering
	}
	return out
}
