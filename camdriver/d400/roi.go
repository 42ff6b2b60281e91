package d400

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"

	"rsros/camdriver"
)

var _ camdriver.ROISensor = meteredSensor{}

// colorROIFirmware is the first that can limit the auto exposure of the colour
// imager.
var colorROIFirmware = version{5, 10, 9, 0}

// meteredSensor is a sensor whose auto exposure can be limited to a region.
type meteredSensor struct{ *sensor }

// region is what auto exposure measures. The camera knows regions only while it
// streams and forgets them when it stops, so the region is sent after the first
// frame of each start.
type region struct {
	op      uint32      // that sets it; the next one reads it. 0 if the camera has none
	streams atomic.Bool // a frame came since the last start

	mu            sync.Mutex
	want          *camdriver.ROI // nil until it is set
	due           bool           // want has to be sent
	width, height int            // of the images that are streamed; 0 while there are none
}

// started notes that streams begin, or end if there are none: the region has to be
// sent again.
func (r *region) started(profiles []camdriver.Profile) {
	r.streams.Store(false)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.due = r.want != nil
	r.width, r.height = largest(profiles)
}

func largest(profiles []camdriver.Profile) (width, height int) {
	for _, p := range profiles {
		width, height = max(width, p.Width), max(height, p.Height)
	}
	return width, height
}

// settle sends the region if it is due and frames come.
func (r *region) settle(l *link, s *sensor) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.due || !r.streams.Load() {
		return
	}
	r.due = false
	if err := r.send(l, *r.want); s.dev.note(l, err) != nil {
		s.dev.log.Warn().Err(err).Str("sensor", s.name).Msg("cannot set the region of auto exposure")
	}
}

func (r *region) send(l *link, roi camdriver.ROI) error {
	_, err := l.command(r.op, nil, uint32(roi.Top), uint32(roi.Bottom), uint32(roi.Left), uint32(roi.Right))
	return err
}

// SetROI implements camdriver.ROISensor.
func (s meteredSensor) SetROI(roi camdriver.ROI) error {
	l, err := s.dev.current()
	if err != nil {
		return err
	}
	all := s.Profiles()
	s.region.mu.Lock()
	defer s.region.mu.Unlock()
	width, height := s.region.width, s.region.height
	if width == 0 {
		width, height = largest(all)
	}
	if err := roi.Check(width, height); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if !s.region.streams.Load() {
		s.region.want, s.region.due = &roi, true
		return nil
	}
	if err := s.dev.note(l, s.region.send(l, roi)); err != nil {
		return fmt.Errorf("%s: set region of interest %s: %w", s.name, roi, err)
	}
	s.region.want, s.region.due = &roi, false
	return nil
}

// ROI implements camdriver.ROISensor. It reads the camera's region, or returns the
// one that is still to be sent.
func (s meteredSensor) ROI() (camdriver.ROI, error) {
	l, err := s.dev.current()
	if err != nil {
		return camdriver.ROI{}, err
	}
	s.region.mu.Lock()
	defer s.region.mu.Unlock()
	if s.region.due {
		return *s.region.want, nil
	}
	b, err := l.command(s.region.op+1, nil)
	if s.dev.note(l, err) != nil {
		return camdriver.ROI{}, fmt.Errorf("%s: read region of interest: %w", s.name, err)
	}
	return decodeROI(b)
}

// decodeROI reads four bounds: top, bottom, left, right.
func decodeROI(b []byte) (camdriver.ROI, error) {
	if len(b) < 8 {
		return camdriver.ROI{}, fmt.Errorf("region of interest of %d bytes, want 8", len(b))
	}
	word := func(i int) int { return int(binary.LittleEndian.Uint16(b[2*i:])) }
	return camdriver.ROI{Top: word(0), Bottom: word(1), Left: word(2), Right: word(3)}, nil
}
