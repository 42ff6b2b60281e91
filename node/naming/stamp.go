package naming

import (
	"sync"

	"rsros/camdriver"
	"rsros/msgs"
)

// Stamper turns camera timestamps into ROS time, as realsense2_camera does:
// global and system time are taken as they are; a hardware clock has no date, so
// its first frame is stamped with the host's time of arrival and the camera's
// clock counts on from there.
type Stamper struct {
	mu    sync.Mutex
	begun bool
	base  msgs.Time // ROS time of camera time zero
}

func (s *Stamper) Stamp(f *camdriver.Frame) msgs.Time {
	t := msgs.FromMillis(f.Timestamp)
	if f.Domain != camdriver.HardwareClock {
		return t
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		s.tie(msgs.FromTime(f.Arrival), f.Timestamp)
	}
	return s.base + t
}

// tie says that it was ROS time at when the camera's clock said so many ms. It is
// for who has locked, or is alone.
func (s *Stamper) tie(at msgs.Time, ms float64) { s.begun, s.base = true, at-msgs.FromMillis(ms) }

// reset forgets the clock: the camera was restarted.
func (s *Stamper) reset() {
	s.mu.Lock()
	s.begun = false
	s.mu.Unlock()
}
