package process

import (
	"fmt"
	"sync"

	"rsros/camdriver"
)

// Resources are the memory and goroutines that blocks share.
type Resources struct {
	pool    *camdriver.Pool
	workers *workers

	mu   sync.Mutex
	free []*output
}

// NewResources bounds the memory of unreleased frames to limit bytes and the number of processors that a block uses.
func NewResources(limit int64, processors int) *Resources {
	return &Resources{pool: camdriver.NewPool(limit), workers: newWorkers(processors)}
}

// Close ends the goroutines. Blocks must not be used during or after Close. Frames stay valid until released.
func (r *Resources) Close() { r.workers.close() }

// InUse returns the number of bytes of unreleased frames.
func (r *Resources) InUse() int64 { return r.pool.InUse() }

// output is a frame made by a block. It is reused after the last Release.
type output struct {
	frame camdriver.Frame
	pix   *camdriver.Buffer
	home  *Resources
}

func (o *output) Release() {
	o.pix.Release()
	o.pix = nil
	o.home.mu.Lock()
	o.home.free = append(o.home.free, o)
	o.home.mu.Unlock()
}

// maxPixels bounds the size of images. It allows 8K.
const maxPixels = 1 << 26

// frame returns a frame of profile p with number, times, metadata and depth units of
// like. Its pixels, followed by extra bytes, are not cleared.
func (r *Resources) frame(like *camdriver.Frame, p *Profile, extra int) (Image, error) {
	stride := p.Width * p.Format.BitsPerPixel() / 8
	if p.Width <= 0 || p.Height <= 0 || p.Width > maxPixels/p.Height || stride == 0 {
		return Image{}, fmt.Errorf("make a frame of %s: %w", p.Profile, ErrBadFrame)
	}
	buffer := r.pool.Get(stride*p.Height + extra)
	if buffer == nil {
		return Image{}, fmt.Errorf("make a frame of %s: %w", p.Profile, ErrNoBuffer)
	}
	o := r.take()
	o.pix = buffer
	f := &o.frame
	f.Renew(o)
	f.Profile, f.Width, f.Height, f.Stride, f.Data = p.Profile, p.Width, p.Height, stride, buffer.Bytes
	f.Number, f.Timestamp, f.Domain, f.Arrival = like.Number, like.Timestamp, like.Domain, like.Arrival
	f.Metadata, f.DepthUnits = like.Metadata, like.DepthUnits
	return Image{f, p}, nil
}

func (r *Resources) take() *output {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.free); n > 0 {
		o := r.free[n-1]
		r.free = r.free[:n-1]
		return o
	}
	return &output{home: r}
}
