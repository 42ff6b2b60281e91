package d400

import (
	"fmt"
	"sync"
	"sync/atomic"

	"rsros/camdriver"
	"rsros/camdriver/model"
)

var _ camdriver.ROISensor = roiSensor{}

// colorROIFirmware is the first version with regions for the colour imager.
var colorROIFirmware = model.Version{5, 10, 9, 0}

// roiSensor is a sensor that implements camdriver.ROISensor.
type roiSensor struct{ *sensor }

// region is the region for auto exposure. The camera accepts regions only while it streams and forgets them when it
// stops, so the region is sent after the first frame of each start.
type region struct {
	op      uint32      // sets the region; 0 if not supported
	streams atomic.Bool // a frame arrived since the last start

	mu            sync.Mutex
	want          *camdriver.ROI // nil until set
	due           bool           // want must be sent
	width, height int            // of the streamed images; 0 if not streaming
}

// started records that streams start, or stop if profiles is empty. Then the region must be sent again.
func (r *region) started(profiles []camdriver.Profile) {
	r.streams.Store(false)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.due = r.want != nil
	r.width, r.height = camdriver.LargestSize(profiles)
}

// settle sends the region if it is due and frames arrive.
func (r *region) settle(l *link, s *sensor) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.due || !r.streams.Load() {
		return
	}
	r.due = false
	if err := r.send(l, *r.want); l.note(err) != nil {
		s.dev.log.Warn().Err(err).Str("sensor", s.name).Msg("cannot set the region of auto exposure")
	}
}

func (r *region) send(l *link, roi camdriver.ROI) error {
	_, err := l.command(r.op, nil, uint32(roi.Top), uint32(roi.Bottom), uint32(roi.Left), uint32(roi.Right))
	return err
}

func (s roiSensor) SetROI(roi camdriver.ROI) error {
	l, err := s.dev.current()
	if err != nil {
		return err
	}
	all := s.Profiles()
	s.region.mu.Lock()
	defer s.region.mu.Unlock()
	width, height := s.region.width, s.region.height
	if width == 0 {
		width, height = camdriver.LargestSize(all)
	}
	if err := roi.Check(width, height); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if !s.region.streams.Load() {
		s.region.want, s.region.due = &roi, true
		return nil
	}
	if err := l.note(s.region.send(l, roi)); err != nil {
		return fmt.Errorf("%s: set region of interest %s: %w", s.name, roi, err)
	}
	s.region.want, s.region.due = &roi, false
	return nil
}
