package viewer

import (
	"context"
	"slices"
	"sync/atomic"

	"rsros/camdriver"
	"rsros/record"
	"rsros/viewer/api"
)

// Running is a device that the caller has opened and started.
type Running struct {
	ID        string // for requests that choose it
	Name      string // its title
	Device    camdriver.Device
	Profiles  [][]camdriver.Profile // running ones, by sensor
	Hub       *camdriver.Hub        // of its frames
	Records   *record.Camera
	RecordDir string       // where recordings go; that of Options if empty
	Frozen    *atomic.Bool // the images are frozen
}

// Attach shows a device to viewers. The caller keeps it open until Close, and then closes it.
// All devices are shown together, unless a viewer has chosen one.
func (s *Server) Attach(r Running) {
	s.do(s.ctx, func() error { //nolint:errcheck // after Close, nobody sees it
		s.mu.Lock()
		s.attached = append(s.attached, r)
		all := slices.Clone(s.attached)
		s.mu.Unlock()
		if list := s.candidates(); list != nil {
			s.broadcast("candidates", map[string]any{"candidates": list})
		}
		g, _ := s.current().(*cameras)
		if s.current() == nil || g != nil && (len(all) == 2 || g.source.Device == allDevices) {
			s.replace(newCameras(s, titleOf(all), titleOf(all), all))
		}
		return nil
	})
}

// candidates returns the devices that viewers may choose.
func (s *Server) candidates() []api.Candidate {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.attached) < 2 {
		return s.o.Candidates
	}
	list := []api.Candidate{{ID: allDevices, Name: "All cameras"}}
	for _, a := range s.attached {
		name := a.Name
		if n := camdriver.Find(a.Device.Info(), camdriver.InfoName); n != "" && n != name {
			name += " (" + n + ")"
		}
		list = append(list, api.Candidate{ID: a.ID, Name: name})
	}
	return list
}

// showAttached shows an attached device. It returns false if there is none with this id.
func (s *Server) showAttached(ctx context.Context, id string) (found bool, err error) {
	err = s.do(ctx, func() error {
		chosen := slices.DeleteFunc(slices.Clone(s.attached), func(a Running) bool { return a.ID != id && id != allDevices })
		if found = len(chosen) > 0; !found {
			return nil
		}
		if err := s.busy(); err != nil {
			return err
		}
		s.replace(newCameras(s, titleOf(chosen), titleOf(chosen), chosen))
		return nil
	})
	return found, err
}
