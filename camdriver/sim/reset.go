package sim

import (
	"errors"
	"time"

	"rsros/camdriver"
)

// resetTime is how long the camera is gone after a Reset.
const resetTime = time.Second

var errReset = errors.New("hardware reset")

// Reset makes the camera disconnect and, a second later, come back: frames end,
// StatusDisconnected and then StatusStreaming are raised once for the device,
// each started sensor raises a Hardware Event notification, frame numbers start
// from 1. Meanwhile Start fails with ErrUnplugged. Options keep their values.
//
// Reset returns at once and may be called from a Handler.
func (d *Device) Reset() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil {
		return camdriver.ErrClosed
	}
	if !d.gone.Swap(true) {
		d.work.Go(d.reset)
	}
	return nil
}

func (d *Device) reset() {
	var runs []*run
	for _, s := range d.sensors {
		if r := s.interrupt(); r != nil {
			runs = append(runs, r)
		}
	}
	raiseOnce(runs, camdriver.Status{Kind: camdriver.StatusDisconnected, Err: errReset})
	clock := d.opt.Clock
	if clock.SleepUntil(d.ctx, clock.Now().Add(resetTime)) != nil {
		return
	}
	d.gone.Store(false)
	for _, r := range runs {
		r.call(func(h camdriver.Handler) {
			h.Notification(r.s.number, camdriver.Notification{
				Time: clock.Now(), Category: camdriver.NotifyHardwareEvent, Severity: camdriver.SeverityInfo,
				Description: "Hardware reset done",
			})
		})
	}
	raiseOnce(runs, camdriver.Status{Kind: camdriver.StatusStreaming})
	for _, r := range runs {
		r.s.carryOn(r)
	}
}

// raiseOnce tells one of the runs' handlers what concerns the whole device.
func raiseOnce(runs []*run, s camdriver.Status) {
	for _, r := range runs {
		if r.call(func(h camdriver.Handler) { h.StatusChanged(s) }) {
			return
		}
	}
}

// interrupt ends the frames of a started sensor; nil if it isn't started.
func (s *sensor) interrupt() *run {
	s.mu.Lock()
	r := s.run
	if r == nil || r.stopped {
		s.mu.Unlock()
		return nil
	}
	r.pause()
	s.mu.Unlock()
	r.raising.Wait()
	return r
}

// carryOn starts the frames of an interrupted run again, if it still runs.
func (s *sensor) carryOn(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !r.stopped {
		r.resume()
	}
}
