package playback

import (
	"context"
	"slices"
	"sync"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
)

// engine raises the frames. One goroutine owns its state. Others pass it functions to
// run between two frames (do), which also interrupt its sleep.
type engine struct {
	file    *rsbag.File
	sensors []*sensor
	clock   camdriver.Clock
	loop    bool
	part    *Range // what loop repeats; nil means all

	// Owned by the goroutine.
	cursor     *rsbag.Cursor                        // over the running streams; nil until needed
	next       *rsbag.Event                         // read but not raised
	shown      time.Duration                        // up to this time, a new cursor must skip events that were raised
	seen       map[camdriver.StreamID]time.Duration // time of the last frame raised
	seenEvents time.Duration                        // the same for options and notifications
	opened     time.Time                            // Frame.Arrival at file time 0 in the first round
	looped     time.Duration                        // duration of all previous rounds
	raised     bool                                 // this round raised an event
	realTime   bool
	speed      float64
	counted    uint64    // damaged messages of the cursor that are in state
	anchorWall time.Time // when playback was at anchorFile
	anchorFile time.Duration

	mu      sync.Mutex
	state   State
	options [][]camdriver.Option // by sensor
	queue   []command
	cancel  context.CancelFunc // interrupts the sleep; nil if not sleeping
	closed  bool
	wake    chan struct{} // the queue may have changed
	done    chan struct{}
}

type command struct {
	run  func(*engine)
	done chan struct{}
}

func newEngine(f *rsbag.File, sensors []*sensor, o Options) *engine {
	e := &engine{
		file: f, sensors: sensors, clock: o.Clock, loop: o.Loop, realTime: o.RealTime, speed: o.Speed,
		opened: o.Clock.Now(), seen: make(map[camdriver.StreamID]time.Duration), shown: -1, seenEvents: -1,
		state: State{Duration: f.Duration(), Speed: o.Speed, RealTime: o.RealTime, Paused: o.Paused, Loop: o.Loop},
		wake:  make(chan struct{}, 1), done: make(chan struct{}),
	}
	for i := range sensors {
		e.options = append(e.options, f.OptionsAt(i, 0))
	}
	go e.run()
	return e
}

// do runs f in the engine's goroutine and waits for it, or returns ErrClosed.
func (e *engine) do(f func(*engine)) error {
	c := command{f, make(chan struct{})}
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return camdriver.ErrClosed
	}
	e.queue = append(e.queue, c)
	e.interrupt()
	e.mu.Unlock()
	<-c.done
	return nil
}

// interrupt makes the goroutine check the queue. mu must be held.
func (e *engine) interrupt() {
	if e.cancel != nil {
		e.cancel()
	}
	select {
	case e.wake <- struct{}{}:
	default: // already signalled
	}
}

// close ends the goroutine after it has run all queued commands.
func (e *engine) close() {
	e.mu.Lock()
	e.closed = true
	e.interrupt()
	e.mu.Unlock()
	<-e.done
}

func (e *engine) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}

func (e *engine) run() {
	defer close(e.done)
	defer e.dropCursor()
	for {
		quit := e.commands()
		switch {
		case quit:
			return
		case !e.playing() || !e.fetch():
			<-e.wake
		case e.wait(e.next.Time):
			ev := *e.next
			e.next = nil
			e.raise(ev)
		}
	}
}

// commands runs queued commands. It reports whether the engine is closed.
func (e *engine) commands() bool {
	for {
		e.mu.Lock()
		queue := e.queue
		e.queue = nil
		closed := e.closed
		e.mu.Unlock()
		for _, c := range queue {
			c.run(e)
			close(c.done)
		}
		if len(queue) == 0 {
			return closed
		}
	}
}

func (e *engine) playing() bool {
	s := e.snapshot()
	return !s.Paused && !s.Ended && e.running()
}

func (e *engine) running() bool {
	return slices.ContainsFunc(e.sensors, func(s *sensor) bool { return s.handler != nil })
}

func (e *engine) snapshot() State {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state
}

func (e *engine) change(f func(*State)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f(&e.state)
}

// fetch sets next unless it is set. It returns false at the end of the file.
func (e *engine) fetch() bool {
	for e.next == nil {
		if e.cursor == nil {
			e.openCursor()
		}
		ev, ok := e.cursor.Next()
		e.countDamage()
		ok = ok && !(e.loop && e.part != nil && ev.Time > e.part.To)
		if !ok {
			if !e.atEnd() {
				return false
			}
			continue
		}
		if !e.repeated(ev) {
			e.next = &ev
		}
	}
	return true
}

// countDamage adds the cursor's unreadable messages to the state.
func (e *engine) countDamage() {
	n, err := e.cursor.Damaged()
	if n == e.counted {
		return
	}
	e.change(func(s *State) {
		s.Damaged += n - e.counted
		s.Damage = err
	})
	e.counted = n
}

// repeated reports whether an event was raised before the cursor was opened.
func (e *engine) repeated(ev rsbag.Event) bool {
	if ev.Time > e.shown {
		return false
	}
	if ev.Frame == nil {
		return ev.Time <= e.seenEvents
	}
	t, ok := e.seen[ev.Frame.Stream()]
	return ok && ev.Time <= t
}

// openCursor opens a cursor over the running streams at the current position.
func (e *engine) openCursor() {
	want := make(map[camdriver.StreamID]bool)
	for _, s := range e.sensors {
		for _, p := range s.profiles {
			want[p.Stream] = true
		}
	}
	e.cursor = e.file.Cursor(rsbag.CursorOptions{Base: e.base(), Streams: func(id camdriver.StreamID) bool { return want[id] }})
	e.shown = e.snapshot().Position
	e.cursor.Seek(e.shown)
}

func (e *engine) dropCursor() {
	if e.cursor != nil {
		e.cursor.Close()
	}
	e.cursor, e.next, e.counted = nil, nil, 0
}

// base returns Frame.Arrival at file time 0 in this round.
func (e *engine) base() time.Time { return e.opened.Add(e.looped) }

// wait sleeps until a file time is due. It returns false if a command interrupts it.
func (e *engine) wait(at time.Duration) bool {
	if !e.realTime {
		return true
	}
	due := e.anchorWall.Add(time.Duration(float64(at-e.anchorFile) / e.speed))
	if !e.clock.Now().Before(due) {
		return true
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	e.mu.Lock()
	if len(e.queue) > 0 || e.closed {
		e.mu.Unlock()
		return false
	}
	e.cancel = cancel
	e.mu.Unlock()
	err := e.clock.SleepUntil(ctx, due)
	e.mu.Lock()
	e.cancel = nil
	e.mu.Unlock()
	return err == nil
}

// anchor maps the current time to the file time at.
func (e *engine) anchor(at time.Duration) { e.anchorWall, e.anchorFile = e.clock.Now(), at }

// raise passes an event to its sensor's handler.
func (e *engine) raise(ev rsbag.Event) {
	e.raised = true
	s := e.sensors[ev.Sensor]
	switch {
	case ev.Frame != nil:
		e.seen[ev.Frame.Stream()] = ev.Time
		e.frame(s, ev.Frame)
	case ev.Option != nil:
		e.seenEvents = ev.Time
		e.setOption(s, ev.Option.ID, ev.Option.Value)
	case ev.Notification != nil:
		e.seenEvents = ev.Time
		if s.handler != nil {
			s.handler.Notification(s.number, *ev.Notification)
		}
	}
	e.change(func(st *State) { st.Position = ev.Time })
}

// frame raises f if its sensor is started.
func (e *engine) frame(s *sensor, f *camdriver.Frame) {
	if s.handler == nil {
		return
	}
	f.Profile.Default = true // see newSensor
	s.handler.Frame(s.number, f)
}

func (e *engine) setOption(s *sensor, id camdriver.OptionID, v float32) {
	changed := false
	e.mu.Lock()
	for i := range e.options[s.number] {
		if o := &e.options[s.number][i]; o.ID == id {
			changed = true
			o.Value, o.Min, o.Max = v, min(o.Min, v), max(o.Max, v)
		}
	}
	e.mu.Unlock()
	if changed && s.handler != nil {
		s.handler.OptionChanged(s.number, id, v)
	}
}

func (e *engine) optionsOf(number int) []camdriver.Option {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.options[number])
}

// status calls the handlers of started sensors, each one once.
func (e *engine) status(st camdriver.Status) {
	for i, s := range e.sensors {
		shared := slices.ContainsFunc(e.sensors[:i], func(o *sensor) bool { return camdriver.SameHandler(o.handler, s.handler) })
		if s.handler != nil && !shared {
			s.handler.StatusChanged(st)
		}
	}
}

// atEnd restarts or ends playback. It reports whether there is more to read.
func (e *engine) atEnd() bool {
	if e.loop && e.raised {
		round := Range{To: e.file.Duration()}
		if e.part != nil {
			round = *e.part
		}
		e.looped += min(round.To, e.file.Duration()) - round.From + roundGap
		e.change(func(s *State) { s.Loops++ })
		e.moveTo(round.From)
		return true
	}
	if !e.snapshot().Ended { // Step may call this repeatedly
		e.change(func(s *State) { s.Ended = true })
		e.status(camdriver.Status{Kind: camdriver.StatusEnded})
	}
	return false
}

// roundGap separates the last frame of a round from file time 0 of the next.
const roundGap = time.Millisecond

// moveTo moves to a file time: the next event is the first one at or after it.
func (e *engine) moveTo(at time.Duration) {
	e.dropCursor()
	clear(e.seen)
	e.seenEvents, e.raised = -1, false
	e.change(func(s *State) { s.Position, s.Ended = at, false })
	e.anchor(at)
	for i, s := range e.sensors {
		for _, o := range e.file.OptionsAt(i, at) {
			if old, _ := camdriver.FindOption(e.optionsOf(i), o.ID); old.Value != o.Value {
				e.setOption(s, o.ID, o.Value)
			}
		}
	}
}
