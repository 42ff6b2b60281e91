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
	"rsros/program/work"
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
	p.sets.Discard()
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
	p.sets.Put(p.job(set, stamp, p.run))
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
	sets      work.Newest[*job]
	jobs      sync.Pool
	failed    atomic.Uint64

	// Of the goroutine.
	last    *run   // of the last set
	logged  uint64 // of the dropped sets
	sampler zerolog.BurstSampler
}

type job struct {
	set   process.Set
	stamp msgs.Time
	run   *run
	fresh bool      // reset the blocks first
	alone bool      // use new blocks, independent of other sets
	asked receivers // of the requested messages; nil for those with subscribers
}

// run is a part of a stream without a jump in time. Blocks don't combine frames of two.
type run struct {
	gap bool // the last sets were skipped because there were no subscribers
}

func newWorker(p *processor, log zerolog.Logger) *worker {
	w := &worker{processor: p, log: log, sampler: zerolog.BurstSampler{Burst: 1, Period: time.Second}}
	w.jobs.New = func() any { return &job{} }
	w.sets.Handle, w.sets.Drop = w.handle, w.drop
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

// drop frees a set that wasn't processed, for which the next one may have to be fresh.
func (w *worker) drop(old, by *job) {
	if by != nil {
		by.fresh = by.fresh || old.fresh
	}
	w.free(old)
}

func (w *worker) free(j *job) {
	j.set.Release()
	j.run, j.asked, j.alone = nil, nil, false
	w.jobs.Put(j)
}

func (w *worker) handle(j *job) {
	if !j.alone {
		if j.fresh || j.run != w.last {
			w.processor.reset()
		}
		w.last = j.run
	}
	if err := w.compute(j); err != nil {
		w.failed.Add(1)
		if w.sampler.Sample(zerolog.WarnLevel) {
			w.log.Warn().Err(err).Msg("cannot process a frame set")
		}
	}
	w.free(j)
	if n := w.sets.Dropped(); n > w.logged && w.sampler.Sample(zerolog.WarnLevel) {
		w.log.Warn().Uint64("dropped", n-w.logged).Msg("dropped frame sets because processing is too slow")
		w.logged = n
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

// close ends the goroutine after its pending set. No set may be put any more.
func (w *worker) close() {
	_ = w.sets.Settle(context.Background())
	w.processor.close()
	if n := w.sets.Dropped(); n > 0 {
		w.log.Info().Uint64("dropped", n).Msg("unprocessed frame sets")
	}
}
