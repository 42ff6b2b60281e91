package record

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/program/localfile"
	"rsros/program/work"
)

// session writes one recording. It is a consumer of the hub that retains frames in
// a bounded queue, from which one goroutine writes. If the disk stalls, frames are
// dropped and counted; neither the camera nor the topics wait for it.
type session struct {
	queue  *work.Queue[queueKey, queued]
	budget *work.Budget // of the queue
	// largest is the size limit of a topic's message in bytes: larger ones are skipped and count as lost.
	largest     int64
	compression string // of the files
	parts       *parts
	now         func() time.Time
	logger      zerolog.Logger
	stopIt      sync.Once
	quit        chan struct{} // closed by stop
	done        chan struct{} // closed when everything is written and closed, or after an error
	err         error         // set before done

	// The requested state. Each frame carries it through the queue, so that a
	// change takes effect between the right frames and isn't dropped with one.
	marks  atomic.Uint64
	paused atomic.Bool
	watch  stopwatch // stopped while paused
	part   atomic.Uint32

	space      spaceGuard
	extra      extraTopics
	lostEvents atomic.Uint64
	dropLog    zerolog.BurstSampler // one line a second

	taps []*tap // of the devices, fixed by attach

	mu     sync.Mutex
	rescue []event // events that the queue dropped
}

// queueKey has a share of the queue: a device's stream, or a topic. The zero value is that of events.
type queueKey struct {
	tap    *tap
	stream camdriver.StreamID
	flow   *flow
}

// queued is a frame, a message or an event.
type queued struct {
	tap     *tap
	sensor  int
	frame   *camdriver.Frame
	message *extraMessage
	paused  bool
	part    uint32
	event   event
}

// size returns the number of bytes of the frame or message.
func (q *queued) size() int {
	switch {
	case q.frame != nil:
		return len(q.frame.Data)
	case q.message != nil:
		return len(q.message.buffer.Bytes())
	}
	return 0
}

type event func(*parts) error

const (
	// eventSize is the assumed size of a queued event in bytes.
	eventSize = 512
	// maxRescued is the limit of events that are kept while frames are dropped.
	maxRescued = 4096
	// idleCheck is the interval of checks for due checkpoints while no frames arrive.
	idleCheck = time.Second
)

func newSession(o Options, now func() time.Time, log zerolog.Logger) *session {
	r := &session{
		space: spaceGuard{minimum: o.MinSpace, free: localfile.FreeSpace, uploads: o.Uploads},
		now:   now, logger: log, quit: make(chan struct{}), done: make(chan struct{}), dropLog: zerolog.BurstSampler{Burst: 1, Period: time.Second},
	}
	memory := o.Budget
	if memory == nil {
		memory = work.NewBudget(o.QueueBytes)
	}
	r.largest, r.compression = cmp.Or(o.Memory, o.QueueBytes), compression(o.Bag)
	r.budget, r.queue = memory, work.NewQueue[queueKey](memory, r.dropItem)
	return r
}

func (r *session) begin(parts *parts) {
	r.parts = parts
	r.space.ring = parts
	r.watch.run(true)
	go r.run()
	go r.tick()
}

// discard releases a recording that was never started.
func (r *session) discard() {
	r.detach()
	r.queue.Close()
	for item, ok := r.queue.Pop(); ok; item, ok = r.queue.Pop() {
		if item.frame != nil {
			item.frame.Release()
		}
	}
}

// tick makes due checkpoints while no frames arrive, so that the last frames become safe.
func (r *session) tick() {
	t := time.NewTicker(idleCheck)
	defer t.Stop()
	var turn <-chan time.Time // of a ring
	if r.parts.ring != nil {
		ring := time.NewTicker(tickEvery)
		defer ring.Stop()
		turn = ring.C
	}
	for {
		select {
		case now := <-turn:
			r.event(func(p *parts) error { return p.ringTick(now) })
		case now := <-t.C:
			r.measure(now)
			if r.queue.Size() == 0 {
				r.event(func(p *parts) error { return errors.Join(r.writeDrops(p), p.cur.CheckpointIfDue()) })
			}
		case <-r.quit:
			return
		case <-r.done:
			return
		}
	}
}

// run writes until the queue is closed and empty. An error ends the recording: the file is
// closed properly, queued frames count as dropped, and the streams continue.
func (r *session) run() {
	defer close(r.done)
	var err error
	for {
		item, ok := r.queue.Pop()
		if !ok {
			break
		}
		if err == nil {
			err = r.write(item)
			if err != nil {
				r.logger.Error().Err(err).Str("bag", r.parts.path()).Msg("recording stopped; the streams continue")
				r.detach()
				r.queue.Close()
			}
		}
		switch {
		case err != nil:
			r.dropItem(item)
		case item.frame != nil:
			item.frame.Release()
		case item.message != nil:
			item.message.buffer.Release()
		}
	}
	if err == nil {
		err = r.write(queued{}) // rescued events
	}
	if err == nil {
		err = r.writeDrops(r.parts)
	}
	r.parts.latched.release()
	if err != nil {
		err = fmt.Errorf("recording stopped: %w", err)
		r.parts.leaveRing()
	}
	if e := r.parts.end(); err == nil {
		err = e // otherwise it is the same error
	}
	r.err = err
}

// write writes the rescued events and then one item.
func (r *session) write(item queued) error {
	r.mu.Lock()
	events := r.rescue
	r.rescue = nil
	r.mu.Unlock()
	if item.event != nil {
		events = append(events, item.event)
	}
	for _, event := range events {
		// Events that the layout can't represent are left out.
		if err := r.again(func() error { return event(r.parts) }); err != nil && !errors.Is(err, camdriver.ErrUnsupported) {
			return err
		}
	}
	if r.space.check(r.parts.path(), item.size(), time.Now()) {
		r.space.log(r.logger, "frames")
	}
	switch low := r.space.low.Load(); {
	case item.message != nil && low:
		item.message.drop()
		return nil
	case item.message != nil:
		err := r.again(func() error { return r.parts.message(item) })
		if err == nil {
			r.extra.written.Add(1)
		}
		return err
	case item.frame == nil:
		return nil
	case low:
		item.dropFrame()
		return nil
	}
	return r.again(func() error { return r.parts.frame(item) })
}

// again calls write, and calls it again for a new file if the current one is gone.
func (r *session) again(write func() error) error {
	err := write()
	if err == nil {
		return nil
	}
	if err := r.parts.goOn(err); err != nil {
		return err
	}
	return write()
}

// dropItem counts a dropped frame. Events are small and are kept for the next write.
func (r *session) dropItem(item queued) {
	if m := item.message; m != nil {
		m.drop()
		m.buffer.Release()
		r.logDrop()
		return
	}
	if item.frame == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if item.event != nil && len(r.rescue) < maxRescued {
			r.rescue = append(r.rescue, item.event)
		} else {
			r.lostEvents.Add(1)
		}
		return
	}
	item.dropFrame()
	item.frame.Release()
	r.logDrop()
}

// dropFrame counts the frame as dropped.
func (q queued) dropFrame() {
	id := q.frame.Stream()
	q.tap.dropped.Of(id).Add(1)
	if !q.paused {
		q.tap.meters.Of(id).drop(len(q.frame.Data))
	}
}

func (r *session) logDrop() {
	if r.dropLog.Sample(zerolog.WarnLevel) {
		s := r.drops()
		r.logger.Warn().Uint64("dropped", s.Dropped).Uint64("messages", s.Lost).Msg("the disk can't keep up: frames are dropped from the recording")
	}
}

func (r *session) log(line msgs.Log) {
	at := r.now()
	r.event(func(p *parts) error { return p.cur.Log(line, at) })
}

func (r *session) pause(on bool) {
	r.paused.Store(on)
	r.watch.run(!on)
	for _, t := range r.taps {
		t.run(!on)
	}
	for _, f := range r.extra.all() {
		f.run(!on)
	}
}

func (r *session) event(write event) { r.queue.Push(queueKey{}, queued{event: write}, eventSize) }

// stop writes the queue and closes the bag. It may be called more than once.
func (r *session) stop() (Summary, error) {
	r.stopIt.Do(func() {
		r.extra.close()
		r.detach()
		close(r.quit)
		r.queue.Close()
	})
	<-r.done
	return r.summary(), r.err
}

// ended reports whether the recording has ended. Without a call of stop, it has failed.
func (r *session) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

func (r *session) path() string { return r.parts.path() }

func (r *session) summary() Summary {
	s := r.parts.totals()
	s.Events = r.lostEvents.Load()
	drops := r.drops()
	for id, n := range drops.ByStream {
		c := s.ByStream[id]
		c.Dropped = n.Dropped
		s.ByStream[id] = c
	}
	s.Dropped, s.Lost, s.Messages = drops.Dropped, drops.Lost, r.extra.written.Load()
	return s
}

// drops returns what was dropped, without waiting for the disk.
func (r *session) drops() Summary {
	s := Summary{ByStream: map[camdriver.StreamID]Count{}}
	for _, t := range r.taps {
		for id, dropped := range t.dropped.All() {
			if n := dropped.Load(); n > 0 {
				s.ByStream[id] = Count{Dropped: s.ByStream[id].Dropped + n}
				s.Dropped += n
			}
		}
	}
	for _, f := range r.extra.all() {
		s.Lost += f.drops.count() + f.subscriber.Stats().TooLarge
	}
	return s
}

func (r *session) status() msgs.DiagnosticStatus {
	sum, path := r.summary(), r.path()
	s := msgs.DiagnosticStatus{Name: "Recording", Message: "recording into " + path}
	switch {
	case r.ended():
		s.Level, s.Message = msgs.DiagnosticError, r.err.Error()
	case sum.Dropped+sum.Lost > 0:
		s.Level, s.Message = msgs.DiagnosticWarn, "frames were dropped from "+path
	case r.paused.Load():
		s.Message = "paused, " + path
	}
	s.Values = []msgs.KeyValue{
		{Key: "Frames", Value: fmt.Sprint(sum.Frames)},
		{Key: "Dropped", Value: fmt.Sprint(sum.Dropped)},
		{Key: "Skipped while paused", Value: fmt.Sprint(sum.Skipped)},
		{Key: "Files", Value: fmt.Sprint(sum.Files)},
	}
	if len(r.extra.all()) > 0 {
		s.Values = append(s.Values, msgs.KeyValue{Key: "Messages", Value: fmt.Sprint(sum.Messages)}, msgs.KeyValue{Key: "Messages dropped", Value: fmt.Sprint(sum.Lost)})
	}
	if sum.Written != "" {
		s.Values = append(s.Values, msgs.KeyValue{Key: "Written", Value: sum.Written})
	}
	r.space.report(&s, "frames")
	r.figures().report(&s)
	r.space.uploads.Report(&s)
	return s
}
