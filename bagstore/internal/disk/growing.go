package disk

import (
	"sync"
	"sync/atomic"
)

// Growing is a sink for files of unknown size. It writes through the page cache while the
// file is small, and past it afterwards, so that a small file needs no staging memory,
// reserved space or padding.
type Growing struct {
	Sink        // at present; changed with mu by the goroutine that the Growing belongs to
	d           Disk
	from        int64
	grain       int
	preallocate int64
	staging     *Staging // may be nil
	mode        func(direct bool) error
	turned      bool                  // direct writing was tried
	refused     atomic.Pointer[error] // why it failed
	mu          sync.Mutex            // WriteHead waits while the sink changes
}

// NewGrowing returns a sink that writes directly once the file has from bytes, at least a block.
// grain is TryDirect's, preallocate NewDirect's; mode switches direct writing on or off.
func NewGrowing(d Disk, from int64, grain int, preallocate int64, mode func(direct bool) error) *Growing {
	return &Growing{d: d, from: max(from, int64(grain)), grain: grain, preallocate: preallocate, mode: mode, Sink: NewBuffered(d)}
}

// Refused returns the reason why a large file is still written through the page cache, or
// nil. It may be called from any goroutine.
func (s *Growing) Refused() error {
	if err := s.refused.Load(); err != nil {
		return *err
	}
	return nil
}

// Append implements Sink. The change is made before something is appended.
func (s *Growing) Append(head, body, tail []byte, done func()) error {
	if !s.turned && s.Size() >= s.from {
		s.turned = true
		if err := s.turn(); err != nil {
			if done != nil {
				done()
			}
			return err
		}
	}
	return s.Sink.Append(head, body, tail, done)
}

// turn changes to direct writing. If that fails, it goes on through the page cache, which
// will report an error of the disk.
func (s *Growing) turn() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := newDirect(s.d, s.grain, s.preallocate, s.staging)
	err := next.resume(s.Size(), func() error { return s.mode(true) })
	if err == nil {
		s.Sink = next
		return nil
	}
	s.refused.Store(&err)
	return s.mode(false)
}

// WriteHead implements Sink.
func (s *Growing) WriteHead(b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Sink.WriteHead(b)
}

// Sync implements Sink. It doesn't wait for the change, as it may run concurrently.
func (s *Growing) Sync() error { return s.d.Sync() }
