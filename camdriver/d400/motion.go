package d400

import (
	"context"
	"fmt"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/usb"
	"rsros/camdriver/uvc"
)

// motionPump raises frames for both inertial sensors, which share an endpoint.
type motionPump struct {
	sensor  *sensor
	link    *link
	handler camdriver.Handler
	targets map[uint8]*motionTarget // by report id
	stream  usb.Stream
	tally   tally
	buf     []byte
}

// motionTarget is an inertial sensor that streams.
type motionTarget struct {
	target
	last   time.Time // arrival of its last sample
	silent bool      // no sample for minSilence, while the other sensor sends
}

// beginMotion powers the sensors up and starts reading their reports.
func (s *sensor) beginMotion(l *link, r *run, profiles []camdriver.Profile) error {
	if l.hid == nil {
		return fmt.Errorf("no HID interface: %w", camdriver.ErrUnsupported)
	}
	p := &motionPump{sensor: s, link: l, handler: s.receiver.Load().Handler, targets: map[uint8]*motionTarget{}}
	for _, profile := range profiles {
		id := model.ReportOf(profile.Stream)
		p.targets[id] = &motionTarget{target: target{profile, s.numbers[profile.Stream]}}
		r.end = append(r.end, func() { _ = l.power(id, model.PowerOff, profile.FPS) })
		if err := p.powerUp(profile); err != nil {
			return err
		}
	}
	if err := p.submit(); err != nil {
		return err
	}
	r.pumps = append(r.pumps, p.run)
	return nil
}

func (p *motionPump) powerUp(profile camdriver.Profile) error {
	if err := p.link.power(model.ReportOf(profile.Stream), model.PowerOn, profile.FPS); err != nil {
		return fmt.Errorf("power %s up: %w", profile.Stream, err)
	}
	return nil
}

func (p *motionPump) submit() error {
	return p.link.try(1, func(h usb.Handle) (err error) {
		p.stream, err = h.Stream(p.link.hid.Interface, p.link.hid.Endpoint, p.link.reportSize(), imuTransfers)
		return err
	})
}

func (p *motionPump) restart() error {
	if err := p.link.try(1, func(h usb.Handle) error { return h.ClearHalt(p.link.hid.Endpoint) }); err != nil {
		return fmt.Errorf("clear endpoint %#x: %w", p.link.hid.Endpoint, err)
	}
	return p.submit()
}

// reportSize is the size of transfers of the inertial sensors' reports.
func (l *link) reportSize() int { return max(l.hid.MaxPacket, model.WideReportSize) }

// power sets a HID sensor's power state and rate and verifies the state.
func (l *link) power(id, state uint8, fps int) error {
	interval, ok := model.RateIntervals[fps]
	if !ok {
		return fmt.Errorf("rate %d: %w", fps, camdriver.ErrUnsupported)
	}
	f, err := l.feature(id)
	if err != nil {
		return err
	}
	f.ID, f.Power, f.Interval = id, state, interval
	_, err = l.control(startTries, uvc.RequestOut, uvc.HIDSetReport, uvc.HIDFeature|uint16(id),
		uint16(l.hid.Interface), f.Encode())
	if err != nil {
		return fmt.Errorf("write HID feature report %d: %w", id, err)
	}
	if f, err = l.feature(id); err == nil && f.Power != state {
		err = fmt.Errorf("HID sensor %d is in power state %d after setting %d", id, f.Power, state)
	}
	return err
}

func (l *link) feature(id uint8) (model.Feature, error) {
	b := make([]byte, model.FeatureSize)
	n, err := l.control(startTries, uvc.RequestIn, uvc.HIDGetReport, uvc.HIDFeature|uint16(id), uint16(l.hid.Interface), b)
	if err != nil {
		return model.Feature{}, fmt.Errorf("read HID feature report %d: %w", id, err)
	}
	return model.ParseFeature(b[:n])
}

func (p *motionPump) run(ctx context.Context) {
	const stream = "motion"
	p.buf = make([]byte, p.link.reportSize())
	p.sensor.readLoop(ctx, p.link, stream, p.handler, &p.tally, func() error {
		defer p.stream.Close()
		return p.sensor.watch(ctx, stream, p.handler, p.tally.frames > 0, minSilence, p.transfer)
	}, func(failures int) error {
		for _, t := range p.targets {
			t.last, t.silent = time.Time{}, false
			if failures > 1 { // clearing the endpoint wasn't enough
				if err := p.powerUp(t.profile); err != nil {
					return err
				}
			}
		}
		return p.restart()
	})
}

// transfer reads a report and raises its sample.
func (p *motionPump) transfer(ctx context.Context, w *watchdog) (complete bool, err error) {
	samples := p.tally.frames
	w.wait()
	n, err := p.stream.Read(ctx, p.buf)
	arrival := w.arrived()
	if err == nil && n > 0 {
		p.report(p.buf[:n], arrival)
		p.checkSilent(arrival)
	}
	return p.tally.frames > samples, err
}

// checkSilent powers a sensor up again that is silent while the other one sends, once each time.
func (p *motionPump) checkSilent(now time.Time) {
	for _, t := range p.targets {
		if t.last.IsZero() {
			t.last = now
		}
		if silent := now.Sub(t.last) > minSilence; silent == t.silent {
			continue
		}
		if t.silent = !t.silent; t.silent {
			text := fmt.Sprintf("%s: no sample for %v", t.profile.Stream, minSilence)
			p.sensor.notify(p.handler, camdriver.NotifyFramesTimeout, text)
			if err := p.link.note(p.powerUp(t.profile)); err != nil {
				p.sensor.dev.log.Warn().Err(err).Msg("the silent sensor can't be restarted")
			}
		}
	}
}

// report raises the sample of a report. It ignores sensors that aren't started and the module's other inputs (id 3).
func (p *motionPump) report(b []byte, arrival time.Time) {
	sample, err := model.ParseReport(b)
	if err != nil {
		p.tally.dropped++
		p.sensor.drops.Add(1)
		return
	}
	t, wanted := p.targets[sample.ID]
	if !wanted {
		return
	}
	p.tally.frames++
	t.last = arrival
	v := sample.Value()
	if p.sensor.dev.host.correction.on() {
		if sample.ID == model.ReportGyro {
			v = p.sensor.cal.imu.Gyro.Apply(v)
		} else {
			v = p.sensor.cal.imu.Accel.Apply(v)
		}
	}
	stamp, domain := p.sensor.stamp(sample.Time)
	number, _ := t.numbers.Next(0, false)
	f := camdriver.NewFrame(nil)
	f.Profile, f.Number, f.Arrival = t.profile, number, arrival
	f.Timestamp, f.Domain = t.numbers.Monotonic(stamp), domain
	f.Metadata = []camdriver.MetadataValue{
		{Key: camdriver.MetaFrameTimestamp, Value: int64(sample.Time)},
		{Key: camdriver.MetaTimeOfArrival, Value: arrival.UnixMilli()},
	}
	if sample.ID == model.ReportGyro {
		f.Motion.Gyro = v
	} else {
		f.Motion.Accel = v
	}
	p.handler.Frame(p.sensor.number, f)
	f.Release()
}
