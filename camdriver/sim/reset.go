package sim

import (
	"context"
	"errors"
	"time"

	"rsros/camdriver"
)

// resetTime is how long the camera is away after a Reset.
const resetTime = time.Second

var errReset = errors.New("hardware reset")

// Reset disconnects the camera for a second: frames end, StatusDisconnected and then StatusStreaming are raised once
// for the device, and each started sensor raises a Hardware Event notification. Frame numbers restart from 1. Until
// then, Start fails with ErrUnplugged. Options keep their values.
//
// Reset returns immediately and may be called from a Handler.
func (d *Device) Reset() error {
	if err := d.disconnect(errReset); err != camdriver.ErrUnplugged {
		return err
	}
	return nil
}

// Unplug disconnects the camera: frames end, StatusDisconnected is raised once for the device, and Start fails with
// ErrUnplugged until Replug. It returns ErrUnplugged if the camera is already disconnected.
//
// Unplug returns immediately and may be called from a Handler.
func (d *Device) Unplug() error { return d.disconnect(camdriver.ErrUnplugged) }

// disconnect starts leave. It returns ErrUnplugged if the camera is away.
func (d *Device) disconnect(why error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil {
		return camdriver.ErrClosed
	}
	if d.gone.Swap(true) {
		return camdriver.ErrUnplugged
	}
	replug := make(chan struct{})
	d.back, d.replug = make(chan struct{}), replug
	d.work.Go(func() { d.leave(why, replug) })
	return nil
}

// Replug reconnects an unplugged camera: StatusStreaming is raised once for the device, and started sensors raise
// frames again, with numbers from 1. Options keep their values. It does nothing if the camera is connected.
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

func (d *Device) AwaitReturn(ctx context.Context) error {
	d.mu.Lock()
	gone, back := d.gone.Load(), d.back
	d.mu.Unlock()
	if gone {
		select {
		case <-back:
		case <-d.ctx.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return context.Cause(d.ctx)
}

// away waits until a reset is over or the camera is plugged in again. It returns false if the device is closed.
func (d *Device) away(why error, replug chan struct{}) bool {
	if why == errReset {
		return d.opt.Clock.SleepUntil(d.ctx, d.opt.Clock.Now().Add(resetTime)) == nil
	}
	select {
	case <-replug:
		return true
	case <-d.ctx.Done():
		return false
	}
}

// leave interrupts all sensors until the camera returns, unless the device is closed before.
func (d *Device) leave(why error, replug chan struct{}) {
	var runs []*run
	for _, s := range d.sensors {
		if r := s.interrupt(); r != nil {
			runs = append(runs, r)
		}
	}
	raiseToOne(runs, camdriver.Status{Kind: camdriver.StatusDisconnected, Err: why})
	if !d.away(why, replug) {
		return
	}
	d.mu.Lock()
	d.gone.Store(false)
	close(d.back)
	d.mu.Unlock()
	if why == errReset {
		n := camdriver.Notification{
			Time: d.opt.Clock.Now(), Category: camdriver.NotifyHardwareEvent, Severity: camdriver.SeverityInfo,
			Description: "Hardware reset done",
		}
		for _, r := range runs {
			r.receiver.Call(func(h camdriver.Handler) { h.Notification(r.s.number, n) })
		}
	}
	raiseToOne(runs, camdriver.Status{Kind: camdriver.StatusStreaming})
	for _, r := range runs {
		r.s.resume(r)
	}
}

// raiseToOne passes a status of the device to one of the runs' handlers.
func raiseToOne(runs []*run, s camdriver.Status) {
	for _, r := range runs {
		if r.receiver.Call(func(h camdriver.Handler) { h.StatusChanged(s) }) {
			return
		}
	}
}

// interrupt stops the frames of a sensor. It returns nil if the sensor isn't started.
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

// resume restarts the frames of an interrupted run unless it was stopped.
func (s *sensor) resume(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !r.stopped {
		r.resume()
	}
}
