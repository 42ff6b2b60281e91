package d400

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"rsros/camdriver"
)

// keep is the device's own goroutine, from Open to Close: it reads the camera's
// clock and error report while streams run, and brings the camera back after it
// went away.
func (d *Device) keep() {
	defer close(d.done)
	poll := time.NewTimer(clockPoll)
	defer poll.Stop()
	var asked time.Time // for errors
	for {
		select {
		case <-d.ctx.Done():
			return
		case gone := <-d.lost:
			d.recover(gone)
		case <-poll.C:
			if l, err := d.current(); err == nil && d.active.Load() > 0 {
				d.sampleClock(l)
				for _, s := range d.sensors {
					s.region.settle(l, s)
				}
				if now := time.Now(); d.host.errors.on.Load() && now.Sub(asked) >= errorPoll {
					asked = now
					d.askErrors(l)
				}
			}
			if poll.Reset(clockPoll); d.clock.full() {
				poll.Reset(clockPollSlow)
			}
		}
	}
}

// sampleClock reads the camera's clock between two readings of the host's; the
// first time it takes the quickest of several, as all later ones build on it.
func (d *Device) sampleClock(l *link) {
	tries := 1
	if d.clock.empty() {
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
		if d.note(l, err) != nil {
			d.log.Debug().Err(err).Msg("cannot read the camera's clock")
			return
		}
		if i == 0 || after.Sub(before) < best.after.Sub(best.before) {
			best.us, best.before, best.after = us, before, after
		}
	}
	d.clock.add(best.us, best.before, best.after)
}

// askErrors reads the error report, which the camera clears by that.
func (d *Device) askErrors(l *link) {
	var b [1]byte
	at := l.depthXU(xuErrorReport)
	n, err := l.handle.Control(requestIn, reqGetCur, at.value(), at.index(), b[:])
	if d.note(l, err) != nil || n < 1 || b[0] == 0 {
		return
	}
	note := camdriver.Notification{
		Time: time.Now(), Category: camdriver.NotifyHardwareError, Severity: camdriver.SeverityError,
		Description: deviceError(b[0]),
	}
	d.log.Error().Uint8("code", b[0]).Msg(note.Description)
	d.sensors[0].raise(func(h camdriver.Handler) { h.Notification(0, note) })
}

// deviceError words the codes whose meaning is known.
func deviceError(code uint8) string {
	switch code {
	case 1:
		return "the laser is too hot and was turned off"
	case 26:
		return "the USB 2 link limits the camera"
	}
	return fmt.Sprintf("the camera reports hardware error %d", code)
}

// recover ends what ran over a dead link and brings it back when the camera is
// found again, however long that takes.
func (d *Device) recover(gone loss) {
	if l, err := d.current(); err != nil || l != gone.link {
		return // an old report
	}
	d.detach(gone)
	if errors.Is(gone.err, errReset) {
		d.waitGone(gone.link.usb)
	}
	others := map[USBDevice]bool{}
	for d.ctx.Err() == nil {
		err := d.reattach(others)
		if err == nil {
			return
		}
		d.log.Debug().Err(err).Msg("the camera is not back yet")
		wait(d.ctx, d.rescan)
	}
}

// detach ends the streams and tells the handlers why.
func (d *Device) detach(gone loss) {
	d.life.Lock()
	defer d.life.Unlock()
	d.log.Warn().Err(gone.err).Msg("the camera went away")
	d.leaves()
	d.setLink(nil)
	for _, s := range d.sensors {
		s.halt()
	}
	d.announce(camdriver.Status{Kind: camdriver.StatusDisconnected, Err: gone.err})
	if err := gone.link.close(); err != nil {
		d.log.Debug().Err(err).Msg("closing the lost camera")
	}
	d.clock.reset()
}

// waitGone waits until a camera that was reset has left the bus.
func (d *Device) waitGone(old USBDevice) {
	ctx, cancel := context.WithTimeout(d.ctx, resetGone)
	defer cancel()
	for ctx.Err() == nil {
		list, err := d.bus.Scan(ctx)
		if err == nil && !contains(list, old) {
			return
		}
		wait(ctx, rescan/5)
	}
}

func contains(list []USBDevice, dev USBDevice) bool {
	for _, u := range list {
		if u.Bus == dev.Bus && u.Address == dev.Address {
			return true
		}
	}
	return false
}

// reattach looks for the camera once and starts its streams again.
func (d *Device) reattach(others map[USBDevice]bool) error {
	l, err := d.find(others)
	if err != nil {
		return err
	}
	d.life.Lock()
	defer d.life.Unlock()
	if d.ctx.Err() != nil {
		return errors.Join(camdriver.ErrClosed, l.close())
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
		return errors.Join(err, l.close())
	}
	d.log.Info().Str("port", l.usb.Port).Msg("the camera is back")
	d.returned()
	d.announce(camdriver.Status{Kind: camdriver.StatusStreaming})
	for _, s := range d.sensors {
		if s.running != nil {
			s.running.flow()
		}
	}
	return nil
}

// returned ends what waits for the camera.
func (d *Device) returned() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.back != nil {
		close(d.back)
		d.back = nil
	}
}

// announce raises a status, once for a handler that several sensors share. It
// needs life.
func (d *Device) announce(status camdriver.Status) {
	for i, s := range d.sensors {
		shared := slices.ContainsFunc(d.sensors[:i], func(o *sensor) bool { return same(o.handler, s.handler) })
		if !shared {
			s.raise(func(h camdriver.Handler) { h.StatusChanged(status) })
		}
	}
}

// same compares handlers; those of types that cannot be compared differ.
func same(a, b camdriver.Handler) bool {
	return a != nil && b != nil && reflect.TypeOf(a).Comparable() && reflect.TypeOf(b).Comparable() && a == b
}

func (d *Device) setLink(l *link) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.link = l; l != nil {
		d.info = deviceInfo(l, d.product)
	}
}

// resume starts what ran before the camera went away.
func (s *sensor) resume(l *link) error {
	if s.wanted == nil {
		return nil
	}
	s.region.started(s.wanted)
	for _, n := range s.numbers {
		n.again()
	}
	return s.begin(l, s.wanted)
}

// find connects to the plugged camera that has this device's serial number. It
// remembers others, to leave them alone from then on: each look takes a camera
// from the kernel's drivers for a moment.
func (d *Device) find(others map[USBDevice]bool) (*link, error) {
	list, err := d.bus.Scan(d.ctx)
	if err != nil {
		return nil, err
	}
	serial := camdriver.Find(d.Info(), camdriver.InfoSerialNumber)
	err = camdriver.ErrUnplugged
	for _, u := range list {
		if u.Product != d.product.id || others[u] {
			continue
		}
		l, openErr := connect(d.ctx, d.bus, u)
		if openErr != nil {
			err = openErr
			continue
		}
		if l.id.Serial == serial {
			return l, nil
		}
		others[u] = true
		if err := l.close(); err != nil {
			d.log.Debug().Err(err).Msg("closing another camera")
		}
	}
	return nil, err
}

// wait is a pause that ends early with ctx.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
