package sim

import (
	"sync"
	"time"

	"rsros/camdriver"
)

// loopFrames is how many frames of a profile one round of the path takes.
func loopFrames(p camdriver.Profile, o Options) int64 {
	return int64(p.FPS) * int64(o.Loop/time.Second)
}

// loop keeps the images of one profile, drawn when first asked for. Its
// methods may be called from any goroutine.
type loop struct {
	world   *world
	profile camdriver.Profile
	frames  int64 // in one round
	hold    int64 // frames that show the same image
	pool    *camdriver.Pool
	slots   []slot
}

// slot is one image. mu is held while it is drawn, so that whoever needs it
// next waits for it.
type slot struct {
	mu   sync.Mutex
	buf  *camdriver.Buffer
	look look
}

// newLoop makes room for a round of images. Memory doubles at most, when a
// changed look makes new images while somebody holds all the old ones.
func newLoop(w *world, p camdriver.Profile, o Options) *loop {
	l := &loop{world: w, profile: p, frames: loopFrames(p, o)}
	size := int64((p.FrameSize() + camdriver.PageSize - 1) &^ (camdriver.PageSize - 1))
	fit := max(1, o.StreamMemory/size)
	l.hold = (l.frames + fit - 1) / fit
	l.slots = make([]slot, (l.frames+l.hold-1)/l.hold)
	l.pool = camdriver.NewPool(2 * size * int64(len(l.slots)))
	return l
}

// image gives the picture of frame k with a reference for the caller, or nil if
// all memory is held.
func (l *loop) image(k int64, want look) *camdriver.Buffer {
	if l.profile.Stream.Kind == camdriver.Depth {
		want = look{}
	}
	i := k % l.frames / l.hold
	s := &l.slots[i]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.buf == nil || s.look != want {
		b := l.pool.Get(l.profile.FrameSize())
		if b == nil {
			return nil
		}
		t := float64(i*l.hold)/float64(l.profile.FPS) + phase(l.profile.Stream.Kind).Seconds()
		l.world.render(l.profile, t, want, b.Bytes)
		if s.buf != nil {
			s.buf.Release()
		}
		s.buf, s.look = b, want
	}
	s.buf.Retain()
	return s.buf
}
