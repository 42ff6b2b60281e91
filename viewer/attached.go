package viewer

import (
	"sync/atomic"

	"rsros/camdriver"
	"rsros/record"
	"rsros/viewer/wire"
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

// Attach offers a device to viewers. The caller keeps it open until Close, and then closes it.
// The first device is shown at once; viewers may choose another.
func (s *Server) Attach(r Running) {
	s.commands.Lock()
	defer s.commands.Unlock()
	s.mu.Lock()
	s.attached = append(s.attached, r)
	first := s.stage == nil
	s.mu.Unlock()
	if list := s.candidates(); list != nil {
		s.broadcast("candidates", map[string]any{"candidates": list})
	}
	if first {
		s.present(newCamera(s, r.Name, r.Name, r))
	}
}

// candidates returns the devices that viewers may choose.
func (s *Server) candidates() []wire.Candidate {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.attached) < 2 {
		return s.o.Candidates
	}
	var list []wire.Candidate
	for _, a := range s.attached {
		name := a.Name
		if n := camdriver.Find(a.Device.Info(), camdriver.InfoName); n != "" && n != name {
			name += " (" + n + ")"
		}
		list = append(list, wire.Candidate{ID: a.ID, Name: name})
	}
	return list
}

// showAttached shows an attached device. It returns false if there is none with this id.
func (s *Server) showAttached(id string) bool {
	s.commands.Lock()
	defer s.commands.Unlock()
	s.mu.Lock()
	list := s.attached
	s.mu.Unlock()
	for _, a := range list {
		if a.ID == id {
			s.replace(newCamera(s, a.Name, a.Name, a))
			return true
		}
	}
	return false
}
