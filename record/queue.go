package record

import (
	"time"

	"github.com/rs/zerolog"

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

// drop counts and releases a frame or message. Events are small and are kept for the next write.
func (r *Recording) drop(it item) {
	if it.flow == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if it.event != nil && len(r.rescued) < maxRescued {
			r.rescued = append(r.rescued, it)
		}
		return
	}
	it.lose()
	it.release()
	if r.dropLog.Sample(zerolog.WarnLevel) {
		r.logDrop(&it)
	}
}

// lose counts a frame or message as dropped.
func (it *item) lose() { it.flow.drop(it.at, it.size(), !it.paused) }

func (r *Recording) logDrop(it *item) {
	frames, messages := r.dropped()
	line := r.log.Warn()
	if len(r.taps) > 0 {
		line.Uint64("dropped", frames).Uint64("messages", messages)
	} else {
		line.Uint64("dropped", messages).Str("topic", it.topic)
	}
	if r.space.low.Load() {
		line.Msgf("the disk is nearly full, or too much waits for upload: %s are dropped", r.space.what)
		return
	}
	line.Msg(r.explain(r.neck.limit()))
}
