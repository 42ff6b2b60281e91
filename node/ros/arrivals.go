package ros

import (
	"sync"
	"time"

	"rsros/msgs"
	"rsros/node/ros/internal/wire"
)

// arrivals follows the numbers that a publisher gives its messages in header.seq. They
// go on when a connection breaks and another is made. The zero value has seen nothing.
type arrivals struct {
	mu    sync.Mutex
	known bool // last is a number
	last  uint32
	steps uint64 // pairs of successive messages
	back  uint64 // of them, those whose second number isn't the larger one
	ones  uint64 // those whose second number is the next one
	gaps  uint64 // numbers that were left out
}

// mostMissing is the largest gap that is taken for a loss. A larger one is another
// count: of a bag that is played from another place, say.
const mostMissing = 1 << 20

// next takes the number of the next message.
func (a *arrivals) next(seq uint32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	step := seq - a.last // modulo 2³², as the numbers are
	if a.known {
		a.steps++
		switch {
		case step == 1:
			a.ones++
		case step == 0 || step > 1<<31: // starts again, or doesn't count
			a.back++
		case step <= mostMissing:
			a.gaps += uint64(step - 1)
		}
	}
	a.known, a.last = true, seq
}

// skip is next for a message that has arrived and isn't read.
func (a *arrivals) skip() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known = false
}

// missing is how many numbers were left out: 0 if they go back more often than in every
// fourth message, as those of a publisher that doesn't count, or that sends
// several series on one connection; and 0 if hardly any follows the one before, as
// where a node passes on every tenth message of another.
func (a *arrivals) missing() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.count()
}

// settle is missing and forgets them.
func (a *arrivals) settle() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.count()
	a.gaps = 0
	return n
}

// count is missing for callers that hold mu.
func (a *arrivals) count() uint64 {
	if 4*a.back > a.steps || 16*a.ones < a.steps {
		return 0
	}
	return a.gaps
}

// settle leaves what a link that ends has missed with the subscriber.
func (l *link) settle() {
	s := l.subscriber
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missing += l.arrivals.settle()
}

// headed parses the type of a connection whose messages begin with a header; nil for
// others, and for those whose publisher doesn't say.
func headed(h Header) *msgs.Spec {
	spec, err := msgs.Parse(h[wire.KeyType], h[wire.KeyDefinition])
	if err != nil {
		return nil
	}
	empty := make([]byte, 4)
	if _, ok := spec.Seq(empty); !ok {
		return nil
	}
	return spec
}

// mostAhead is how far in the future a stamp may be without a remark.
const mostAhead = 250 * time.Millisecond

// arrived looks at the header of a message. A stamp in the future tells that the
// publisher's clock differs from this machine's. One in the past may be a bag's.
func (l *link) arrived(spec *msgs.Spec, h Header, data []byte) {
	if seq, ok := spec.Seq(data); ok {
		l.arrivals.next(seq)
	}
	node := l.subscriber.node
	if l.saidAhead || node.time.active.Load() {
		return
	}
	stamp, ok := spec.Stamp(data)
	if ahead := time.Until(stamp.Time()); ok && ahead > mostAhead {
		l.saidAhead = true
		node.log.Warn().Str("topic", l.subscriber.options.Topic).Str("publisher", h[wire.KeyCallerID]).Str("ahead", ahead.Round(time.Millisecond).String()).
			Msg("stamps are in the future: the publisher's clock and this machine's differ")
	}
}
