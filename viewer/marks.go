package viewer

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"rsros/bagstore/realsense/playback"
	"rsros/viewer/wire"
)

// markSearch searches for the marks of a recording during playback. It starts after the
// first frame was sent to a viewer, so that it doesn't delay that frame.
type markSearch struct {
	once  sync.Once
	stop  context.CancelFunc
	job   sync.WaitGroup
	found atomic.Pointer[[]wire.Mark] // that viewers don't know yet
}

// begin starts the search unless it has started.
func (m *markSearch) begin(g *camera) {
	m.once.Do(func() {
		var ctx context.Context
		ctx, m.stop = context.WithCancel(g.server.ctx)
		m.job.Go(func() {
			list := []wire.Mark{}
			for _, x := range playback.Marks(ctx, g.file.File()) {
				list = append(list, g.markOf(x))
			}
			m.found.Store(&list)
		})
	})
}

// end cancels the search and waits for it. begin must not be called afterwards.
func (m *markSearch) end() {
	if m.stop != nil {
		m.stop()
	}
	m.job.Wait()
}

func (g *camera) markOf(m playback.Mark) wire.Mark {
	out := wire.Mark{Time: wire.Nanos(m.Time), Kind: string(m.Kind), Text: m.Text}
	if s := g.streams[m.Stream]; s != nil {
		out.Stream = &s.id
	} else if m.Kind == playback.Loss { // of a stream that isn't shown
		out.Text = fmt.Sprintf("%s: %s", m.Stream, m.Text)
	}
	return out
}

// takeMarks implements marked.
func (g *camera) takeMarks() []wire.Mark {
	if list := g.marks.found.Swap(nil); list != nil {
		g.source.Marks = *list
		return *list
	}
	return nil
}

// marked is a stage that finds marks of its source after viewers know the source.
type marked interface {
	// takeMarks adds newly found marks to the source and returns all marks, or nil if none
	// is new. The server's commands are locked.
	takeMarks() []wire.Mark
}

// sendMarks sends viewers the marks that were found.
func (s *Server) sendMarks(g stage) {
	m, ok := g.(marked)
	if !ok || !s.commands.TryLock() { // try again at the next tick
		return
	}
	defer s.commands.Unlock()
	if s.current() != g {
		return
	}
	if list := m.takeMarks(); list != nil {
		s.notify(g, wire.MarksFound{Op: "marks", Marks: list})
	}
}
