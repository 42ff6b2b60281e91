package usbserve

import (
	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/usbcam/d435i"
)

// pixels returns the frame of a mode, valid until the next call for the mode.
func (s *Source) pixels(m d435i.Mode, list []*camdriver.Frame) []byte {
	s.mu.Lock()
	b := s.scratch[m]
	if len(b) != m.Bytes() {
		b = make([]byte, m.Bytes())
		s.scratch[m] = b
	}
	s.mu.Unlock()
	f := list[0]
	switch {
	case m.Code == model.CodeY8I:
		model.JoinY8I(b, f.Data, list[1].Data)
	case m.Code == model.CodeYUY2 && f.Profile.Format == camdriver.RGB8:
		model.ToYUY2(b, f.Data)
	default:
		copy(b, f.Data)
	}
	return b
}
