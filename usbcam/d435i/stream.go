package d435i

import (
	"context"
	"time"

	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
)

// stream is a streaming interface: probe, commit, clear, then payloads.
type stream struct {
	endpoint  uint8
	iface     uint8
	formats   []model.Format
	probe     *uvc.Probe // as last set, with the camera's answers; nil before
	committed bool
	cleared   bool
	mode      Mode
	start     time.Time // of frame 0; zero before the first transfer
	last      uint32    // number of the last frame taken
	buf       []byte    // of the last payload
}

// Mode is a format, size and rate to which a stream can be committed.
type Mode struct {
	Code string // first bytes of the format's GUID: "YUY2"
	W, H int
	Bits int // a pixel
	FPS  int
}

// Bytes returns the size of a frame.
func (m Mode) Bytes() int { return m.W * m.H * m.Bits / 8 }

// Scene computes the camera's images and motion.
type Scene interface {
	// Pixels fills dst, one frame of mode m, with the image that has number n (counted from 1).
	Pixels(m Mode, n uint32, dst []byte)
	// Motion returns a sensor's n-th sample (counted from 1) in SI units and the camera's axes.
	Motion(gyro bool, n uint32) [3]float64
}

const (
	maxHeader   = 255
	deviceClock = 1_000_000 // Hz
)

// streaming serves probe and commit of the streaming interfaces.
func (c *Camera) streaming(s Setup, out []byte) ([]byte, error) {
	at, size := uvc.ControlAt(s.Value, s.Index), uvc.ProbeLength(classVersion)
	st := c.byInterface(at.Interface)
	if st == nil || at.Unit != 0 || at.Selector != uvc.ProbeControl && at.Selector != uvc.CommitControl {
		return nil, c.refuse("streaming %v", s)
	}
	switch s.Request {
	case uvc.SetCur:
		want, err := uvc.DecodeProbe(out)
		if err != nil || len(out) != size {
			return nil, c.refuse("probe of %d bytes, want %d", len(out), size)
		}
		if at.Selector == uvc.CommitControl {
			return nil, c.commit(st, want)
		}
		if !st.negotiate(&want) {
			return nil, c.refuse("probe of interface %d: format %d frame %d interval %d", st.iface,
				want.Format, want.Frame, want.Interval)
		}
		st.probe = &want
		return nil, nil
	case uvc.GetCur:
		if st.probe == nil {
			st.probe = st.defaultProbe()
		}
		return st.probe.Encode(classVersion), nil
	case uvc.GetMin, uvc.GetMax, uvc.GetDef:
		return st.defaultProbe().Encode(classVersion), nil
	case uvc.GetLen:
		return []byte{byte(size), 0}, nil
	case uvc.GetInfo:
		return []byte{3}, nil
	}
	return nil, c.refuse("streaming %v", s)
}

func (c *Camera) byInterface(iface uint8) *stream {
	for _, st := range c.streams {
		if st.iface == iface {
			return st
		}
	}
	return nil
}

func (st *stream) defaultProbe() *uvc.Probe {
	p := &uvc.Probe{Format: 1, Frame: 1, Interval: uvc.FrameInterval(st.formats[0].Sizes[0].FPS[0])}
	st.negotiate(p)
	return p
}

// negotiate fills in the camera's answers. It returns false if there is no such mode.
func (st *stream) negotiate(p *uvc.Probe) bool {
	m, ok := st.find(*p)
	if ok {
		p.MaxFrameSize, p.MaxPayloadSize, p.Clock = uint32(m.Bytes()), uint32(m.Bytes()+maxHeader), deviceClock
	}
	return ok
}

// find returns the mode that a probe selects, with the exact interval.
func (st *stream) find(p uvc.Probe) (Mode, bool) {
	f, fr := int(p.Format)-1, int(p.Frame)-1
	if f < 0 || f >= len(st.formats) || fr < 0 || fr >= len(st.formats[f].Sizes) {
		return Mode{}, false
	}
	format, frame := st.formats[f], st.formats[f].Sizes[fr]
	for _, fps := range frame.FPS {
		if uvc.FrameInterval(fps) == p.Interval {
			return Mode{format.Code, frame.W, frame.H, format.Bits, fps}, true
		}
	}
	return Mode{}, false
}

// commit accepts only the values of the last probe.
func (c *Camera) commit(st *stream, p uvc.Probe) error {
	m, ok := st.find(p)
	if last := st.probe; !ok || last == nil || p.Format != last.Format ||
		p.Frame != last.Frame || p.Interval != last.Interval {
		return c.refuse("commit of interface %d without the probe for it", st.iface)
	}
	c.rest(st)
	st.mode, st.committed, st.cleared = m, true, false
	c.log.add(c.clock(), severityInfo, eventStream, uint32(st.iface))
	clear(c.regions) // a real camera may forget them at a start
	st.start, st.last = time.Time{}, 0
	c.interrupt(st.endpoint)
	return nil
}

// clearHalt resets an endpoint. A committed stream restarts at the next transfer. Whether a real camera's frame counter
// continues isn't known; here it doesn't, so that a driver can't rely on it.
func (c *Camera) clearHalt(endpoint uint8) {
	c.interrupt(endpoint)
	if st := c.streams[endpoint]; st != nil {
		st.cleared, st.start = true, time.Time{}
		c.rest(st)
	}
}

// rest stops a Source's frames, which the next transfer starts again.
func (c *Camera) rest(st *stream) {
	if c.opt.Source != nil && st.committed {
		c.opt.Source.Stop(st.mode)
	}
}

func (c *Camera) anyStreaming() bool {
	for _, st := range c.streams {
		if !st.start.IsZero() && time.Since(st.start) < time.Duration(st.last+30)*time.Second/time.Duration(st.mode.FPS) {
			return true
		}
	}
	return false
}

// turn returns the turn of a read of a stream.
func (c *Camera) turn(st *stream) turn {
	if c.opt.Source != nil {
		mode, shot := st.mode, Shot{}
		return turn{
			Wait: func(ctx context.Context) (err error) {
				shot, err = c.opt.Source.Next(ctx, mode)
				return err
			},
			Take: func() []byte {
				st.start, st.last = time.Now(), 0
				b, pixels := st.assemble(c.sourceHeader(st.color(), st.mode, shot), len(shot.Pixels))
				copy(pixels, shot.Pixels)
				c.applySettings(st.mode, shot.Number, pixels)
				return b
			},
		}
	}
	due, number := st.next(c.faults.FirstFrame)
	return turn{Wait: until(due), Take: func() []byte {
		st.last = number
		b, pixels := st.assemble(c.header(st.color(), st.mode, number, c.clockAt(due)), st.mode.Bytes())
		c.opt.Scene.Pixels(st.mode, number, pixels)
		c.applySettings(st.mode, number, pixels)
		return b
	}}
}

func (st *stream) color() bool { return st.endpoint == 0x84 }

// next returns the number and time of the next frame. The camera keeps only the newest frame
// for a host that reads late. The first one after a start is late by late.
func (st *stream) next(late time.Duration) (due time.Time, number uint32) {
	period := time.Second / time.Duration(st.mode.FPS)
	now := time.Now()
	if st.start.IsZero() {
		st.start, st.last = now.Add(late), 0
	}
	number = max(st.last+1, uint32(max(now.Sub(st.start), 0)/period))
	return st.start.Add(time.Duration(number) * period), number
}

// assemble returns a payload with a header, and its pixels, which the caller fills.
func (st *stream) assemble(head []byte, size int) (payload, pixels []byte) {
	if size += len(head); cap(st.buf) < size {
		st.buf = make([]byte, size)
	}
	b := st.buf[:size]
	return b, b[copy(b, head):]
}
