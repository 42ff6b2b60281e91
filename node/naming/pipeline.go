package naming

import (
	"sync"

	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/camdriver/process/syncer"
)

// pipeline matches a device's frames into sets. It immediately publishes messages that need
// no processing, with the set's stamp, and passes the set to a worker for the others.
type pipeline struct {
	*worker
	options *WrapperOptions
	topics  *WrapperTopics
	rig     *process.Rig
	depth   *outlets // nil without depth

	mu   sync.Mutex
	sync *syncer.Syncer
	last map[camdriver.StreamID]float64 // time of the last frame, ms
	run  *run
}

// processPool bounds the memory of processed frames, including those in subscribers' queues.
const processPool = 512 << 20

func newPipeline(w *WrapperTopics, snap camdriver.DeviceSnapshot) (*pipeline, error) {
	depth := w.streams[camdriver.StreamID{Kind: camdriver.Depth}]
	processor, err := newProcessor(w.layout, snap, processPool, depth, w.open)
	if err == nil {
		err = processor.filters.offer(w.out, w.layout.camera)
	}
	if err != nil {
		processor.close()
		return nil, err
	}
	return &pipeline{
		worker: newWorker(processor, w.out.Log().With().Str("component", "processing").Logger()),
		topics: w, options: processor.options, rig: process.NewRig(snap), depth: depth,
		sync: syncer.New(), last: map[camdriver.StreamID]float64{}, run: &run{},
	}, nil
}

// take adds a frame.
func (p *pipeline) take(f *camdriver.Frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.jumped(f) {
		p.restart()
	}
	if !p.options.sync() {
		var set process.Set
		set.Add(p.rig.Image(f.Retain()))
		p.publish(&set)
		set.Release()
		return
	}
	p.sync.Push(p.rig.Image(f.Retain()), p.publish)
}

// farApart plus five frame intervals is the time between two frames of a stream, in ms,
// above which it is a seek.
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

// restart ensures that frames before and after a seek aren't combined. p.mu must be held.
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
	compute := p.processor.results.wanted()
	for i := range set.Images {
		f := set.Images[i].Frame
		st := p.topics.streams[f.Stream()]
		if st == nil {
			continue
		}
		if st == p.depth {
			changes := p.processor.filters.changesDepth()
			compute = compute || changes && st.wanted()
			if p.options.Clip > 0 && (compute || st.wanted()) {
				f = p.processor.clip(f)
				set.Images[i].Frame.Release()
				set.Images[i].Frame = f
			}
			if changes {
				continue
			}
		}
		st.publish(f, stamp, nil)
	}
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
