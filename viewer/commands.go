package viewer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"rsros/bagstore/place"
	"rsros/camdriver"
	"rsros/viewer/api"
	"rsros/viewer/foxglove"
)

var (
	errViewOnly = errors.New("viewers can't change anything (--view-only)")
	errNothing  = errors.New("nothing is shown")
	errSplit    = errors.New("viewers can split a recording once a second")
)

// answer executes a request and returns the answer. ctx ends with the viewer.
func (s *Server) answer(ctx context.Context, r *api.Request) map[string]any {
	result, err := s.execute(ctx, r)
	if result == nil {
		result = make(map[string]any)
	}
	result["id"], result["ok"] = *r.ID, err == nil
	if err != nil {
		result["error"] = err.Error()
	}
	return result
}

// serveRecord executes a request of a program other than a viewer: trigger, mark or split.
func (s *Server) serveRecord(w http.ResponseWriter, r *http.Request) {
	op := "record." + r.PathValue("do")
	if op != "record.trigger" && op != "record.mark" && op != "record.split" {
		http.NotFound(w, r)
		return
	}
	_, err := s.execute(r.Context(), &api.Request{Op: op})
	switch {
	case errors.Is(err, errViewOnly):
		http.Error(w, err.Error(), http.StatusForbidden)
	case err != nil:
		http.Error(w, err.Error(), http.StatusConflict)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// execute executes a request.
func (s *Server) execute(ctx context.Context, r *api.Request) (result map[string]any, err error) {
	switch {
	case s.o.ViewOnly:
		return nil, errViewOnly
	case r.Op == "open":
		return nil, s.openRequested(ctx, r)
	}
	err = s.do(ctx, func() (err error) {
		result, err = s.command(r)
		return err
	})
	return result, err
}

// command executes a request other than open. The owner calls it.
func (s *Server) command(r *api.Request) (map[string]any, error) {
	switch {
	case r.Op == "record.split" && time.Since(s.split) < minSplitSeconds*time.Second:
		return nil, errSplit
	case r.Op == "rate" && !(r.Rate >= foxglove.Slowest && r.Rate <= foxglove.Fastest):
		return nil, fmt.Errorf("rate %g, want %g to %d", r.Rate, foxglove.Slowest, foxglove.Fastest)
	}
	g := s.current()
	if g == nil {
		return nil, errNothing
	}
	result, err := g.do(r)
	if err != nil {
		return nil, fmt.Errorf("%.40s: %w", r.Op, err)
	}
	switch r.Op {
	case "record.split":
		s.split = time.Now()
	case "seek", "step":
		result = map[string]any{"position": g.state().Position}
	}
	s.sendState(g)
	if r := g.recording(); r != nil {
		s.notify(g, "record", r)
	}
	return result, nil
}

// sendState sends the state of the stage to all viewers and Foxglove clients.
func (s *Server) sendState(g stage) {
	if st := g.state(); s.notify(g, "state", st) {
		s.report(st)
	}
}

// openRequested shows a device or a recording of the library.
func (s *Server) openRequested(ctx context.Context, r *api.Request) error {
	if r.File != "" {
		if s.o.Library == nil {
			return errors.New("this viewer has no list of recordings")
		}
		at, err := s.o.Library.Place(ctx, r.File)
		if err != nil {
			return err
		}
		return s.Show(ctx, at, place.Base(at), r.File)
	}
	if found, err := s.showAttached(ctx, r.Device); found || err != nil {
		return err
	}
	for _, c := range s.o.Candidates {
		if c.ID == r.Device {
			return s.Show(ctx, c.ID, "", "")
		}
	}
	return fmt.Errorf("device %.40q: %w", r.Device, camdriver.ErrNotFound)
}
