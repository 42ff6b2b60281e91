package msgs

// Raw is a message as bytes: Head, Body and Tail in a row are its wire form. A
// large part, such as an image's pixels or a message read from a file, is the
// Body, which is passed on without being copied. Head and Tail are small: the
// fields before and after it, or all of a small message.
//
// Whoever takes a Raw may read Head and Tail until it returns, and Body until it
// has called Owner.Release, which it does exactly once, from any goroutine. Body
// must not change before that, and never if there is no Owner.
type Raw struct {
	Head, Body, Tail []byte
	Owner            Releaser // of Body; may be nil

	// Key names what the message is about where several are kept for late
	// subscribers: a message replaces the kept one with the same key, and one
	// without a key is kept beside all others.
	Key string

	// Time is when the message was made, in ns since 1970, where that isn't now: the
	// recorded time of a message that is played. 0 means now. It isn't sent to ROS.
	Time int64
}

// Size is the length of the wire form in bytes.
func (r *Raw) Size() int { return len(r.Head) + len(r.Body) + len(r.Tail) }

// Releaser owns memory that is counted by reference. Release gives up one
// reference; the memory may be used again after the last.
type Releaser interface{ Release() }
