package sim

import (
	"fmt"

	"rsros/camdriver"
)

var _ camdriver.ROISensor = (*videoSensor)(nil)

// videoSensor is a sensor with an imager.
type videoSensor struct{ *sensor }

// maxMetering bounds the factor by which a region changes the gain.
const maxMetering = 4

// SetROI changes the gain so that the region becomes as bright as the whole image is without a region.
func (s videoSensor) SetROI(r camdriver.ROI) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return camdriver.ErrClosed
	}
	streamed := s.streamed()
	width, height := camdriver.LargestSize(s.profiles)
	if streamed != nil {
		width, height = streamed[0].Width, streamed[0].Height
	}
	if err := r.Check(width, height); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	s.region = &r
	s.meter(streamed)
	return nil
}

// streamed returns the profiles that run, or nil. s.mu must be held.
func (s *sensor) streamed() []camdriver.Profile {
	if s.run == nil || s.run.stopped {
		return nil
	}
	return s.run.profiles
}

// meter sets the gain for the region in images of the first profile. s.mu must be held.
func (s *sensor) meter(profiles []camdriver.Profile) {
	if s.region == nil || len(profiles) == 0 {
		return
	}
	p, region := profiles[0], *s.region
	if region.Check(p.Width, p.Height) != nil {
		region = camdriver.FullROI(p.Width, p.Height) // set for larger images
	}
	s.settings.Store(s.settings.Load().measured(region, s.dev.world.metering(p, region)))
}

// metering returns the factor of the gain if a region is measured instead of the whole
// image, both at the start of the path.
func (w *world) metering(p camdriver.Profile, r camdriver.ROI) float32 {
	if p.Stream.Kind == camdriver.Depth { // depth is computed from infrared
		p.Stream, p.Format = camdriver.LeftStream, camdriver.Y8
	}
	pixels := make([]byte, p.FrameSize())
	w.render(p, 0, look{gain: 1, saturation: 1, laser: 1}, pixels)
	whole := mean(pixels, p, camdriver.FullROI(p.Width, p.Height))
	return min(max(whole/max(mean(pixels, p, r), 1), 1.0/maxMetering), maxMetering)
}

// mean returns the mean of a region's bytes.
func mean(pixels []byte, p camdriver.Profile, r camdriver.ROI) float32 {
	stride := len(pixels) / p.Height
	pixel := stride / p.Width
	var sum uint64
	for y := r.Top; y <= r.Bottom; y++ {
		for _, v := range pixels[y*stride+r.Left*pixel : y*stride+(r.Right+1)*pixel] {
			sum += uint64(v)
		}
	}
	return float32(sum) / float32((r.Bottom-r.Top+1)*(r.Right-r.Left+1)*pixel)
}
