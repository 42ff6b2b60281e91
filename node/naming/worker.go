package naming

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver/process"
	"rsros/msgs"
)

// worker computes frame sets on a goroutine of its own. If sets come faster than
// they are computed the older ones are dropped whole, and counted.
type worker struct {
	processor *processor
	log       zerolog.Logger
	pending   chan *job // room for one: the newest
	done      chan struct{}
	jobs      sync.Pool

	dropped, failed atomic.Uint64
	told            uint64    // of dropped, in the log
	said            time.Time // when a line was last logged
}

// job is a set to compute with.
type job struct {
	set   process.Set
	stamp msgs.Time
	run   *run
	fresh bool   // the blocks must forget what was before
	alone bool   // with blocks of its own, as if there were no other set
	asked *asked // whose messages are asked for; nil for what outlets want
}

// run is a part of a stream without a jump in time. The blocks remember nothing of
// another run's frames.
type run struct {
	gap bool // the last sets weren't computed because nobody wanted them
}

func newWorker(p *processor, log zerolog.Logger) *worker {
	w := &worker{processor: p, log: log, pending: make(chan *job, 1), done: make(chan struct{})}
	w.jobs.New = func() any { return &job{} }
	go w.work()
	return w
}

// job copies a set. Jobs of one run are made by one goroutine at a time.
func (w *worker) job(set *process.Set, stamp msgs.Time, r *run) *job {
	j := w.jobs.Get().(*job)
	j.set.Copy(set)
	j.stamp, j.run = stamp, r
	j.fresh, r.gap = r.gap, false
	return j
}

// put gives a set to the goroutine in place of the one that waits.
func (w *worker) put(j *job) {
	for {
		select {
		case w.pending <- j:
			return
		default:
		}
		if found, fresh := w.discard(); found {
			w.dropped.Add(1)
			j.fresh = j.fresh || fresh
		}
	}
}

// discard gives up the set that waits, if there is one, and says whether the next
// one must be fresh in its place.
func (w *worker) discard() (found, fresh bool) {
	select {
	case old := <-w.pending:
		fresh = old.fresh
		w.free(old)
		return true, fresh
	default:
		return false, false
	}
}

func (w *worker) free(j *job) {
	j.set.Release()
	if j.asked != nil {
		close(j.asked.done)
	}
	j.run, j.asked, j.alone = nil, nil, false
	w.jobs.Put(j)
}

func (w *worker) work() {
	defer close(w.done)
	var last *run
	for j := range w.pending {
		if !j.alone {
			if j.fresh || j.run != last {
				w.processor.reset()
			}
			last = j.run
		}
		if err := w.compute(j); err != nil {
			w.failed.Add(1)
			if w.may() {
				w.log.Warn().Err(err).Msg("a frame set wasn't processed")
			}
		}
		w.free(j)
		if n := w.dropped.Load(); n > w.told && w.may() {
			w.log.Warn().Uint64("dropped", n-w.told).Msg("frame sets come faster than they are processed")
			w.told = n
		}
	}
}

func (w *worker) compute(j *job) error {
	if j.asked == nil {
		return w.processor.compute(&j.set, j.stamp)
	}
	j.asked.take()
	defer j.asked.leave()
	p := w.processor
	if j.alone {
		p = p.alone()
		defer p.reset()
	}
	return p.computeAll(&j.set, j.stamp)
}

// may says whether a line may be logged: one in a second.
func (w *worker) may() bool {
	now := time.Now()
	if now.Sub(w.said) < time.Second {
		return false
	}
	w.said = now
	return true
}

// close ends the goroutine after the sets that it has. Nothing may be put then.
func (w *worker) close() {
	close(w.pending)
	<-w.done
	w.processor.close()
	if n := w.dropped.Load(); n > 0 {
		w.log.Info().Uint64("dropped", n).Msg("frame sets that weren't processed")
	}
}
