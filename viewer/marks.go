package viewer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"rsros/bagstore/realsense/rsmarks"
	"rsros/program/work"
	"rsros/viewer/api"
)

// markSearch searches for the marks of a recording during rsmarks. It starts after the
// first frame was sent to a viewer, so that it doesn't delay that frame.
type markSearch struct {
	once sync.Once
	stop func() // nil before it has started
}

// begin starts the search unless it has started.
func (m *markSearch) begin(g *cameras) {
	m.once.Do(func() {
		m.stop = work.Run(g.server.ctx, func(ctx context.Context) {
			list := []api.Mark{}
			for _, c := range g.parts {
				for _, x := range rsmarks.Find(ctx, c.file.File()) {
					list = append(list, c.markOf(x))
				}
			}
			slices.SortStableFunc(list, func(a, b api.Mark) int { return cmp.Compare(a.Time, b.Time) })
			g.found.Store(&list)
		})
	})
}

// end cancels the search and waits for it. begin must not be called afterwards.
func (m *markSearch) end() {
	if m.stop != nil {
		m.stop()
	}
}

func (g *camera) markOf(m rsmarks.Mark) api.Mark {
	out := api.Mark{Time: api.Nanos(g.file.Offset() + m.Time), Kind: string(m.Kind), Text: m.Text}
	if s := g.streams[m.Stream]; s != nil {
		out.Stream = &s.id
	} else if m.Kind == rsmarks.Loss { // of a stream that isn't shown
		out.Text = fmt.Sprintf("%s: %s", m.Stream, m.Text)
	}
	return out
}
