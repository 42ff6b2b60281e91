package record

import (
	"sync"

	"rsros/bagstore"
	"rsros/msgs"
)

// drops counts the messages or frames that arrived and weren't recorded.
type drops struct {
	mu          sync.Mutex
	total       uint64
	unwritten   uint64        // those not yet stated in the recording
	first, last bagstore.Time // arrival of the unwritten ones
}

func (d *drops) add(at bagstore.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.unwritten == 0 {
		d.first, d.last = at, at
	}
	d.first, d.last = min(d.first, at), max(d.last, at)
	d.total++
	d.unwritten++
}

func (d *drops) count() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.total
}

// pending returns the drops not yet stated in the recording.
func (d *drops) pending(topic, recorder string) msgs.TopicStatistics {
	d.mu.Lock()
	defer d.mu.Unlock()
	return msgs.TopicStatistics{
		Topic: topic, NodeSub: recorder, WindowStart: msgs.Time(d.first), WindowStop: msgs.Time(d.last), DroppedMsgs: int32(min(d.unwritten, 1<<31-1)),
	}
}

func (d *drops) wrote(s msgs.TopicStatistics) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unwritten -= uint64(s.DroppedMsgs)
}
