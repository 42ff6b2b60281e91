package sim

import (
	"sync"
	"time"

	"rsros/camdriver"
)

// loopFrames returns the number of frames of a profile in one round of the path.
func loopFrames(p camdriver.Profile, o Options) int64 {
	return int64(p.FPS) * int64(o.Loop/time.Second)
}

// loop caches the images of a profile, which are rendered on first use. It is safe for concurrent use.
type loop struct {
	world   *world
	profile camdriver.Profile
	frames  int64 // in one round
	hold    int64 // number of frames that share an image
	pool    *camdriver.Pool
	slots   []slot
}

// slot is one image. mu is held while it is rendered.
type slot struct {
	mu   sync.Mutex
	buf  *camdriver.Buffer
	look look
}

// newLoop allocates slots for a round of images. Its pool has room for twice as many
// images, because a new look replaces images that consumers may still hold.
func newLoop(w *world, p camdriver.Profile, o Options) *loop {
	l := &loop{world: w, profile: p, frames: loopFrames(p, o)}
	size := int64((p.FrameSize() + camdriver.PageSize - 1) &^ (camdriver.PageSize - 1))
	fit := max(1, o.StreamMemory/size)
	l.hold = (l.frames + fit - 1) / fit
	l.slots = make([]slot, (l.frames+l.hold-1)/l.hold)
	l.pool = camdriver.NewPool(2 * size * int64(len(l.slots)))
	l.pool.Reserve(p.FrameSize(), len(l.slots))
	return l
}

// image returns the image of frame k with a reference for the caller, or nil if all memory is in use.
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
		t := float64(i*l.hold)/float64(l.profile.FPS) + phases[l.profile.Stream.Kind].Seconds()
		l.world.render(l.profile, t, want, b.Bytes)
		if s.buf != nil {
			s.buf.Release()
		}
		s.buf, s.look = b, want
	}
	s.buf.Retain()
	return s.buf
}
