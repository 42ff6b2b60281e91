package d400

import (
	"context"
	"fmt"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/d400/stamp"
	"rsros/camdriver/model"
	"rsros/camdriver/usb"
	"rsros/camdriver/uvc"
)

// videoPump raises the frames of a streaming interface. It is used by one goroutine.
type videoPump struct {
	sensor  *sensor
	link    *link
	mode    mode
	outputs []target
	handler camdriver.Handler

	frameBytes int    // of a native frame, without header
	header     int    // expected length of the payload header
	scratch    []byte // for transfers to be converted or dropped
	partial    assembly
	stream     usb.Stream
	meta       model.Metadata
	tally      tally
	framePause time.Duration // largest time between frames
}

// target is a profile to raise frames for.
type target struct {
	profile camdriver.Profile
	numbers *stamp.Numbering
}

// beginVideo starts the interfaces for the profiles.
func (s *sensor) beginVideo(l *link, r *run, profiles []camdriver.Profile) error {
	s.mu.RLock()
	modes := s.modes
	s.mu.RUnlock()
	chosen, err := choose(modes, profiles)
	if err != nil {
		return err
	}
	if s.module != nil {
		s.beginStatus(l, r)
	}
	for _, m := range chosen {
		p := &videoPump{sensor: s, link: l, mode: m, handler: s.receiver.Load().Handler, header: defaultHeader}
		for _, profile := range profiles {
			if m.offers(profile) {
				p.outputs = append(p.outputs, target{profile, s.numbers[profile.Stream]})
			}
		}
		if err := p.start(); err != nil {
			return fmt.Errorf("%s: %w", join(profiles), err)
		}
		r.pumps = append(r.pumps, p.run)
		// Otherwise the camera keeps sending.
		r.end = append(r.end, func() { p.clear() })
	}
	return nil
}

// start runs UVC's start sequence: probe, commit, clear the endpoint, submit.
func (p *videoPump) start() error {
	size, err := p.negotiate()
	if err != nil {
		return err
	}
	p.frameBytes = size
	p.framePause = max(minSilence, silentPeriods*time.Second/time.Duration(max(p.mode.fps, 1)))
	return p.submit()
}

// negotiate returns the frame size to which the camera commits.
func (p *videoPump) negotiate() (int, error) {
	l, m := p.link, p.mode
	answer := make([]byte, uvc.ProbeLength(m.function.Version))
	n, err := l.get(startTries, m.control(uvc.ProbeControl), uvc.GetMax, answer)
	if err != nil {
		return 0, fmt.Errorf("read the maximum probe: %w", err)
	}
	want, err := uvc.DecodeProbe(answer[:n])
	if err != nil {
		return 0, fmt.Errorf("read the maximum probe: %w", err)
	}
	if answer, err = l.probe(startTries, m, want); err != nil {
		return 0, err
	}
	got, err := uvc.DecodeProbe(answer)
	if err != nil {
		return 0, fmt.Errorf("read the probe: %w", err)
	}
	if got.Format != m.format.Index || got.Frame != m.frame || uvc.FrameRate(got.Interval) != m.fps {
		return 0, fmt.Errorf("camera offers format %d, frame %d at %d fps, want %d, %d, %d",
			got.Format, got.Frame, uvc.FrameRate(got.Interval), m.format.Index, m.frame, m.fps)
	}
	size := m.w * m.h * m.native.BitsPerPixel() / 8
	if int64(got.MaxFrameSize) < int64(size) || got.MaxFrameSize > maxFrameBytes {
		return 0, fmt.Errorf("camera announces frames of %d bytes, but %dx%d %s has %d",
			got.MaxFrameSize, m.w, m.h, m.native, size)
	}
	if err := l.set(startTries, m.control(uvc.CommitControl), got.Request(m.function.Version)); err != nil {
		return 0, fmt.Errorf("commit: %w", err)
	}
	return int(got.MaxFrameSize), nil
}

// probe asks for a mode, with the other values of want, and returns the camera's answer.
func (l *link) probe(tries int, m mode, want uvc.Probe) ([]byte, error) {
	at := m.control(uvc.ProbeControl)
	want.Hint, want.Format, want.Frame, want.Interval = 1, m.format.Index, m.frame, m.interval
	if err := l.set(tries, at, want.Request(m.function.Version)); err != nil {
		return nil, fmt.Errorf("write the probe: %w", err)
	}
	b := make([]byte, uvc.ProbeLength(m.function.Version))
	n, err := l.get(tries, at, uvc.GetCur, b)
	if err != nil {
		return nil, fmt.Errorf("read the probe: %w", err)
	}
	return b[:n], nil
}

// submit clears the endpoint and submits the transfers.
func (p *videoPump) submit() error {
	if err := p.clear(); err != nil {
		return fmt.Errorf("clear endpoint %#x: %w", p.mode.stream.Endpoint, err)
	}
	err := p.link.try(startTries, func(h usb.Handle) (err error) {
		at := p.mode.stream
		p.stream, err = h.Stream(at.Interface, at.Endpoint, p.transferSize(), transfersInFlight)
		return err
	})
	if err != nil {
		return fmt.Errorf("submit transfers: %w", err)
	}
	return nil
}

func (p *videoPump) clear() error {
	return p.link.try(startTries, func(h usb.Handle) error { return h.ClearHalt(p.mode.stream.Endpoint) })
}

// transferSize returns a multiple of the packet size with room for a frame and its
// header, so that each frame ends with a short packet.
func (p *videoPump) transferSize() int {
	packet := max(p.mode.stream.MaxPacket, 1)
	return (p.frameBytes + payloadRoom + packet - 1) / packet * packet
}

// run reads frames until the stream is stopped or fails.
func (p *videoPump) run(ctx context.Context) {
	defer p.finish()
	stream := p.outputs[0].profile.Stream.String()
	p.sensor.readLoop(ctx, p.link, stream, p.handler, &p.tally, func() error {
		defer p.stream.Close()
		return p.sensor.watch(ctx, stream, p.handler, p.tally.frames > 0, p.framePause, p.transfer)
	}, func(failures int) error {
		if failures > 1 {
			return p.start()
		}
		return p.submit()
	})
}

func (p *videoPump) finish() {
	p.partial.drop()
	if p.tally.dropped > 0 || p.tally.missed > 0 {
		p.sensor.dev.log.Warn().Stringer("stream", p.outputs[0].profile.Stream).
			Uint64("frames", p.tally.frames).Uint64("dropped", p.tally.dropped).
			Uint64("missed", p.tally.missed).Msg("frames were lost")
	}
}

// drop counts a dropped frame.
func (p *videoPump) drop(err error) {
	p.sensor.drops.Add(1)
	p.tally.dropped++
	p.complain(err)
}

// complain logs why a frame isn't raised, and notifies the handler, at most once a second.
func (p *videoPump) complain(err error) {
	now := time.Now()
	if now.Sub(p.tally.logged) < time.Second {
		return
	}
	p.tally.logged = now
	p.sensor.dev.log.Warn().Err(err).Uint64("dropped", p.tally.dropped).
		Stringer("stream", p.outputs[0].profile.Stream).Msg("dropped a frame")
	if err != errNoBuffer {
		p.sensor.notify(p.handler, camdriver.NotifyFrameCorrupted, err.Error())
	}
}

// gap counts frames missing from the camera's counter, except for broken ones, which drop has counted.
func (p *videoPump) gap(frames uint64) {
	missed := frames - min(frames, p.tally.broken)
	p.tally.broken = 0
	p.tally.missed += missed
	p.sensor.drops.Add(missed)
}

// tally counts the frames of a stream.
type tally struct {
	frames, dropped, missed uint64
	broken                  uint64    // of dropped, since the last complete frame
	logged                  time.Time // of the last log entry
}
