package naming

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
)

// pipeline matches a device's frames into sets. It immediately publishes messages that need
// no processing, with the set's stamp, and passes the set to a worker for the others.
type pipeline struct {
	*worker
	topics *WrapperTopics
	rig    *process.Rig

	mu   sync.Mutex
	sync *process.Syncer
	last map[camdriver.StreamID]float64 // time of the last frame, ms
	run  *run
}

// processPool bounds the memory of processed frames, including those in subscribers' queues.
const processPool = 512 << 20

func newPipeline(ctx context.Context, w *WrapperTopics, snap camdriver.DeviceSnapshot) (*pipeline, error) {
	processor, err := newProcessor(w.layout, snap, processPool, w.streams[camdriver.DepthStream], w.opener(ctx))
	if err == nil {
		err = processor.filters.offer(ctx, w.out, w.layout.camera)
	}
	if err != nil {
		processor.close()
		return nil, err
	}
	return &pipeline{
		worker: newWorker(processor, w.out.Log().With().Str("component", "processing").Logger()),
		topics: w, rig: process.NewRig(snap), sync: process.NewSyncer(), last: map[camdriver.StreamID]float64{}, run: &run{},
	}, nil
}

func (p *pipeline) take(f *camdriver.Frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.jumped(f) {
		p.restart()
	}
	if !p.topics.layout.options.sync() {
		var set process.Set
		set.Add(p.rig.Image(f.Retain()))
		p.publish(&set)
		set.Release()
		return
	}
	p.sync.Push(p.rig.Image(f.Retain()), p.publish)
}

// farApart plus five frame intervals, in ms, between two frames of a stream is a seek.
const farApart = 500

func (p *pipeline) jumped(f *camdriver.Frame) bool {
	last, ok := p.last[f.Stream()]
	p.last[f.Stream()] = f.Timestamp
	slack := farApart + 5000/float64(max(f.Profile.FPS, 1))
	return ok && (f.Timestamp < last || f.Timestamp > last+slack)
}

// reset forgets all frames after the camera disconnected.
func (p *pipeline) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.restart()
}

// restart keeps frames before a seek from being combined with those after it. p.mu must be held.
func (p *pipeline) restart() {
	p.sync.Reset()
	clear(p.last)
	p.run = &run{}
	p.discard()
}

// publish publishes unprocessed messages, and passes the set to the worker if its topics
// have subscribers. It doesn't keep the set. p.mu must be held.
func (p *pipeline) publish(set *process.Set) {
	stamp := p.topics.stamps.Stamp(set.Images[0].Frame)
	compute := p.processor.wanted()
	p.topics.layout.publish(p.topics.streams, set, stamp, compute)
	if !compute {
		p.run.gap = true // don't use older frames for later subscribers
		return
	}
	p.put(p.job(set, stamp, p.run))
}

// close ends the worker after its pending sets. take must not be called any more.
func (p *pipeline) close() {
	p.mu.Lock()
	p.sync.Reset()
	p.mu.Unlock()
	p.worker.close()
}

// worker processes frame sets. If it is too slow, it drops older sets and counts them.
type worker struct {
	processor *processor
	log       zerolog.Logger
	pending   chan *job // capacity 1, for the newest
	done      chan struct{}
	jobs      sync.Pool

	dropped, failed atomic.Uint64
	logged          uint64               // value of dropped in the log
	sampler         zerolog.BurstSampler // of the log
}

type job struct {
	set   process.Set
	stamp msgs.Time
	run   *run
	fresh bool          // reset the blocks first
	alone bool          // use new blocks, independent of other sets
	asked receivers     // of the requested messages; nil for those with subscribers
	done  chan struct{} // closed when the set is processed or dropped; may be nil
}

// run is a part of a stream without a jump in time. Blocks don't combine frames of two.
type run struct {
	gap bool // the last sets were skipped because there were no subscribers
}

func newWorker(p *processor, log zerolog.Logger) *worker {
	w := &worker{processor: p, log: log, pending: make(chan *job, 1), done: make(chan struct{}),
		sampler: zerolog.BurstSampler{Burst: 1, Period: time.Second}}
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

// put passes a set to the goroutine. It replaces the pending one.
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

// discard drops the pending set. fresh reports whether the next one must be fresh instead.
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
	if j.done != nil {
		close(j.done)
	}
	j.run, j.asked, j.done, j.alone = nil, nil, nil, false
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
			if w.sampler.Sample(zerolog.WarnLevel) {
				w.log.Warn().Err(err).Msg("cannot process a frame set")
			}
		}
		w.free(j)
		if n := w.dropped.Load(); n > w.logged && w.sampler.Sample(zerolog.WarnLevel) {
			w.log.Warn().Uint64("dropped", n-w.logged).Msg("dropped frame sets because processing is too slow")
			w.logged = n
		}
	}
}

func (w *worker) compute(j *job) error {
	j.asked.open()
	defer j.asked.close()
	p := w.processor
	if j.alone {
		p = p.fresh()
		defer p.reset()
	}
	return p.compute(&j.set, j.stamp)
}

// close ends the goroutine after its pending set. put must not be called any more.
func (w *worker) close() {
	close(w.pending)
	<-w.done
	w.processor.close()
	if n := w.dropped.Load(); n > 0 {
		w.log.Info().Uint64("dropped", n).Msg("unprocessed frame sets")
	}
}
