package msgs

import "sync/atomic"

// Raw is an encoded message: the concatenation of Head, Body and Tail. A large part, such
// as an image's pixels or a message read from a file, is the Body, which is passed on
// without a copy. Head and Tail are the fields before and after it, or a small message.
//
// A function that takes a Raw may read Head and Tail until it returns, and Body until it
// calls Owner.Release. It must call that exactly once, from any goroutine. Body must not
// change before that, or ever if Owner is nil.
type Raw struct {
	Head, Body, Tail []byte
	Owner            Releaser // of Body; may be nil

	// Key identifies the message among those kept for late subscribers. A message
	// replaces the one with the same key; one without a key replaces none.
	Key string

	// Time is the recorded time of a played message in ns since 1970; 0 means now. It
	// isn't sent to ROS.
	Time int64
}

// Size returns the length of the wire form in bytes.
func (r *Raw) Size() int { return len(r.Head) + len(r.Body) + len(r.Tail) }

// Releaser is reference-counted memory. Release drops one reference; after the last one,
// the memory may be reused.
type Releaser interface{ Release() }

// Shared counts references to an owner.
type Shared struct {
	refs  atomic.Int32
	owner Releaser // may be nil
}

// Share returns a Shared with one reference. The last Release releases owner.
func Share(owner Releaser) *Shared {
	s := &Shared{owner: owner}
	s.refs.Store(1)
	return s
}

// Retain adds a reference, which the caller releases.
func (s *Shared) Retain() Releaser {
	s.refs.Add(1)
	return s
}

// Release removes a reference.
func (s *Shared) Release() {
	if s.refs.Add(-1) == 0 && s.owner != nil {
		s.owner.Release()
	}
}
