package sim

import (
	"context"
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
	if d.gone.Swap(true) {
		return nil
	}
	d.back = make(chan struct{})
	d.work.Go(func() {
		d.leave(errReset, "Hardware reset done", func() bool {
			clock := d.opt.Clock
			return clock.SleepUntil(d.ctx, clock.Now().Add(resetTime)) == nil
		})
	})
	return nil
}

// Unplug makes the camera disconnect as a pulled cable does: frames end,
// StatusDisconnected is raised once for the device, and Start fails with
// ErrUnplugged until Replug. It returns ErrUnplugged if the camera is gone already.
//
// Unplug returns at once and may be called from a Handler.
func (d *Device) Unplug() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil {
		return camdriver.ErrClosed
	}
	if d.gone.Swap(true) {
		return camdriver.ErrUnplugged
	}
	d.back = make(chan struct{})
	plugged := make(chan struct{})
	d.replug = plugged
	d.work.Go(func() {
		d.leave(camdriver.ErrUnplugged, "", func() bool {
			select {
			case <-plugged:
				return true
			case <-d.ctx.Done():
				return false
			}
		})
	})
	return nil
}

// Replug makes an unplugged camera come back: StatusStreaming is raised once for
// the device, and the sensors that were started raise frames again, with numbers
// from 1. Options keep their values. It does nothing if the camera is plugged in.
func (d *Device) Replug() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil {
		return camdriver.ErrClosed
	}
	if d.replug != nil {
		close(d.replug)
		d.replug = nil
	}
	return nil
}

// AwaitReturn implements camdriver.Returning.
func (d *Device) AwaitReturn(ctx context.Context) error {
	d.mu.Lock()
	gone, back := d.gone.Load(), d.back
	d.mu.Unlock()
	if !gone {
		return d.closed()
	}
	select {
	case <-back:
		return d.closed()
	case <-d.ctx.Done():
		return camdriver.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *Device) closed() error {
	if d.ctx.Err() != nil {
		return camdriver.ErrClosed
	}
	return nil
}

// leave makes the camera go, for the reason why, until wait returns; if it returns
// false the camera stays away. said is the notification of its return, if any.
func (d *Device) leave(why error, said string, wait func() bool) {
	var runs []*run
	for _, s := range d.sensors {
		if r := s.interrupt(); r != nil {
			runs = append(runs, r)
		}
	}
	raiseOnce(runs, camdriver.Status{Kind: camdriver.StatusDisconnected, Err: why})
	if !wait() {
		return
	}
	d.mu.Lock()
	d.gone.Store(false)
	close(d.back)
	d.mu.Unlock()
	for _, r := range runs {
		if said == "" {
			break
		}
		r.call(func(h camdriver.Handler) {
			h.Notification(r.s.number, camdriver.Notification{
				Time: d.opt.Clock.Now(), Category: camdriver.NotifyHardwareEvent, Severity: camdriver.SeverityInfo,
				Description: said,
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
