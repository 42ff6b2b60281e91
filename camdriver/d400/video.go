package d400

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"rsros/camdriver"
)

// videoPump carries the frames of one streaming interface from the camera to the
// handler. It belongs to one goroutine once run is called.
type videoPump struct {
	sensor  *sensor
	link    *link
	mode    mode
	outputs []target
	handler camdriver.Handler

	frameBytes int    // of one native frame, without header
	header     int    // expected length of the payload header
	scratch    []byte // for transfers that are converted or dropped
	partial    assembly
	stream     Stream
	meta       metadata
	tally      tally
	framePause time.Duration // silence after which something is wrong
	watchdog   *time.Timer   // runs while a read waits, not while a frame is handled
	arrival    time.Time     // of the last transfer
}

// target is one profile that frames are raised for.
type target struct {
	profile camdriver.Profile
	numbers *numbering
}

// beginVideo starts every interface that the profiles need.
func (s *sensor) beginVideo(l *link, r *run, profiles []camdriver.Profile) error {
	s.mu.RLock()
	modes := s.modes
	s.mu.RUnlock()
	chosen, err := choose(modes, profiles)
	if err != nil {
		return err
	}
	for _, m := range chosen {
		p := &videoPump{sensor: s, link: l, mode: m, handler: s.handler, header: defaultHeader}
		for _, profile := range profiles {
			if m.offers(profile) {
				p.outputs = append(p.outputs, target{profile, s.numbers[profile.Stream]})
			}
		}
		if err := p.start(); err != nil {
			return fmt.Errorf("%s: %w", join(profiles), err)
		}
		r.pumps = append(r.pumps, p.run)
		// Left alone, a camera goes on sending into an endpoint that nobody reads.
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

// negotiate gives the size of a frame that the camera has committed to.
func (p *videoPump) negotiate() (int, error) {
	l, m := p.link, p.mode
	const vsProbe, vsCommit = 1, 2
	version := l.depth.Version
	if l.color != nil && p.sensor.name == "RGB Camera" {
		version = l.color.Version
	}
	at := control{iface: m.stream.Interface, selector: vsProbe}
	answer := make([]byte, probeLength(version))
	get := func(request uint8) (probe, error) {
		n := 0
		err := l.persist(startTries, func() (err error) {
			n, err = l.handle.Control(requestIn, request, at.value(), at.index(), answer)
			return err
		})
		if err != nil {
			return probe{}, err
		}
		return decodeProbe(answer[:n])
	}
	want, err := get(reqGetMax)
	if err != nil {
		return 0, fmt.Errorf("probe, maximum: %w", err)
	}
	want.Hint, want.Format, want.Frame, want.Interval = 1, m.format, m.frame, m.interval
	set := func() error { return l.transfer(at, reqSetCur, want.encode(version)) }
	if err := l.persist(startTries, set); err != nil {
		return 0, fmt.Errorf("probe: %w", err)
	}
	got, err := get(reqGetCur)
	if err != nil {
		return 0, fmt.Errorf("probe, answer: %w", err)
	}
	if got.Format != m.format || got.Frame != m.frame || frameRate(got.Interval) != m.fps {
		return 0, fmt.Errorf("camera offers format %d frame %d at %d fps instead of %d, %d, %d",
			got.Format, got.Frame, frameRate(got.Interval), m.format, m.frame, m.fps)
	}
	size := m.w * m.h * m.native.BitsPerPixel() / 8
	if int64(got.MaxFrameSize) < int64(size) || got.MaxFrameSize > maxFrameBytes {
		return 0, fmt.Errorf("camera announces frames of %d bytes, %dx%d %s has %d", got.MaxFrameSize, m.w, m.h, m.native, size)
	}
	want = got
	at.selector = vsCommit
	if err := l.persist(startTries, set); err != nil {
		return 0, fmt.Errorf("commit: %w", err)
	}
	return int(got.MaxFrameSize), nil
}

// submit clears the endpoint and puts the transfers in flight.
func (p *videoPump) submit() error {
	if err := p.clear(); err != nil {
		return fmt.Errorf("clear endpoint %#x: %w", p.mode.stream.Endpoint, err)
	}
	err := p.link.persist(startTries, func() (err error) {
		at := p.mode.stream
		p.stream, err = p.link.handle.Stream(at.Interface, at.Endpoint, p.transferSize(), transfersInFlight)
		return err
	})
	if err != nil {
		return fmt.Errorf("submit transfers: %w", err)
	}
	return nil
}

func (p *videoPump) clear() error {
	return p.link.persist(startTries, func() error { return p.link.handle.ClearHalt(p.mode.stream.Endpoint) })
}

// transferSize holds a frame with the longest header and is a multiple of the
// packet size, so that no frame overflows it and each ends with a short packet.
func (p *videoPump) transferSize() int {
	packet := max(p.mode.stream.MaxPacket, 1)
	return (p.frameBytes + payloadRoom + packet - 1) / packet * packet
}

// run reads frames until the stream is stopped or cannot go on.
func (p *videoPump) run(ctx context.Context) {
	defer p.finish()
	for failures := 0; ; {
		frames := p.tally.frames
		err := p.read(ctx, frames > 0)
		if p.stream.Close(); ctx.Err() != nil {
			return
		}
		if p.tally.frames > frames {
			failures = 0
		}
		failures++
		if errors.Is(err, camdriver.ErrUnplugged) {
			p.sensor.dev.tell(loss{p.link, err})
			return
		}
		if failures > streamRestarts {
			p.fail(err)
			return
		}
		p.sensor.dev.log.Warn().Err(err).Stringer("stream", p.outputs[0].profile.Stream).Msg("the stream broke and is started again")
		if err := p.again(failures > 1); err != nil {
			if errors.Is(err, camdriver.ErrUnplugged) {
				p.sensor.dev.tell(loss{p.link, err})
			} else if ctx.Err() == nil {
				p.fail(err)
			}
			return
		}
	}
}

// again brings a broken stream back: first with a cleared endpoint, then from
// the beginning.
func (p *videoPump) again(whole bool) error {
	if whole {
		return p.start()
	}
	return p.submit()
}

func (p *videoPump) fail(err error) {
	p.handler.StatusChanged(camdriver.Status{
		Kind: camdriver.StatusFailed, Err: fmt.Errorf("%s: %w", p.outputs[0].profile.Stream, err),
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

var errSilent = errors.New("no frame in time")

// read raises frames until a transfer fails.
func (p *videoPump) read(ctx context.Context, seen bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	patience := firstFrame
	if seen {
		patience = p.framePause
	}
	p.watchdog = time.AfterFunc(patience, func() { cancel(errSilent) })
	defer p.watchdog.Stop()
	for waited := time.Duration(0); ; {
		// A read may go on giving what has ended already, for ever if frames come
		// faster than they are handled: the end has to be looked for.
		if ctx.Err() != nil {
			return p.ended(ctx, patience)
		}
		frames, before := p.tally.frames, time.Now()
		p.watchdog.Reset(patience - waited)
		if err := p.transfer(ctx); err != nil {
			if ctx.Err() != nil {
				return p.ended(ctx, patience)
			}
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		waited += p.arrival.Sub(before)
		if p.tally.frames > frames {
			patience, waited = p.framePause, 0
		}
	}
}

// ended says why a read's context ended, and to the handler if nothing came.
func (p *videoPump) ended(ctx context.Context, patience time.Duration) error {
	cause := context.Cause(ctx)
	if cause == errSilent {
		p.notify(camdriver.NotifyFramesTimeout, fmt.Sprintf("%s: no frame for %v", p.outputs[0].profile.Stream, patience))
	}
	return cause
}

func (p *videoPump) notify(c camdriver.Category, text string) {
	p.handler.Notification(p.sensor.number, camdriver.Notification{
		Time: time.Now(), Category: c, Severity: camdriver.SeverityWarn, Description: text,
	})
}

// errNoBuffer is a frame that came whole but found no memory.
var errNoBuffer = errors.New("all frame memory is held by consumers")

// drop counts a frame that is not raised, and says so once a second at most.
func (p *videoPump) drop(err error) {
	p.sensor.drops.Add(1)
	p.tally.dropped++
	now := time.Now()
	if now.Sub(p.tally.said) < time.Second {
		return
	}
	p.tally.said = now
	p.sensor.dev.log.Warn().Err(err).Uint64("dropped", p.tally.dropped).
		Stringer("stream", p.outputs[0].profile.Stream).Msg("dropped a frame")
	if err != errNoBuffer {
		p.notify(camdriver.NotifyFrameCorrupted, err.Error())
	}
}

// gap counts frames that the camera's counter leaves out. Those that came broken
// were counted when they came.
func (p *videoPump) gap(frames uint64) {
	missed := frames - min(frames, p.tally.broken)
	p.tally.broken = 0
	p.tally.missed += missed
	p.sensor.drops.Add(missed)
}

// tally counts what a stream did.
type tally struct {
	frames, dropped, missed uint64
	broken                  uint64    // of dropped, since the last whole frame
	said                    time.Time // when dropped was last logged
}
