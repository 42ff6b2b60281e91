package d400

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/d400/stamp"
	"rsros/camdriver/model"
	"rsros/camdriver/usb"
	"rsros/camdriver/uvc"
)

// keep is the device's goroutine, from Open to Close. While streams run, it reads the camera's clock and error report.
// Otherwise, it checks that the camera is still there. It reconnects the camera after it was unplugged.
func (d *Device) keep(l *link) {
	defer close(d.done)
	poll := time.NewTimer(clockPoll)
	defer poll.Stop()
	var asked time.Time // of the last error report
	for {
		select {
		case <-l.ctx.Done():
			if l = d.recover(l); l == nil {
				return
			}
		case <-poll.C:
			if d.active.Load() > 0 {
				d.sampleClock(l)
				for _, s := range d.sensors {
					s.region.settle(l, s)
				}
				if now := time.Now(); d.host.errors.on() && now.Sub(asked) >= errorPoll {
					asked = now
					d.reportError(l.takeError())
				}
			} else if err := l.present(); err != nil {
				d.log.Debug().Err(err).Msg("the idle camera doesn't answer")
			}
			if poll.Reset(clockPoll); d.active.Load() == 0 || d.clock.Count() == stamp.Samples {
				poll.Reset(clockPollSlow)
			}
		}
	}
}

// sampleClock reads the camera's clock between two readings of the host's. The first sample is the fastest of several.
func (d *Device) sampleClock(l *link) {
	tries := 1
	if d.clock.Count() == 0 {
		tries = firstSamples
	}
	var best struct {
		us            uint32
		before, after time.Time
	}
	for i := range tries {
		before := time.Now()
		us, err := l.deviceClock()
		after := time.Now()
		if l.note(err) != nil {
			d.log.Debug().Err(err).Msg("cannot read the camera's clock")
			return
		}
		if i == 0 || after.Sub(before) < best.after.Sub(best.before) {
			best.us, best.before, best.after = us, before, after
		}
	}
	if step := d.clock.Add(best.us, best.before, best.after); step != 0 {
		d.log.Warn().Stringer("by", step.Round(time.Millisecond)).
			Msg("the host's clock was stepped, and the times of frames with it")
	}
}

// takeError reads and thereby clears the camera's error report. 0 is no error.
func (l *link) takeError() uint8 {
	var b [1]byte
	_, err := l.get(1, l.depthXU(model.XUErrorReport), uvc.GetCur, b[:])
	_ = l.note(err)
	return b[0]
}

// reportError notifies of an error that the camera reports.
func (d *Device) reportError(code uint8) {
	if code == 0 {
		return
	}
	note := camdriver.Notification{Time: time.Now(), Category: camdriver.NotifyHardwareError,
		Severity: camdriver.SeverityError}
	if int(code) < len(deviceErrors) {
		note.Description = deviceErrors[code]
	} else {
		note.Description = fmt.Sprintf("the camera reports hardware error %d", code)
	}
	d.log.Error().Uint8("code", code).Msg(note.Description)
	d.sensors[0].raise(func(h camdriver.Handler) { h.Notification(0, note) })
}

var deviceErrors = [...]string{
	"no error", "the laser is hot; its power was reduced", "the laser overheated and was turned off",
	"the laser was turned off by its safety circuit", "the stereo module isn't connected",
	"the EEPROM is damaged", "the calibration is damaged", "the update of the motion module failed",
	"the update of the image processor failed", "the motion module was paused", "the motion module failed",
	"USB control overflow", "USB depth overflow", "USB colour overflow", "the left imager's link failed",
	"the right imager's link failed", "the colour imager's link failed", "the fisheye imager's link failed",
	"the left imager can't be configured", "the right imager can't be configured",
	"the colour imager can't be configured", "the fisheye imager can't be configured",
	"the depth stream didn't start", "the infrared stream didn't start", "the colour stream didn't start",
	"the depth processor failed", "the USB 2 link limits the camera", "the laser is too cold and was turned off",
	"the temperature can't be read; the laser was turned off", "the image processor's start data can't be loaded",
}

// recover stops the streams of a link that has ended, and restarts them when the camera returns. It returns the new
// link, or nil if the device is closed.
func (d *Device) recover(gone *link) *link {
	if d.ctx.Err() != nil {
		return nil
	}
	why := context.Cause(gone.ctx)
	d.detach(gone, why)
	if errors.Is(why, errReset) {
		d.waitGone(gone.usb)
	}
	others, said := map[usb.Device]bool{}, ""
	for d.ctx.Err() == nil {
		l, err := d.reattach(gone.usb.Serial, others)
		if err == nil {
			return l
		}
		if text := err.Error(); !errors.Is(err, camdriver.ErrUnplugged) && text != said && d.ctx.Err() == nil {
			said = text
			d.log.Warn().Err(err).Msg("the camera is back, but can't be used; trying again")
		}
		wait(d.ctx, d.rescan)
	}
	return nil
}

// detach stops the streams and reports the disconnection.
func (d *Device) detach(gone *link, why error) {
	d.life.Lock()
	defer d.life.Unlock()
	d.log.Warn().Err(why).Msg("the camera disconnected")
	d.leaves()
	d.setLink(nil)
	for _, s := range d.sensors {
		s.halt()
		if s.module != nil {
			s.module.unplugged()
		}
	}
	d.announce(camdriver.Status{Kind: camdriver.StatusDisconnected, Err: why})
	if err := gone.close(); err != nil {
		d.log.Debug().Err(err).Msg("cannot close the disconnected camera")
	}
	d.clock.Reset()
}

// waitGone waits until a reset camera has left the bus.
func (d *Device) waitGone(old usb.Device) {
	ctx, cancel := context.WithTimeout(d.ctx, resetGone)
	defer cancel()
	for ctx.Err() == nil {
		list, err := d.bus.Scan(ctx)
		here := slices.ContainsFunc(list, func(u usb.Device) bool { return u.Bus == old.Bus && u.Address == old.Address })
		if err == nil && !here {
			return
		}
		wait(ctx, rescan/5)
	}
}

// reattach searches for the camera once, by the serial number that USB had for it, and restarts its streams.
func (d *Device) reattach(name string, others map[usb.Device]bool) (*link, error) {
	l, err := d.find(name, others)
	if err != nil {
		return nil, err
	}
	d.life.Lock()
	defer d.life.Unlock()
	if d.ctx.Err() != nil {
		return nil, errors.Join(camdriver.ErrClosed, l.close())
	}
	d.setLink(l)
	for _, s := range d.sensors {
		if err = s.attach(l); err == nil {
			s.restore(l)
			err = s.resume(l)
		}
		if err != nil {
			break
		}
	}
	if err != nil {
		for _, s := range d.sensors {
			s.halt()
		}
		d.setLink(nil)
		return nil, errors.Join(err, l.close())
	}
	d.log.Info().Str("port", l.usb.Port).Msg("the camera reconnected")
	d.returned()
	d.announce(camdriver.Status{Kind: camdriver.StatusStreaming})
	for _, s := range d.sensors {
		if s.running != nil {
			s.running.startPumps()
		}
	}
	return l, nil
}

// returned ends calls of AwaitReturn.
func (d *Device) returned() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.back != nil {
		close(d.back)
		d.back = nil
	}
}

// announce raises a status of the device to the handler of one started sensor. d.life must be held.
func (d *Device) announce(status camdriver.Status) {
	for _, s := range d.sensors {
		if s.raise(func(h camdriver.Handler) { h.StatusChanged(status) }) {
			return
		}
	}
}

func (d *Device) setLink(l *link) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.link = l; l != nil {
		d.info = deviceInfo(l, d.product)
	}
}

// resume restarts the streams that ran before the camera was unplugged.
func (s *sensor) resume(l *link) error {
	if s.wanted == nil {
		return nil
	}
	if err := camdriver.CheckProfiles(s.wanted, s.offered); err != nil {
		return err // it may be on a slower link now
	}
	s.region.started(s.wanted)
	for _, n := range s.numbers {
		n.Again()
	}
	return s.begin(l, s.wanted)
}

// find connects to the camera with this device's serial number. name is what USB had for it, or "". It adds other
// cameras to others and skips them the next time, because connecting detaches the kernel's drivers.
func (d *Device) find(name string, others map[usb.Device]bool) (*link, error) {
	list, err := d.bus.Scan(d.ctx)
	if err != nil {
		return nil, err
	}
	serial := camdriver.Find(d.Info(), camdriver.InfoSerialNumber)
	err = camdriver.ErrUnplugged
	for _, u := range list {
		if u.Product != d.product.ID || others[u] || name != "" && u.Serial != "" && u.Serial != name {
			continue
		}
		l, openErr := connect(d.ctx, d.bus, u)
		if openErr != nil {
			err = openErr
			continue
		}
		if l.id.Serial.String() == serial {
			return l, nil
		}
		others[u] = true
		if err := l.close(); err != nil {
			d.log.Debug().Err(err).Msg("cannot close another camera")
		}
	}
	return nil, err
}

// wait waits for d or until ctx is done.
func wait(ctx context.Context, d time.Duration) {
	_ = camdriver.System{}.SleepUntil(ctx, time.Now().Add(d))
}
