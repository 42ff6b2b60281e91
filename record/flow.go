package record

import (
	"sync"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
)

// flow counts the frames of a device's stream or the messages of a topic, and measures their rate. It has a share of
// the queue.
type flow struct {
	gaps func() uint64 // the source's count of what was lost before it arrived; it counts without end, also during a pause

	mu      sync.Mutex
	now     sample
	removed sample    // part of now: what was added, and dropped later
	earlier [5]sample // one a second, oldest first; zero ones are missing

	dropped     [causes]uint64 // arrived and weren't recorded
	unwritten   uint64         // dropped while recording went on, and not yet stated in the recording
	first, last bagstore.Time  // arrival of the unwritten ones

	stopped   bool   // the source's count doesn't matter, because nothing is recorded
	stoppedAt uint64 // that count when it began not to matter
	ignored   uint64 // what the source counted while it didn't matter
}

type sample struct {
	at              time.Time
	messages, bytes uint64
}

func (f *flow) add(bytes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now.messages++
	f.now.bytes += uint64(bytes)
}

// drop counts one that isn't recorded. added says that it was added.
func (f *flow) drop(why cause, at bagstore.Time, bytes int, added bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropped[why]++
	if why == tooSlow || why == noSpace {
		if f.unwritten == 0 {
			f.first, f.last = at, at
		}
		f.first, f.last = min(f.first, at), max(f.last, at)
		f.unwritten++
	}
	if added {
		f.removed.messages++
		f.removed.bytes += uint64(bytes)
	}
}

// drops returns how many were dropped for a cause.
func (f *flow) drops(why cause) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dropped[why]
}

// pending returns the drops not yet stated in the recording.
func (f *flow) pending(topic, recorder string) msgs.TopicStatistics {
	f.mu.Lock()
	defer f.mu.Unlock()
	return msgs.TopicStatistics{
		Topic: topic, NodeSub: recorder, WindowStart: msgs.Time(f.first), WindowStop: msgs.Time(f.last),
		DroppedMsgs: int32(min(f.unwritten, 1<<31-1)),
	}
}

func (f *flow) wrote(s msgs.TopicStatistics) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unwritten -= uint64(s.DroppedMsgs)
}

// run stops or continues to count what was lost before it arrived. It may be called twice.
func (f *flow) run(on bool) {
	source := f.gaps()
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case on && f.stopped:
		f.ignored += source - min(f.stoppedAt, source)
	case !on && !f.stopped:
		f.stoppedAt = source
	}
	f.stopped = !on
}

// missing returns how many were lost before they arrived, while the flow was recorded.
func (f *flow) missing() uint64 {
	source := f.gaps()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		source = f.stoppedAt
	}
	return source - min(f.ignored, source)
}

// tick is called once a second.
func (f *flow) tick(at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	copy(f.earlier[:], f.earlier[1:])
	f.now.at = at
	f.earlier[len(f.earlier)-1] = f.now
}

// read completes a row with what was counted.
func (f *flow) read(r Row) Row {
	r.Lost = f.missing()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range f.dropped[:late] {
		r.Drops += n
	}
	r.Messages, r.Bytes = f.now.messages-f.removed.messages, f.now.bytes-f.removed.bytes
	last := f.earlier[len(f.earlier)-1]
	for _, first := range f.earlier {
		if seconds := last.at.Sub(first.at).Seconds(); !first.at.IsZero() && seconds > 0 {
			r.Rate, r.Speed = float64(last.messages-first.messages)/seconds, float64(last.bytes-first.bytes)/seconds
			break
		}
	}
	return r
}
