package naming

import (
	"sync"

	"rsros/camdriver"
	"rsros/msgs"
)

// Stamper converts camera timestamps to ROS time as realsense2_camera does. Global and system time are unchanged. A
// hardware clock has no date, so its first frame gets the host's arrival time, and later frames are stamped relative to
// it by the camera's clock. It is safe for concurrent use.
type Stamper struct {
	mu    sync.Mutex
	begun bool
	base  msgs.Time // ROS time of camera time zero
}

// Stamp returns a frame's ROS time.
func (s *Stamper) Stamp(f *camdriver.Frame) msgs.Time {
	t := msgs.FromMillis(f.Timestamp)
	if f.Domain != camdriver.HardwareClock {
		return t
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		s.setBase(msgs.FromTime(f.Arrival), f.Timestamp)
	}
	return s.base + t
}

// setBase sets the ROS time at which the camera's clock was at ms. The caller holds mu.
func (s *Stamper) setBase(at msgs.Time, ms float64) { s.begun, s.base = true, at-msgs.FromMillis(ms) }

// reset forgets the camera's clock after a restart of the camera.
func (s *Stamper) reset() {
	s.mu.Lock()
	s.begun = false
	s.mu.Unlock()
}
