package record

import (
	"cmp"
	"slices"
	"time"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/ros"
)

// item is what waits in the queue: a frame, a message, an event or a tick.
type item struct {
	flow   *flow  // nil for an event and a tick
	part   uint32 // number of splits that were requested before
	paused bool

	device, sensor int // of the frame
	frame          *camdriver.Frame

	topic  string
	header ros.Header
	buffer *ros.Buffer   // of the message
	at     bagstore.Time // ROS time of a message's arrival, of an event and of a tick
	stamp  bagstore.Time // of the message in the recording

	// arrival is that of the message on the clock of the devices' frames; of a tick, the host's time.
	arrival time.Time

	event event
}

// event changes files. Its error is camdriver.ErrUnsupported for what a file can't represent.
type event func(*series) error

const (
	// eventSize is the assumed size of a queued event in bytes.
	eventSize = 512
	// maxRescued is the limit of events that are kept while frames are dropped.
	maxRescued = 4096
)

// size returns the number of bytes of the frame or message.
func (it *item) size() int {
	switch {
	case it.frame != nil:
		return len(it.frame.Data)
	case it.buffer != nil:
		return len(it.buffer.Bytes())
	}
	return 0
}

func (it *item) release() {
	if it.frame != nil {
		it.frame.Release()
	}
	if it.buffer != nil {
		it.buffer.Release()
	}
}

// event queues an event. It never blocks.
func (r *Recording) event(do event) {
	r.queue.Push(nil, item{at: r.rosTime(), part: r.part.Load(), event: do}, eventSize)
}

// drop counts and releases a frame or message. Events are small and are kept for the next write. The queue calls it
// with the mutex of its budget held, which all sources and the writing goroutine need: logDrops tells of it later.
func (r *Recording) drop(it item) {
	if it.flow == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if it.event != nil && len(r.rescued) < maxRescued {
			r.rescued = append(r.rescued, it)
		}
		return
	}
	why := tooSlow
	if r.broken.Load() {
		why = failed
	}
	it.lose(why)
	it.release()
}

// lose counts a frame or message as dropped.
func (it *item) lose(why cause) { it.flow.drop(why, it.at, it.size(), !it.paused) }

// logDrops logs that the queue has dropped something since the last call.
func (r *Recording) logDrops() {
	n := r.dropped()[tooSlow]
	if n == r.said {
		return
	}
	r.said = n
	line := r.log.Warn()
	if len(r.taps) > 0 {
		line.Uint64("dropped", n.Frames).Uint64("messages", n.Messages)
	} else {
		most := slices.MaxFunc(r.subscribed(),
			func(a, b *topic) int { return cmp.Compare(a.drops(tooSlow), b.drops(tooSlow)) })
		line.Uint64("dropped", n.Messages).Str("most_of", most.name)
	}
	line.Msg(r.explain(r.neck.limit()))
}
