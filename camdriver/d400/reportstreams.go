package d400

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"rsros/camdriver/model"
	"rsros/camdriver/usb"
	"rsros/camdriver/uvc"
)

// reportPatience is how long a stream may take for all payloads, in addition to the time that its rate needs.
const reportPatience = 10 * time.Second

// modes returns all profiles of all streaming interfaces.
func (r *reporter) modes() (all []mode) {
	for i := range r.cfg.Video {
		all = append(all, allModes(&r.cfg.Video[i])...)
	}
	return all
}

// probes asks for the limits of each interface's probe, and probes all profiles.
func (r *reporter) probes() {
	asked := map[uint8]bool{}
	for _, m := range r.modes() {
		if r.ctx.Err() != nil {
			return
		}
		if at := m.control(uvc.ProbeControl); !asked[at.Interface] {
			asked[at.Interface] = true
			lengths := map[uint8]int{uvc.GetLen: 2, uvc.GetInfo: 1}
			for _, get := range attributes {
				if get.request != uvc.GetRes {
					length := cmp.Or(lengths[get.request], uvc.ProbeLength(m.function.Version))
					r.request(fmt.Sprintf("interface %d probe %s", at.Interface, get.name), get.request,
						at.Value(), at.Index(), length)
				}
			}
		}
		b, err := r.probe(reportTries, m, uvc.Probe{})
		r.answer(m.String(), b, err)
	}
}

// usual ranks profiles; the highest rank has 640x480 at 30 frames per second.
func (m mode) usual() int {
	score := 0
	if m.w == 640 && m.h == 480 {
		score += 2
	}
	if m.fps == 30 {
		score++
	}
	return score
}

// videoStreams reads the first payloads of a profile of each format.
func (r *reporter) videoStreams() {
	var chosen []mode
	for _, m := range r.modes() {
		if last := len(chosen) - 1; last < 0 || chosen[last].stream != m.stream ||
			chosen[last].format.Index != m.format.Index {
			chosen = append(chosen, m)
		} else if m.usual() > chosen[last].usual() {
			chosen[last] = m
		}
	}
	for _, m := range chosen {
		if r.ctx.Err() != nil {
			return
		}
		r.options.Log.Info().Str("format", fmt.Sprintf("%q", m.format.GUID[:4])).Int("width", m.w).Int("height", m.h).
			Int("fps", m.fps).Msg("reading a stream's headers")
		var status []packet
		payloads, err := r.videoStream(m, &status)
		r.packets(m.String(), payloads, err)
		if len(status) > 0 {
			r.packets("  packets of the status endpoint meanwhile", status, nil)
		}
	}
}

// videoStream starts a stream as the driver does, and stops it after some payloads.
func (r *reporter) videoStream(m mode, status *[]packet) ([]packet, error) {
	p := &videoPump{link: r.link, mode: m}
	if err := p.start(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.ctx, r.patience(m.interval))
	defer cancel()
	stop := r.interrupts(ctx, status)
	defer stop()
	list, err := r.read(ctx, p.stream, p.transferSize())
	for i, p := range list {
		if len(p.head) > 0 {
			list[i].head = p.head[:min(int(p.head[0]), len(p.head))]
		}
	}
	return list, errors.Join(err, p.clear())
}

func (r *reporter) patience(interval uint32) time.Duration {
	return reportPatience + time.Duration(r.options.Payloads)*time.Duration(interval)*100
}

// packet is a transfer of an endpoint.
type packet struct {
	us   int64 // of arrival, after the first
	size int
	head []byte // no pixels: a header's length is one byte
}

// packets writes how many packets arrived, with the first ones.
func (r *reporter) packets(what string, list []packet, err error) {
	const shown = 5
	if err != nil {
		r.answer(what, nil, err)
	} else {
		r.answers++
		r.print("%s:\n", what)
	}
	if len(list) == 0 {
		return
	}
	bySize := func(a, b packet) int { return cmp.Compare(a.size, b.size) }
	r.print("  %d packets of %d to %d bytes", len(list), slices.MinFunc(list, bySize).size,
		slices.MaxFunc(list, bySize).size)
	if us := list[len(list)-1].us; us > 0 {
		r.print(", %.2f per second", float64(len(list)-1)*1e6/float64(us))
	}
	r.print("\n")
	for _, p := range list[:min(shown, len(list))] {
		r.print("  %d %d:%s\n", p.us, p.size, r.dump(p.head))
	}
}

// read returns the first transfers of a stream and closes it.
func (r *reporter) read(ctx context.Context, stream usb.Stream, size int) (list []packet, err error) {
	defer stream.Close()
	b := make([]byte, size)
	var first time.Time
	for len(list) < r.options.Payloads {
		n, err := stream.Read(ctx, b)
		now := time.Now()
		if ctx.Err() != nil {
			return list, errPatience
		}
		if err != nil {
			return list, err
		}
		if len(list) == 0 {
			first = now
		}
		list = append(list, packet{now.Sub(first).Microseconds(), n, slices.Clone(b[:min(n, 255)])})
	}
	return list, nil
}

// interrupts reads the status endpoint until stop is called.
func (r *reporter) interrupts(ctx context.Context, out *[]packet) (stop func()) {
	if r.depth == nil || r.depth.Status.Address == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var reader sync.WaitGroup
	reader.Go(func() {
		stream, size, err := r.openStatus()
		if err == nil {
			*out, _ = r.read(ctx, stream, size) // reading the payloads shows whether the camera is gone
		}
	})
	return func() { cancel(); reader.Wait() }
}

// motionStreams reads the first input reports of each inertial sensor at each rate.
func (r *reporter) motionStreams() {
	if r.hid == nil {
		return
	}
	for _, p := range model.MotionProfiles(r.id.AccelChip) {
		if r.ctx.Err() != nil {
			return
		}
		id := model.ReportOf(p.Stream)
		list, err := r.motionStream(id, p.FPS)
		r.packets(fmt.Sprintf("report %d at %d Hz, interval %d", id, p.FPS, model.RateIntervals[p.FPS]), list, err)
	}
}

func (r *reporter) motionStream(id uint8, fps int) ([]packet, error) {
	// As the driver does, also to a sensor that was on.
	defer func() { _ = r.power(id, model.PowerOff, fps) }()
	if err := r.power(id, model.PowerOn, fps); err != nil {
		return nil, err
	}
	p := &motionPump{link: r.link}
	if err := p.restart(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.ctx, r.patience(uint32(10_000_000/fps)))
	defer cancel()
	return r.read(ctx, p.stream, r.reportSize())
}
