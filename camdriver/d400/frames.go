package d400

import (
	"context"
	"fmt"
	"math"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
)

// transfer reads one transfer and raises the frame that it completes, if any.
func (p *videoPump) transfer(ctx context.Context, w *watchdog) (complete bool, err error) {
	direct := p.direct()
	var buf *camdriver.Buffer
	into := p.scratch
	if direct {
		// The header precedes the page boundary at which the pixels start.
		buf = p.sensor.dev.pool.Get(camdriver.PageSize + p.transferSize())
	}
	if buf != nil {
		into = buf.Bytes[camdriver.PageSize-p.header:]
	} else if into == nil {
		p.scratch = make([]byte, p.transferSize())
		into = p.scratch
	}
	frames := p.tally.frames
	w.wait()
	n, err := p.stream.Read(ctx, into[:p.transferSize()])
	arrival := w.arrived()
	if err == nil && n > 0 {
		if err := p.payload(into[:n], buf, arrival); err != nil {
			p.tally.broken++
			p.drop(err)
		}
	}
	if buf != nil {
		buf.Release()
	}
	return p.tally.frames > frames, err
}

// direct reports whether frames are raised in the camera's format.
func (p *videoPump) direct() bool {
	return len(p.outputs) == 1 && p.outputs[0].profile.Format == p.mode.native
}

// payload handles the data b of a transfer. buf is the pooled buffer that holds b, or nil
// if b is in scratch memory. It returns an error if b isn't a frame or a part of one.
func (p *videoPump) payload(b []byte, buf *camdriver.Buffer, arrival time.Time) error {
	h, err := uvc.ParseHeader(b)
	if err != nil {
		return err
	}
	pixels := b[h.Length:]
	if len(pixels) == p.frameBytes { // the case with all D400 firmware
		p.partial.drop()
		if h.Length != p.header {
			buf = nil // not aligned; the next frame will be
			p.header = h.Length
		}
		p.frame(h, pixels, buf, arrival)
		return nil
	}
	whole, err := p.partial.add(h, pixels, p.frameBytes)
	if whole != nil {
		p.frame(h, whole, nil, arrival)
	}
	return err
}

// assembly joins the payloads of a frame, which have the same FID bit.
type assembly struct {
	bytes []byte
	fid   uint8
	open  bool
}

func (a *assembly) drop() { a.bytes, a.open = a.bytes[:0], false }

// add appends a payload. It returns the frame, valid until the next call, once it is complete.
func (a *assembly) add(h uvc.Header, pixels []byte, size int) ([]byte, error) {
	var err error
	fid := h.Info & uvc.HeaderFID
	if a.open && fid != a.fid {
		err = fmt.Errorf("frame of %d bytes ended after %d", size, len(a.bytes))
		a.drop()
	}
	if len(a.bytes)+len(pixels) > size {
		got := len(a.bytes) + len(pixels)
		a.drop()
		return nil, fmt.Errorf("frame has %d bytes, want %d", got, size)
	}
	a.bytes, a.fid, a.open = append(a.bytes, pixels...), fid, true
	if len(a.bytes) == size {
		whole := a.bytes
		a.drop()
		return whole, nil
	}
	if h.Info&uvc.HeaderEOF != 0 {
		got := len(a.bytes)
		a.drop()
		return nil, fmt.Errorf("frame of %d bytes ended after %d", size, got)
	}
	return nil, err
}

// frame raises a native frame for each output. If buf is nil, pixels must be copied or
// converted; otherwise they are in buf, page-aligned.
func (p *videoPump) frame(h uvc.Header, pixels []byte, buf *camdriver.Buffer, arrival time.Time) {
	p.meta = model.Metadata{Switch: p.link.autoSwitch}
	if err := p.meta.Parse(h.Rest, h.PTS); err != nil {
		p.sensor.dev.log.Debug().Err(err).Msg("invalid metadata") // the pixels are complete
	}
	p.tally.frames++
	p.sensor.region.streams.Store(true)
	counter, counted := p.meta.Get(camdriver.MetaFrameCounter)
	p.meta.Set(camdriver.MetaTimeOfArrival, arrival.UnixMilli())
	p.meta.Set(camdriver.MetaBackendTimestamp, arrival.UnixMilli())
	p.meta.Set(camdriver.MetaRawFrameSize, int64(len(pixels)))
	stamp, domain := p.sensor.stamp(h.PTS)
	if h.Info&uvc.HeaderPTS == 0 {
		stamp, domain = float64(arrival.UnixMicro())/1e3, camdriver.SystemTime
		p.meta.Unset(camdriver.MetaFrameTimestamp)
	}
	if rate, ok := p.outputs[0].numbers.Rate(uint32(counter), counted, stamp); ok {
		p.meta.Set(camdriver.MetaActualFps, rate)
	}
	list := p.meta.List()
	images := p.images(pixels, buf)
	for i, t := range p.outputs {
		last := t.numbers.Last()
		number, fresh := t.numbers.Next(uint32(counter), counted)
		if i == 0 && last > 0 && number > last {
			p.gap(number - last - 1)
		}
		if images[i].owner == nil {
			p.drop(errNoBuffer)
			continue
		}
		if !fresh {
			images[i].owner.Release()
			p.complain(errRepeated) // nothing is lost
			continue
		}
		f := camdriver.NewFrame(images[i].owner)
		f.Profile, f.Number, f.Arrival, f.Metadata = t.profile, number, arrival, list
		f.Timestamp, f.Domain = t.numbers.Monotonic(stamp), domain
		f.Width, f.Height = t.profile.Width, t.profile.Height
		f.Data = images[i].pixels
		f.Stride = len(f.Data) / f.Height
		if t.profile.Stream.Kind == camdriver.Depth {
			f.DepthUnits = math.Float32frombits(p.sensor.module.units.Load())
		}
		p.handler.Frame(p.sensor.number, f)
		f.Release()
	}
}

// image is the pixels of an output and their buffer.
type image struct {
	pixels []byte
	owner  *camdriver.Buffer
}

// images returns the pixels of each output. An entry is empty if the pool is exhausted,
// because consumers hold too many frames.
func (p *videoPump) images(pixels []byte, buf *camdriver.Buffer) [2]image {
	var out [2]image
	if p.direct() {
		size := p.outputs[0].profile.FrameSize()
		if buf != nil {
			buf.Retain()
			out[0] = image{pixels[:size:size], buf}
		} else if out[0] = p.newImage(0); out[0].owner != nil {
			copy(out[0].pixels, pixels)
		}
		return out
	}
	for i := range p.outputs {
		out[i] = p.newImage(i)
	}
	switch p.mode.native {
	case camdriver.YUYV, camdriver.UYVY:
		model.ConvertYUV(p.outputs[0].profile.Format, out[0].pixels, pixels, p.mode.native == camdriver.UYVY)
	case camdriver.Y8I, camdriver.Y12I:
		left, right := p.sides(out)
		if p.mode.native == camdriver.Y8I {
			model.SplitY8I(left, right, pixels)
		} else {
			model.SplitY12I(left, right, pixels)
		}
	}
	return out
}

// sides returns the buffers for left and right pixels. A side that isn't an output or
// has no memory gets a temporary buffer.
func (p *videoPump) sides(out [2]image) (left, right []byte) {
	var side [3][]byte // by stream index
	for i, t := range p.outputs {
		if out[i].owner != nil {
			side[t.profile.Stream.Index] = out[i].pixels
		}
	}
	for _, s := range []int{1, 2} {
		if side[s] == nil {
			side[s] = make([]byte, p.outputs[0].profile.FrameSize())
		}
	}
	return side[1], side[2]
}

func (p *videoPump) newImage(i int) image {
	buf := p.sensor.dev.pool.Get(p.outputs[i].profile.FrameSize())
	if buf == nil {
		return image{}
	}
	return image{buf.Bytes, buf}
}

// stamp converts a device time to ms on the selected clock.
func (s *sensor) stamp(us uint32) (float64, camdriver.Domain) {
	if s.dev.host.global.on() {
		if ms, ok := s.dev.clock.Global(us); ok {
			return ms, camdriver.GlobalTime
		}
	}
	return s.dev.clock.Hardware(us), camdriver.HardwareClock
}
