package viewer

import (
	"reflect"
	"time"

	"rsros/program/work"
	"rsros/viewer/api"
)

const (
	updateInterval = 100 * time.Millisecond // period of update
	countTicks     = 10                     // periods between two counts
)

// update sends viewers changes that no request caused, such as the position, counts, and the
// size of a recording.
func (s *Server) update() {
	var last lastSent
	n := 0
	work.Every(s.ctx, updateInterval, func(time.Time) {
		g := s.current()
		if g != nil {
			select {
			case s.inbox <- func() { s.serve(g) }:
			default: // the owner is busy
			}
			if list := g.takeMarks(); list != nil {
				s.notify(g, "marks", map[string]any{"marks": list})
			}
			st, unsure := g.state(), s.stateUnsent.Swap(false)
			if unsure || !reflect.DeepEqual(st, last.state) || st.Playing && st.Position != nil {
				s.sendState(g)
			} else {
				s.report(st)
			}
			last.state = st
		}
		if n%countTicks == 0 {
			s.count(g, &last)
		}
		n++
	})
}

// serve begins what waits for a viewer, and sends the frames at the position to viewers that haven't received them.
func (s *Server) serve(g stage) {
	unseen := s.takeRecalled()
	if s.current() != g {
		return
	}
	if err := g.begin(); err != nil {
		s.o.Log.Warn().Err(err).Msg("can't begin to play a recording")
	}
	if !g.canResend() {
		return
	}
	for _, v := range s.viewers.All() {
		unseen = append(unseen, v.unseen()...)
	}
	if len(unseen) == 0 {
		return
	}
	if err := g.resend(unseen); err != nil {
		s.o.Log.Debug().Err(err).Msg("show a recording's position again")
	}
}

// lastSent is the state that viewers were last sent.
type lastSent struct {
	state     *api.State
	recording bool
}

// count sends each viewer its counts, and all viewers the state of recording.
func (s *Server) count(g stage, last *lastSent) {
	viewers := s.viewers.All()
	streams := make([][]api.StreamCounts, len(viewers))
	all := make([]api.ViewerCounts, len(viewers))
	for i, v := range viewers {
		streams[i], all[i] = v.counts()
	}
	for i, v := range viewers {
		v.send("counts", api.Counts{Streams: streams[i], Viewers: all})
	}
	if g == nil {
		return
	}
	if r := g.recording(); r != nil {
		if r.On || last.recording {
			s.notify(g, "record", r)
		}
		last.recording = r.On
	}
}
