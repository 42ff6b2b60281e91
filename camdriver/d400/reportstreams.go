package d400

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"rsros/camdriver/report"
)

// reportPatience is how long a stream may take for all payloads, in addition to the time that its rate needs.
const reportPatience = 10 * time.Second

// eachProfile calls f with all profiles of all streaming interfaces.
func (r *reporter) eachProfile(f func(*videoFunction, *videoStream, report.Profile)) {
	if r.cfg == nil {
		return
	}
	for i := range r.cfg.Video {
		function := &r.cfg.Video[i]
		for j := range function.Streams {
			s := &function.Streams[j]
			for _, format := range s.Formats {
				for _, frame := range format.Frames {
					for _, interval := range frame.Intervals {
						f(function, s, report.Profile{
							Interface: s.Interface, Endpoint: s.Endpoint, Format: format.Index, Frame: frame.Index, GUID: slices.Clone(format.GUID[:]),
							Width: frame.Width, Height: frame.Height, Interval: interval,
						})
					}
				}
			}
		}
	}
}

// probes asks for the limits of each interface's probe, and probes all profiles.
func (r *reporter) probes() {
	asked := map[uint8]bool{}
	r.eachProfile(func(f *videoFunction, s *videoStream, p report.Profile) {
		if r.ctx.Err() != nil {
			return
		}
		at, length := control{iface: s.Interface, selector: vsProbe}, probeLength(f.Version)
		if !asked[s.Interface] {
			asked[s.Interface] = true
			for _, get := range []struct {
				name    string
				request uint8
				length  int
			}{
				{"GET_LEN", reqGetLen, 2}, {"GET_INFO", reqGetInfo, 1}, {"GET_CUR", reqGetCur, length},
				{"GET_MIN", reqGetMin, length}, {"GET_MAX", reqGetMax, length}, {"GET_DEF", reqGetDef, length},
			} {
				r.request(fmt.Sprintf("interface %d probe %s", s.Interface, get.name), get.request, at.value(), at.index(), get.length)
			}
		}
		answer, err := r.probe(f, p)
		r.out.Probes = append(r.out.Probes, report.Probe{Profile: p, Answer: answer, Error: r.failed(err)})
	})
}

// probe sets a probe and returns the camera's answer.
func (r *reporter) probe(f *videoFunction, p report.Profile) ([]byte, error) {
	at := control{iface: p.Interface, selector: vsProbe}
	want := probe{Hint: 1, Format: p.Format, Frame: p.Frame, Interval: p.Interval}
	if err := r.persist(reportTries, func() error { return r.transfer(at, reqSetCur, want.encode(f.Version)) }); err != nil {
		return nil, err
	}
	b := make([]byte, probeLength(f.Version))
	n, err := r.control(reportTries, requestIn, reqGetCur, at.value(), at.index(), b)
	return b[:n], err
}

// usual ranks profiles; the highest rank has 640x480 at 30 frames per second.
func usual(p report.Profile) int {
	score := 0
	if p.Width == 640 && p.Height == 480 {
		score += 2
	}
	if frameRate(p.Interval) == 30 {
		score++
	}
	return score
}

// videoStreams reads the first payloads of a profile of each format.
func (r *reporter) videoStreams() {
	type key struct{ iface, format uint8 }
	type choice struct {
		f *videoFunction
		s *videoStream
		p report.Profile
	}
	var order []key
	chosen := map[key]choice{}
	r.eachProfile(func(f *videoFunction, s *videoStream, p report.Profile) {
		k := key{p.Interface, p.Format}
		old, known := chosen[k]
		if !known {
			order = append(order, k)
		}
		if !known || usual(p) > usual(old.p) {
			chosen[k] = choice{f, s, p}
		}
	})
	for _, k := range order {
		if r.ctx.Err() != nil {
			return
		}
		c := chosen[k]
		r.options.Log.Info().Str("format", fmt.Sprintf("%q", c.p.GUID[:4])).Int("width", c.p.Width).Int("height", c.p.Height).
			Int("fps", frameRate(c.p.Interval)).Msg("reading a stream's headers")
		s := report.Stream{Profile: c.p, Payloads: []report.Payload{}, Interrupts: []report.Packet{}}
		s.Error = r.failed(r.videoStream(c.f, c.s, &s))
		r.out.Streams = append(r.out.Streams, s)
	}
}

// videoStream starts a stream as videoPump does, and stops it after some payloads.
func (r *reporter) videoStream(f *videoFunction, s *videoStream, out *report.Stream) error {
	answer, err := r.probe(f, out.Profile)
	if err != nil {
		return err
	}
	got, err := decodeProbe(answer)
	if err != nil {
		return err
	}
	if got.MaxFrameSize > maxFrameBytes {
		return fmt.Errorf("camera announces frames of %d bytes", got.MaxFrameSize)
	}
	at := control{iface: s.Interface, selector: vsCommit}
	if err := r.persist(reportTries, func() error { return r.transfer(at, reqSetCur, answer) }); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	reset := func() error { return r.handle.ClearHalt(s.Endpoint) }
	if err := reset(); err != nil {
		return fmt.Errorf("clear endpoint %#x: %w", s.Endpoint, err)
	}
	ctx, cancel := context.WithTimeout(r.ctx, r.patience(out.Interval))
	defer cancel()
	stop := r.interrupts(ctx, &out.Interrupts)
	defer stop()
	size := s.transferSize(int(got.MaxFrameSize))
	err = r.packets(ctx, s.Interface, s.Endpoint, size, transfersInFlight, func(b []byte, us int64) bool {
		header := b[:min(int(firstByte(b)), len(b))]
		out.Payloads = append(out.Payloads, report.Payload{Time: us, Size: len(b), Header: slices.Clone(header)})
		return len(out.Payloads) < r.options.Payloads
	})
	return errors.Join(err, reset())
}

func firstByte(b []byte) uint8 {
	if len(b) == 0 {
		return 0
	}
	return b[0]
}

func (r *reporter) patience(interval uint32) time.Duration {
	return reportPatience + time.Duration(r.options.Payloads)*time.Duration(interval)*100
}

var errPatience = errors.New("no more data in time")

// packets calls f with each transfer of an endpoint and the time since the first, until f returns false.
func (r *reporter) packets(ctx context.Context, iface, endpoint uint8, size, count int, f func(b []byte, us int64) bool) error {
	stream, err := r.handle.Stream(iface, endpoint, size, count)
	if err != nil {
		return err
	}
	defer stream.Close()
	b := make([]byte, size)
	var first time.Time
	for {
		n, err := stream.Read(ctx, b)
		now := time.Now()
		if ctx.Err() != nil {
			return errPatience
		}
		if err != nil {
			return err
		}
		if first.IsZero() {
			first = now
		}
		if !f(b[:n], now.Sub(first).Microseconds()) {
			return nil
		}
	}
}

// interrupts reads the status endpoint until stop is called.
func (r *reporter) interrupts(ctx context.Context, out *[]report.Packet) (stop func()) {
	if r.depth == nil || r.depth.Status.Address == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var reader sync.WaitGroup
	reader.Go(func() {
		at := r.depth.Status
		// Reading the payloads shows whether the camera is gone.
		_ = r.packets(ctx, r.depth.Interface, at.Address, max(at.MaxPacket, statusSize), 1, func(b []byte, us int64) bool {
			*out = append(*out, report.Packet{Time: us, Data: slices.Clone(b)})
			return len(*out) < r.options.Payloads
		})
	})
	return func() { cancel(); reader.Wait() }
}

// motionStreams reads the first input reports of each inertial sensor at each rate.
func (r *reporter) motionStreams() {
	if r.hid == nil {
		return
	}
	for _, p := range motionProfiles(r.chip) {
		if r.ctx.Err() != nil {
			return
		}
		id := reportOf(p.Stream)
		m := report.Motion{ID: id, Interval: rateIntervals[p.FPS], Rate: p.FPS, Reports: []report.Packet{}}
		m.Error = r.failed(r.motionStream(p.FPS, &m))
		r.out.Motion = append(r.out.Motion, m)
	}
}

func (r *reporter) motionStream(fps int, out *report.Motion) error {
	// As the driver does, also to a sensor that was on.
	defer func() { _ = r.power(out.ID, powerOff, fps) }()
	if err := r.power(out.ID, powerOn, fps); err != nil {
		return err
	}
	if err := r.handle.ClearHalt(r.hid.Endpoint); err != nil {
		return fmt.Errorf("clear endpoint %#x: %w", r.hid.Endpoint, err)
	}
	ctx, cancel := context.WithTimeout(r.ctx, r.patience(uint32(10_000_000/fps)))
	defer cancel()
	return r.packets(ctx, r.hid.Interface, r.hid.Endpoint, max(r.hid.MaxPacket, reportLong), imuTransfers, func(b []byte, us int64) bool {
		out.Reports = append(out.Reports, report.Packet{Time: us, Data: slices.Clone(b)})
		return len(out.Reports) < r.options.Payloads
	})
}
