// Package record writes recordings: cameras' streams in the RealSense layout, as bags or .db3 files, with topics
// next to them (Camera), and any topics of the graph (Topics).
//
// A Recording has sources, which are taps of devices and subscriptions to topics. What they receive waits in one
// queue, which is bounded in bytes, and one goroutine writes it into a series of files. A frame or message is not
// copied: the queue and the file hold references to its buffer. If the disk stalls, frames and messages are dropped
// and counted; devices and publishers never wait. Camera.Close waits for the goroutines of a Camera, and Topics
// for its own before it returns.
package record

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/program/localfile"
	"rsros/program/work"
	"rsros/record/source"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/tools/info"
)

// Recording is one that runs. Its exported methods may be called from any goroutine.
type Recording struct {
	o        Options
	node     *ros.Node    // nil without topics
	graph    source.Graph // that has the topics
	log      zerolog.Logger
	taps     []*tap // of the devices, fixed by attach
	thin     thinning
	triggers *triggers
	types    definitions
	expected int // number of topics, all of which end the recording when they have reached a limit; 0 if unknown

	budget *work.Budget
	queue  *work.Queue[*flow, item]
	space  spaceGuard
	files  *series

	// The requested state. Each frame carries it through the queue, so that a
	// change takes effect between the right frames and isn't dropped with one.
	marks  atomic.Uint64
	paused atomic.Bool
	part   atomic.Uint32
	watch  bagstore.Stopwatch // stopped while paused

	neck    bottleneck
	seconds int         // with a master; see watchNamed
	said    Tally       // drops that were logged
	broken  atomic.Bool // by an error

	enough   func()        // closes full
	full     chan struct{} // closed when recording should end
	halt     func()        // ends the sources and the queue, once
	ticks    func()        // ends the ticks
	observed func()        // ends observe, which a log that blocks holds up
	done     chan struct{} // closed when everything is written and closed, or after an error
	err      error         // set before done

	mu      sync.Mutex
	topics  map[string]*topic
	rescued []item // events that the queue dropped
}

func newRecording(o Options, node *ros.Node, log zerolog.Logger) *Recording {
	r := &Recording{
		o: o, node: node, log: log, triggers: &triggers{}, topics: map[string]*topic{},
		space: spaceGuard{minimum: o.MinSpace, free: localfile.FreeSpace, uploads: o.Uploads, what: "messages"},
		full:  make(chan struct{}), done: make(chan struct{}),
	}
	if node != nil {
		r.graph = source.ROS1{Node: &graph.Node{Node: node}}
	}
	r.o.Bag.Waits = &r.neck.waits
	r.enough = sync.OnceFunc(func() { close(r.full) })
	r.halt = sync.OnceFunc(r.end)
	r.budget = cmp.Or(o.Budget, work.NewBudget(cmp.Or(o.Memory, o.QueueBytes)))
	r.queue = work.NewQueue[*flow](r.budget, r.drop)
	return r
}

// begin opens the first file and starts writing. It calls second once a second until the end.
func (r *Recording) begin(files *series, second func()) error {
	r.files, r.space.ring = files, files
	files.full = r.enough
	if err := files.next(); err != nil {
		return err
	}
	r.watch.Add(1)
	r.neck.tick()
	r.ticks = work.Run(context.Background(), r.tick)
	r.observed = work.Run(context.Background(), func(ctx context.Context) { r.observe(ctx, second) })
	go r.write()
	return nil
}

// discard releases a recording that never began.
func (r *Recording) discard() {
	r.detach()
	r.queue.Close()
	for it, ok := r.queue.Pop(); ok; it, ok = r.queue.Pop() {
		it.release()
	}
}

// tickEvery is how often limits and checkpoints are checked.
const tickEvery = time.Second / 4

// tick queues ticks.
func (r *Recording) tick(ctx context.Context) {
	work.Every(ctx, tickEvery, func(now time.Time) {
		r.triggers.tick(now)
		r.queue.Push(nil, item{at: r.rosTime(), part: r.part.Load(), arrival: now}, eventSize)
	})
}

// observe measures rates once a second, and logs what has changed. While the log blocks, recording goes on.
func (r *Recording) observe(ctx context.Context, second func()) {
	work.Every(ctx, time.Second, func(now time.Time) {
		r.neck.tick()
		r.logDrops()
		r.watchNamed()
		for _, t := range r.taps {
			for _, f := range t.flows.All() {
				f.tick(now)
			}
		}
		for _, t := range r.subscribed() {
			t.tick(now)
		}
		second()
	})
}

// reachTime is how long a publisher may take to be connected.
const reachTime = time.Second

// end ends what fills the queue, and the queue.
func (r *Recording) end() {
	for _, t := range r.subscribed() {
		t.unreached.Store(int64(t.subscriber.Unreached(reachTime)))
		t.subscriber.Close()
	}
	r.detach()
	r.ticks()
	r.queue.Close()
}

// detach ends all taps. It may be called twice.
func (r *Recording) detach() {
	for _, t := range r.taps {
		t.detach()
	}
}

// close writes what is in the queue, and completes the files. It may be called more than once.
func (r *Recording) close() (Figures, error) {
	r.halt()
	<-r.done
	r.observed()
	r.logDrops()
	return r.Figures(), r.err
}

// subscribed returns the topics, sorted by name.
func (r *Recording) subscribed() []*topic {
	r.mu.Lock()
	list := slices.Collect(maps.Values(r.topics))
	r.mu.Unlock()
	slices.SortFunc(list, func(a, b *topic) int { return cmp.Compare(a.name, b.name) })
	return list
}

// Topics returns the names of the recorded topics, sorted.
func (r *Recording) Topics() (names []string) {
	for _, t := range r.subscribed() {
		names = append(names, t.name)
	}
	return names
}

// rosTime returns the time of the graph, if the recording is part of one.
func (r *Recording) rosTime() bagstore.Time {
	if r.node == nil {
		return 0
	}
	return bagstore.TimeOf(r.node.Now())
}

// Pause pauses or resumes the recording. Paused time is cut out of files of devices.
func (r *Recording) Pause(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.paused.Swap(on) == on {
		return
	}
	if on {
		r.watch.Add(-1)
	} else {
		r.watch.Add(1)
	}
	for _, t := range r.taps {
		for p := range t.profiles() {
			t.flows.Of(p.Stream).run(!on)
		}
	}
	for _, t := range r.topics {
		t.run(!on && !t.full())
	}
}

// TogglePause pauses or resumes the recording.
func (r *Recording) TogglePause() { r.Pause(!r.paused.Load()) }

// Split starts a new file with the next frame or message.
func (r *Recording) Split() { r.part.Add(1) }

// Stop ends a recording of topics, and with it Topics.
func (r *Recording) Stop() { r.enough() }

// Mark writes a mark into the recording, after what has arrived, and returns its text. In one of devices it is
// a notification of the first sensor.
func (r *Recording) Mark() string {
	text := fmt.Sprintf("mark %d", r.marks.Add(1))
	if len(r.taps) > 0 {
		t := r.taps[0]
		t.Notification(0, camdriver.Notification{Time: t.Now(), Category: camdriver.NotifyHardwareEvent,
			Severity: camdriver.SeverityInfo, Description: text})
		return text
	}
	at := r.rosTime()
	r.event(func(s *series) error {
		return s.note(info.MarksTopic, info.MarksType, r.node.Name(), at, &msgs.String{Data: text})
	})
	r.log.Info().Msg(text)
	return text
}

// Trigger keeps what a ring holds, and what is recorded in its time after the trigger.
func (r *Recording) Trigger() (string, error) {
	if r.o.Ring.Before == 0 {
		return "", errNoRing
	}
	r.trigger("request")
	return r.o.Ring.answer(), nil
}

// trigger keeps the ring, with what is in the queue before it.
func (r *Recording) trigger(why string) {
	r.log.Debug().Str("by", why).Msg("trigger")
	at := time.Now()
	r.files.announce(at)
	r.event(func(s *series) error { return s.ringTrigger(at) })
}
