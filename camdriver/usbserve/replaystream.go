package usbserve

import (
	"context"
	"encoding/binary"
	"slices"
	"time"

	"rsros/camdriver/d435i"
	"rsros/camdriver/usbreport"
)

// Bounds of a Replay, whatever the report claims.
const (
	maxPixels    = 16 << 20 // bytes of a frame
	minInterval  = time.Millisecond
	lateness     = 2 * time.Second // frames that a host doesn't read for longer are lost
	plainHeader  = 12
	plainInfo    = 0x8e // end of header, clock, time, end of frame
	microseconds = 10   // in them, intervals are ten times smaller
)

// replayStream is a streaming interface that is committed to a profile.
type replayStream struct {
	profile usbreport.Profile
	headers [][]byte // recorded ones
	same    bool     // they are of the same profile
	size    int      // of a frame in bytes
	cleared bool
	start   time.Time // of the first frame; zero before the first transfer
	clock   uint32    // at start
	last    uint32    // number of the last frame; they begin with 0
	sent    bool
	buf     []byte
}

// streaming serves probe and commit.
func (c *Replay) streaming(s d435i.Setup, out []byte) ([]byte, error) {
	iface, selector := uint8(s.Index), s.Value>>8
	switch {
	case s.RequestType == classIn && s.Request == uvcGetCur && selector == vsProbe && c.probes[iface] != nil:
		return c.probes[iface], nil
	case s.RequestType == classIn:
		return c.recorded(s)
	case s.Request != uvcSetCur || len(out) < 8 || selector != vsProbe && selector != vsCommit:
		return nil, c.refuse(s)
	}
	i := slices.IndexFunc(c.r.Probes, func(p usbreport.Probe) bool {
		return p.Interface == iface && p.Format == out[2] && p.Frame == out[3] && p.Interval == binary.LittleEndian.Uint32(out[4:])
	})
	if i < 0 || c.r.Probes[i].Error != "" {
		return nil, c.refuse(s)
	}
	p := c.r.Probes[i]
	if selector == vsProbe {
		c.probes[iface] = p.Answer
		return nil, nil
	}
	const frameSize = 18
	if len(p.Answer) < frameSize+4 || binary.LittleEndian.Uint32(p.Answer[frameSize:]) > maxPixels {
		return nil, c.refuse(s)
	}
	st := &replayStream{profile: p.Profile, size: int(binary.LittleEndian.Uint32(p.Answer[frameSize:]))}
	st.headers, st.same = c.headers(p.Profile)
	c.streams[p.Endpoint] = st
	c.wake()
	return nil, nil
}

// headers returns recorded headers for a profile: its own, or of its format, or of its interface. Otherwise they are plain.
func (c *Replay) headers(p usbreport.Profile) (list [][]byte, same bool) {
	best := 0
	for _, s := range c.r.Streams {
		score := 0
		switch {
		case s.Interface != p.Interface || len(s.Payloads) == 0:
			continue
		case s.Format != p.Format:
			score = 1
		case s.Frame != p.Frame || s.Interval != p.Interval:
			score = 2
		default:
			score = 3
		}
		if score <= best {
			continue
		}
		best, list, same = score, nil, score == 3
		for _, x := range s.Payloads {
			if len(x.Header) >= plainHeader {
				list = append(list, x.Header)
			}
		}
	}
	if len(list) == 0 {
		plain := make([]byte, plainHeader)
		plain[0], plain[1] = plainHeader, plainInfo
		return [][]byte{plain}, false
	}
	return list, same
}

// clearHalt restarts a stream, as RealSense cameras do.
func (c *Replay) clearHalt(endpoint uint8) {
	if st := c.streams[endpoint]; st != nil {
		st.cleared, st.start, st.sent = true, time.Time{}, false
		c.wake()
	}
}

// interrupt is a future packet of the status endpoint.
type interrupt struct {
	due  time.Time
	data []byte
}

// Read implements usbip.Camera.
func (c *Replay) Read(ctx context.Context, endpoint uint8) ([]byte, error) {
	return d435i.Read(ctx, c.life, &c.mu, func() (d435i.Turn, error) {
		due, take := c.next(endpoint)
		if take == nil {
			return d435i.Turn{}, d435i.ErrStall
		}
		return d435i.Turn{While: c.current, Wait: d435i.Until(due), Take: take}, nil
	})
}

// next returns when an endpoint has data, and a function that takes it. due is zero while no data is expected; take is nil if
// the endpoint has none at all. next and take require mu.
func (c *Replay) next(endpoint uint8) (due time.Time, take func() []byte) {
	switch {
	case endpoint == c.r.Status && endpoint != 0:
		return c.nextInterrupt()
	case endpoint == c.r.HID && endpoint != 0:
		return c.nextReport()
	}
	st := c.streams[endpoint]
	if st == nil || !st.cleared {
		return due, nil
	}
	now, period := time.Now(), max(time.Duration(st.profile.Interval)*100, minInterval)
	if st.start.IsZero() {
		// A camera exposes first: librealsense warns of frames that come before it is ready.
		st.start, st.clock = now.Add(period), c.clock()+uint32(period.Microseconds())
		c.schedule(st)
	}
	number := uint32(0)
	if st.sent {
		number = st.last + 1
	}
	number = max(number, uint32(max(0, now.Sub(st.start)-lateness)/period))
	return st.start.Add(time.Duration(number) * period), func() []byte {
		st.last, st.sent = number, true
		return st.payload(number)
	}
}

// schedule schedules the interrupts that were recorded during the stream.
func (c *Replay) schedule(st *replayStream) {
	for _, s := range c.r.Streams {
		if s.Profile.Endpoint != st.profile.Endpoint || s.Format != st.profile.Format || !st.same {
			continue
		}
		c.interrupts = nil
		for _, p := range s.Interrupts {
			after := min(max(time.Duration(p.Time)*time.Microsecond, 0), time.Hour)
			c.interrupts = append(c.interrupts, interrupt{st.start.Add(after), p.Data})
		}
		if len(c.interrupts) > 0 {
			c.wake()
		}
	}
}

func (c *Replay) nextInterrupt() (time.Time, func() []byte) {
	if len(c.interrupts) == 0 {
		return time.Time{}, func() []byte { return nil }
	}
	first := c.interrupts[0]
	return first.due, func() []byte {
		c.interrupts = c.interrupts[1:]
		return first.data
	}
}

// payload returns a frame with a header of the recorded form, at the replay's time.
func (st *replayStream) payload(number uint32) []byte {
	count := uint32(len(st.headers))
	first, firstNumber := usbreport.HeaderTime(st.headers[0])
	header := st.headers[number%count]
	us, counter := usbreport.HeaderTime(header)
	last, lastNumber := usbreport.HeaderTime(st.headers[count-1])
	interval := st.profile.Interval / microseconds
	cycle := number / count
	move := st.clock - first
	if st.same {
		move += cycle * (last - first + interval)
	} else {
		move = st.clock + number*interval - us
	}
	frames := cycle * (lastNumber - firstNumber + 1)
	if counter == 0 && lastNumber == 0 { // no counter
		frames = 0
	}
	h := usbreport.Moved(header, move, frames)
	if !st.same {
		usbreport.Resized(h, uint16(st.profile.Width), uint16(st.profile.Height), uint16((10_000_000+st.profile.Interval/2)/max(st.profile.Interval, 1)))
	}
	if size := len(h) + st.size; cap(st.buf) < size {
		st.buf = make([]byte, size)
	}
	b := st.buf[:len(h)+st.size]
	copy(b, h)
	mode := d435i.Mode{Code: string(st.profile.GUID[:4]), W: st.profile.Width, H: st.profile.Height}
	d435i.Noise{}.Pixels(mode, number+1, b[len(h):])
	return b
}
