package naming

import (
	"sync"

	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/camdriver/process/syncer"
)

// pipeline matches a device's frames into sets, publishes what needs no computing at
// once, all with the set's stamp, and has the rest computed by a worker.
type pipeline struct {
	*worker
	options *WrapperOptions
	topics  *WrapperTopics
	rig     *process.Rig
	depth   *outlets // nil without depth

	mu   sync.Mutex
	sync *syncer.Syncer
	last map[camdriver.StreamID]float64 // ms: the time of its last frame
	run  *run
}

// processPool bounds the memory of processed frames, subscribers' queues included.
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
		sync: syncer.New(false), last: map[camdriver.StreamID]float64{}, run: &run{},
	}, nil
}

// take matches a frame with the others of its time.
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

// farApart is how far a frame's time may be after that of its stream's last one
// without being a seek, in ms; five frame intervals are added.
const farApart = 500

func (p *pipeline) jumped(f *camdriver.Frame) bool {
	last, ok := p.last[f.Stream()]
	p.last[f.Stream()] = f.Timestamp
	slack := farApart + 5000/float64(max(f.Profile.FPS, 1))
	return ok && (f.Timestamp < last || f.Timestamp > last+slack)
}

// reset forgets all frames: the camera went away.
func (p *pipeline) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.restart()
}

// restart makes sure that nothing is computed of frames before a seek and after it;
// p.mu is held.
func (p *pipeline) restart() {
	p.sync.Reset()
	clear(p.last)
	p.run = &run{}
	p.discard()
}

// publish sends what goes out as it came, and hands the set to the worker if
// anybody wants what it makes. The set is lent. p.mu is held.
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
		p.run.gap = true // who comes later sees nothing of what was before
		return
	}
	p.put(p.job(set, stamp, p.run))
}

// close ends the worker after the sets that it has. Frames must have ended.
func (p *pipeline) close() {
	p.mu.Lock()
	p.sync.Reset()
	p.mu.Unlock()
	p.worker.close()
}
