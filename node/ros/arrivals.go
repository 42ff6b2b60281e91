package ros

import (
	"sync"
	"time"

	"rsros/msgs"
	"rsros/node/ros/internal/wire"
)

// arrivals tracks the sequence numbers of a publisher's messages, across reconnects.
// It may be used from several goroutines.
type arrivals struct {
	mu      sync.Mutex
	numbers msgs.Numbers
}

func (a *arrivals) next(seq uint32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.numbers.Next(seq)
}

func (a *arrivals) skip() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.numbers.Skip()
}

func (a *arrivals) missing() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.numbers.Missing()
}

func (a *arrivals) settle() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.numbers.Settle()
}

// settle adds the messages that an ending link has missed to its subscriber's count.
func (l *link) settle() {
	s := l.subscriber
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missing += l.arrivals.settle()
}

// headed parses the type of a connection. It returns nil if the type is unknown or its
// messages don't begin with a header.
func headed(h Header) *msgs.Spec {
	spec, err := msgs.Parse(h[wire.KeyType], h[wire.KeyDefinition])
	if err != nil || !spec.Numbered() {
		return nil
	}
	return spec
}

// mostAhead is how far in the future a stamp may be without a warning.
const mostAhead = 250 * time.Millisecond

// arrived checks the header of a message. A stamp in the future means that the clocks
// of the publisher and this machine differ. A stamp in the past may come from a bag.
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
