package clients

import (
	"slices"
	"sync"
	"sync/atomic"

	"rsros/program/buffers"
)

// Item is a message to clients: any type that embeds Shared.
type Item interface{ shared() *Shared }

// Shared counts the references to a message.
type Shared struct {
	Count uint64 // how many frames or samples it has for [Counts]; 0 is one

	size  int64 // in memory
	free  func()
	refs  buffers.Refs
	holds int // by clients; guarded by the budget's mu
}

// overhead is the size of a message in memory without its content, in bytes.
const overhead = 128

// Init gives the caller a reference. size is how many bytes of content the message keeps
// in memory; free is called after the last Release and may be nil.
func (s *Shared) Init(size int64, free func()) {
	s.size, s.free = size+overhead, free
	s.refs.Init()
}

func (s *Shared) shared() *Shared { return s }

// Retain adds a reference.
func (s *Shared) Retain() { s.refs.Retain() }

// Release drops a reference.
func (s *Shared) Release() {
	if s.refs.Release() && s.free != nil {
		s.free()
	}
}

func (s *Shared) count() uint64 { return max(s.Count, 1) }

// Watchers are subscriptions that share one source of messages. The list changes rarely and is
// read for each message. The zero value is an empty list.
type Watchers[T comparable] struct {
	// Open makes the source send messages until stop is called. It is nil for a source that sends them anyway.
	Open func() (stop func(), err error)

	mu   sync.Mutex // orders opening and closing
	stop func()     // nil if the source isn't open
	all  atomic.Pointer[[]T]
}

// All returns the list, which the caller doesn't change.
func (l *Watchers[T]) All() []T {
	if list := l.all.Load(); list != nil {
		return *list
	}
	return nil
}

// Add adds x, and opens the source for the first one. After an error, x isn't in the list.
func (l *Watchers[T]) Add(x T) (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := append(slices.Clone(l.All()), x)
	l.all.Store(&list)
	if len(list) > 1 || l.Open == nil {
		return nil
	}
	if l.stop, err = l.Open(); err != nil {
		l.all.Store(nil)
	}
	return err
}

// Remove removes x, and closes the source after the last one.
func (l *Watchers[T]) Remove(x T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(l.All()), func(y T) bool { return x == y })
	l.all.Store(&list)
	if len(list) == 0 && l.stop != nil {
		l.stop()
		l.stop = nil
	}
}
