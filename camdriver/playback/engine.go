package playback

import (
	"context"
	"reflect"
	"sync"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
)

// engine raises the frames. One goroutine owns all of its state; others hand it
// functions to run between two frames (do), which also interrupt its sleep.
type engine struct {
	file    *rsbag.File
	sensors []*sensor
	clock   camdriver.Clock
	loop    bool
	part    *Range // what loop repeats; nil for all

	// The goroutine's.
	cursor     *rsbag.Cursor // over the streams that run; nil until it is needed
	next       *rsbag.Event  // read from the cursor, not raised yet
	shown      time.Duration // up to here a new cursor must not repeat what was raised
	seen       map[camdriver.StreamID]time.Duration
	seenEvents time.Duration // the same for options and notifications
	opened     time.Time     // Frame.Arrival of file time 0 in the first round
	looped     time.Duration // file time of all rounds before this one
	raised     bool          // something in this round
	realTime   bool
	speed      float64
	counted    uint64    // of the cursor's damaged messages, those in state
	anchorWall time.Time // when the file was at anchorFile
	anchorFile time.Duration

	mu      sync.Mutex
	state   State
	options [][]camdriver.Option // by sensor
	queue   []command
	cancel  context.CancelFunc // ends the running sleep; nil if there is none
	closed  bool
	wake    chan struct{} // there may be something in the queue
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

// do runs f in the engine's goroutine and waits for it. ErrClosed if it is gone.
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

// interrupt makes the goroutine look at the queue; mu is held.
func (e *engine) interrupt() {
	if e.cancel != nil {
		e.cancel()
	}
	select {
	case e.wake <- struct{}{}:
	default: // it is going to look already
	}
}

// close ends the goroutine after the running call and the commands before it.
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

// commands runs what is queued; true if the engine is closed.
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
	for _, s := range e.sensors {
		if s.handler != nil {
			return true
		}
	}
	return false
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

// fetch makes sure that next is set; false at the end of the file.
func (e *engine) fetch() bool {
	for e.next == nil {
		if e.cursor == nil && !e.openCursor() {
			return false
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

// countDamage adds what the cursor could not read to the state.
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

// repeated says whether an event was raised before the cursor was opened.
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

// openCursor reads the streams that run, from the position on.
func (e *engine) openCursor() bool {
	want := make(map[camdriver.StreamID]bool)
	for _, s := range e.sensors {
		for _, p := range s.profiles {
			want[p.Stream] = true
		}
	}
	c, err := e.file.Cursor(rsbag.CursorOptions{Base: e.base(), Streams: func(id camdriver.StreamID) bool { return want[id] }})
	if err != nil {
		e.change(func(s *State) { s.Ended = true })
		e.status(camdriver.Status{Kind: camdriver.StatusFailed, Err: err})
		return false
	}
	e.cursor = c
	pos := e.snapshot().Position
	e.shown = pos
	c.Seek(pos)
	return true
}

func (e *engine) dropCursor() {
	if e.cursor != nil {
		e.cursor.Close()
	}
	e.cursor, e.next, e.counted = nil, nil, 0
}

// base is Frame.Arrival of file time 0 in this round.
func (e *engine) base() time.Time { return e.opened.Add(e.looped) }

// wait sleeps until a file time is due; false if a command came first.
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

// anchor ties the file's time to the clock's, from now on.
func (e *engine) anchor(at time.Duration) { e.anchorWall, e.anchorFile = e.clock.Now(), at }

// raise gives an event to its sensor's handler.
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

// frame raises f under the profile that its stream was started with.
func (e *engine) frame(s *sensor, f *camdriver.Frame) {
	if s.handler == nil {
		return
	}
	f.Profile.Default = true // as all profiles of a recording; see newSensor
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
	return append([]camdriver.Option(nil), e.options[number]...)
}

// status tells the handlers of started sensors, each once.
func (e *engine) status(st camdriver.Status) {
	told := make(map[camdriver.Handler]bool)
	for _, s := range e.sensors {
		if s.handler == nil {
			continue
		}
		if reflect.TypeOf(s.handler).Comparable() {
			if told[s.handler] {
				continue
			}
			told[s.handler] = true
		}
		s.handler.StatusChanged(st)
	}
}

// atEnd begins again or ends; true if there is more to read.
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
	if !e.snapshot().Ended { // stepping comes here again
		e.change(func(s *State) { s.Ended = true })
		e.status(camdriver.Status{Kind: camdriver.StatusEnded})
	}
	return false
}

// roundGap lies between the last frame of a round and file time 0 of the next.
const roundGap = time.Millisecond

// moveTo goes to a file time: the next event is the first at or after it.
func (e *engine) moveTo(at time.Duration) {
	e.dropCursor()
	clear(e.seen)
	e.seenEvents, e.raised = -1, false
	e.change(func(s *State) { s.Position, s.Ended = at, false })
	e.anchor(at)
	for i, s := range e.sensors {
		for _, o := range e.file.OptionsAt(i, at) {
			if e.optionValue(i, o.ID) != o.Value {
				e.setOption(s, o.ID, o.Value)
			}
		}
	}
}

func (e *engine) optionValue(sensor int, id camdriver.OptionID) float32 {
	for _, o := range e.optionsOf(sensor) {
		if o.ID == id {
			return o.Value
		}
	}
	return 0
}
