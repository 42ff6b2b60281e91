package d400

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"rsros/camdriver"
)

// together opens the camera as live does, lists its options, and streams the default profiles of all sensors at once.
// It ends the link.
func (r *reporter) together() {
	what := "the driver"
	err := r.identify()
	var d *Device
	if err == nil {
		d, err = newDevice(r.bus, r.link, r.product.As(r.id), Options{Log: r.options.Log})
	}
	if err != nil {
		r.endWith(r.caller) // newDevice has ended the link
		r.answer(what, nil, err)
		r.outcome = append(r.outcome, fmt.Sprintf("%s can't open the camera: %v", what, err))
		return
	}
	r.closed = d.Close
	var lists [][]camdriver.Profile
	streams := &reportStreams{found: map[camdriver.StreamID]*reportStream{}, start: time.Now()}
	for _, s := range d.Sensors() {
		r.print("%s:\n", s.Name())
		for _, o := range s.Options() {
			r.print("  %s: %g; %g to %g, step %g, default %g\n", o.ID, o.Value, o.Min, o.Max, o.Step, o.Default)
		}
		var list []camdriver.Profile
		for _, p := range s.Profiles() {
			if p.Default {
				list = append(list, p)
				streams.found[p.Stream] = &reportStream{least: math.Inf(1)}
			}
		}
		lists = append(lists, list)
	}
	r.print("\n")
	for i, s := range d.Sensors() {
		if err := s.Start(lists[i], streams); err != nil {
			r.answer(s.Name(), nil, err)
			r.outcome = append(r.outcome, fmt.Sprintf("%s doesn't start: %v", s.Name(), err))
		}
	}
	wait(r.caller, r.options.Together)
	for _, s := range d.Sensors() {
		_ = s.Stop()
	}
	for _, list := range lists {
		for _, p := range list {
			r.stream(p, streams.found[p.Stream])
		}
	}
	for _, note := range streams.notes {
		r.print("notification: %s\n", note)
	}
}

// stream writes what came of a stream, and whether that is all that was due.
func (r *reporter) stream(p camdriver.Profile, s *reportStream) {
	due := float64(p.FPS) * (r.options.Together - s.first).Seconds()
	verdict := "works"
	switch {
	case s.frames == 0:
		verdict = "FAILED: no frame"
	case s.missing > 0 || float64(s.frames) < 0.9*due-2:
		verdict = fmt.Sprintf("loses frames: %d of %.0f", s.frames, due)
	}
	r.outcome = append(r.outcome, fmt.Sprintf("%s %s", p, verdict))
	r.print("%s: %s\n", p, verdict)
	if s.frames > 0 {
		const line = "  %d frames from %d ms on, %d missing; intervals %.3f to %.3f ms; times %.3f to %.3f ms before arrival, %s\n"
		r.print(line,
			s.frames, s.first.Milliseconds(), s.missing, s.least, s.most, s.nearest, s.farthest, s.domain)
	}
}

// reportStreams is a handler that counts frames.
type reportStreams struct {
	camdriver.NopHandler
	start time.Time

	mu    sync.Mutex
	found map[camdriver.StreamID]*reportStream
	notes []string
}

// reportStream is what came of a stream. Times are in ms.
type reportStream struct {
	frames, missing   uint64
	first             time.Duration // after the start
	number            uint64
	stamp             float64
	least, most       float64 // interval
	nearest, farthest float64 // from the frame's time to its arrival
	domain            camdriver.Domain
}

func (h *reportStreams) Frame(_ int, f *camdriver.Frame) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.found[f.Stream()]
	late := float64(f.Arrival.UnixMicro())/1e3 - f.Timestamp
	if s.frames == 0 {
		s.first, s.nearest, s.farthest = f.Arrival.Sub(h.start), late, late
	} else {
		s.missing += f.Number - s.number - 1
		s.least, s.most = min(s.least, f.Timestamp-s.stamp), max(s.most, f.Timestamp-s.stamp)
	}
	s.frames++
	s.nearest, s.farthest = min(s.nearest, late), max(s.farthest, late)
	s.number, s.stamp, s.domain = f.Number, f.Timestamp, f.Domain
}

func (h *reportStreams) Notification(_ int, n camdriver.Notification) {
	h.mu.Lock()
	defer h.mu.Unlock()
	const most = 20
	if len(h.notes) < most {
		h.notes = append(h.notes, fmt.Sprintf("%s: %s", n.Category, n.Description))
	}
}

// kernelLog writes the kernel's messages about the camera's port, without serial numbers.
func (r *reporter) kernelLog() {
	if r.options.Kernel == nil {
		return
	}
	text, err := r.options.Kernel()
	if err != nil {
		r.print("can't be read: %v; sudo dmesg shows it\n", err)
		return
	}
	const most = 100
	var lines []string
	for line := range strings.Lines(text) {
		at := strings.Index(line, " "+r.usb.Port+":")
		if at >= 0 && !strings.Contains(line, "SerialNumber: ") {
			lines = append(lines, line)
		}
	}
	for _, line := range lines[max(0, len(lines)-most):] {
		r.print("%s", line)
	}
}
