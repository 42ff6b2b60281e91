package msgs

import "rsros/program/buffers"

// Raw is an encoded message: the concatenation of Head, Body and Tail. A large part, such
// as an image's pixels or a message read from a file, is the Body, which is passed on
// without a copy. Head and Tail are the fields before and after it, or a small message.
//
// A function that takes a Raw may read Head and Tail until it returns, and Body until it calls Owner.Release. It must
// call that exactly once, from any goroutine. Body must not change before that, or ever if Owner is nil.
type Raw struct {
	Head, Body, Tail []byte
	Owner            buffers.Releaser // of Body; may be nil

	// Key identifies the message among those kept for late subscribers. A message
	// replaces the one with the same key; one without a key replaces none.
	Key string

	// Time is the recorded time of a played message in ns since 1970; 0 means now. It isn't sent to ROS.
	Time int64
}

// Size returns the length of the wire form in bytes.
func (r *Raw) Size() int { return len(r.Head) + len(r.Body) + len(r.Tail) }

// Shared counts references to an owner.
type Shared struct {
	refs  buffers.Refs
	owner buffers.Releaser // may be nil
}

// Share returns a Shared with one reference. The last Release releases owner.
func Share(owner buffers.Releaser) *Shared {
	s := &Shared{owner: owner}
	s.refs.Init()
	return s
}

// Retain adds a reference, which the caller releases.
func (s *Shared) Retain() buffers.Releaser {
	s.refs.Retain()
	return s
}

// Release removes a reference.
func (s *Shared) Release() {
	if s.refs.Release() && s.owner != nil {
		s.owner.Release()
	}
}
