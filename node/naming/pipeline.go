package naming

import (
	"encoding/binary"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/camdriver/process/syncer"
	"rsros/msgs"
)

// pipeline matches frames into sets, publishes what needs no computing at once, all
// with the set's stamp, and computes the rest on a goroutine of its own: filtered and
// aligned depth, points. If sets come faster than they are computed the older ones are
// dropped whole, and counted. Nothing is computed that nobody subscribed to.
type pipeline struct {
	topics  *WrapperTopics
	options WrapperOptions
	log     zerolog.Logger
	rig     *process.Rig
	res     *process.Resources
	filters *filters
	depth   *publishers // nil without depth
	results *results

	mu   sync.Mutex
	sync *syncer.Syncer
	last map[camdriver.StreamID]float64 // ms: the time of its last frame

	pending chan *job // room for one: the newest
	done    chan struct{}
	jobs    sync.Pool
	stale   atomic.Bool // the blocks must forget what they know
	dropped atomic.Uint64
	told    uint64    // of dropped, in the log
	said    time.Time // when a line was last logged
}

// job is a set to compute with.
type job struct {
	set   process.Set
	stamp msgs.Time
}

// processPool bounds the memory of processed frames, subscribers' queues included.
const processPool = 512 << 20

func newPipeline(w *WrapperTopics, o WrapperOptions, snap camdriver.DeviceSnapshot) (*pipeline, error) {
	p := &pipeline{
		topics: w, options: o, log: w.out.Log().With().Str("component", "processing").Logger(),
		rig: process.NewRig(snap), res: process.NewResources(processPool, runtime.GOMAXPROCS(0)),
		depth: w.streams[camdriver.StreamID{Kind: camdriver.Depth}], sync: syncer.New(false),
		last: map[camdriver.StreamID]float64{}, pending: make(chan *job, 1), done: make(chan struct{}),
	}
	p.jobs.New = func() any { return &job{} }
	go p.run()
	var err error
	if p.filters, err = newFilters(w.out, p.res, &p.options); err == nil {
		p.results, err = newResults(w, &p.options, snap, p.res.Slots())
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
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

// farApart is how far a frame's time may lie after that of its stream's last one
// without being a seek: so many ms, and five frames.
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
	p.stale.Store(true)
	select {
	case j := <-p.pending:
		p.free(j)
	default:
	}
}

// publish sends what goes out as it came, and hands the set to the goroutine if
// anybody wants what it makes. The set is lent. p.mu is held.
func (p *pipeline) publish(set *process.Set) {
	stamp := p.topics.stamps.Stamp(set.Images[0].Frame)
	compute := p.results.wanted()
	for i := range set.Images {
		f := set.Images[i].Frame
		st := p.topics.streams[f.Stream()]
		if st == nil {
			continue
		}
		if st == p.depth {
			changes := p.filters.changesDepth()
			compute = compute || changes && st.wanted()
			if p.options.Clip > 0 && (compute || st.wanted()) {
				f = p.clip(f)
				set.Images[i].Frame.Release()
				set.Images[i].Frame = f
			}
			if changes {
				continue
			}
		}
		p.topics.publish(st, f, stamp, nil)
	}
	if !compute {
		p.stale.Store(true) // who comes later sees nothing of what was before
		return
	}
	j := p.jobs.Get().(*job)
	j.set.Copy(set)
	j.stamp = stamp
	p.put(j)
}

// put gives a set to the goroutine in place of the one that waits.
func (p *pipeline) put(j *job) {
	for {
		select {
		case p.pending <- j:
			return
		default:
		}
		select {
		case old := <-p.pending:
			p.free(old)
			p.dropped.Add(1)
		default:
		}
	}
}

func (p *pipeline) free(j *job) {
	j.set.Release()
	p.jobs.Put(j)
}

// clip makes a copy of depth in which what is too far is 0; where there is no memory
// for it, the whole picture is what it was.
func (p *pipeline) clip(f *camdriver.Frame) *camdriver.Frame {
	limit := p.options.Clip / float64(f.DepthUnits)
	if !(limit < math.MaxUint16) || f.Profile.Format != camdriver.Z16 {
		return f.Retain()
	}
	buffer := p.topics.layout.pool.Get(len(f.Data))
	if buffer == nil {
		return f.Retain()
	}
	out := camdriver.NewFrame(buffer)
	out.Profile, out.Number, out.Timestamp, out.Domain, out.Arrival, out.Metadata = f.Profile, f.Number, f.Timestamp, f.Domain, f.Arrival, f.Metadata
	out.Width, out.Height, out.Stride, out.DepthUnits, out.Data = f.Width, f.Height, f.Stride, f.DepthUnits, buffer.Bytes
	farthest := uint16(limit)
	for i := 0; i+1 < len(f.Data); i += 2 {
		v := binary.LittleEndian.Uint16(f.Data[i:])
		if v > farthest {
			v = 0
		}
		binary.LittleEndian.PutUint16(out.Data[i:], v)
	}
	return out
}

func (p *pipeline) run() {
	defer close(p.done)
	for j := range p.pending {
		if p.stale.Swap(false) {
			p.filters.reset()
		}
		if err := p.compute(&j.set, j.stamp); err != nil && p.may() {
			p.log.Warn().Err(err).Msg("a frame set wasn't processed")
		}
		p.free(j)
		if n := p.dropped.Load(); n > p.told && p.may() {
			p.log.Warn().Uint64("dropped", n-p.told).Msg("frame sets come faster than they are processed")
			p.told = n
		}
	}
}

// may says whether a line may be logged: one in a second.
func (p *pipeline) may() bool {
	now := time.Now()
	if now.Sub(p.said) < time.Second {
		return false
	}
	p.said = now
	return true
}

// compute makes what the parameters ask for of one set and publishes it.
func (p *pipeline) compute(set *process.Set, stamp msgs.Time) error {
	f := p.filters
	original, hasDepth := set.First(camdriver.Depth, camdriver.Z16)
	if !hasDepth {
		return nil
	}
	if f.original != nil && p.depth.wanted() {
		var alone process.Set
		alone.Add(original)
		original.Frame.Retain()
		defer alone.Release()
		if err := f.original.Process(&alone); err != nil {
			return err
		}
		p.publishDepth(p.depth, &alone, stamp)
	}
	if !p.results.wanted() && (f.align != nil || !p.depth.wanted()) {
		return nil
	}
	if err := f.depth.Process(set); err != nil {
		return err
	}
	_, colour := set.First(camdriver.Color, camdriver.AnyFormat)
	if f.align != nil {
		if !colour {
			return nil // nothing to align to in this set
		}
		if err := f.align.Process(set); err != nil {
			return err
		}
	}
	if f.colorizer != nil {
		if err := f.colorizer.Process(set); err != nil {
			return err
		}
	}
	switch {
	case f.align != nil:
		p.publishDepth(p.results.aligned, set, stamp)
	case f.changesDepth():
		p.publishDepth(p.depth, set, stamp)
	}
	return p.results.publishCloud(f.cloud, set, stamp)
}

// publishDepth sends a set's depth, in colours where it was given some.
func (p *pipeline) publishDepth(to *publishers, set *process.Set, stamp msgs.Time) {
	picture, ok := set.First(camdriver.Depth, camdriver.RGB8)
	if !ok {
		if picture, ok = set.First(camdriver.Depth, camdriver.Z16); !ok {
			return
		}
	}
	p.topics.publish(to, picture.Frame, stamp, &picture.Profile.Intrinsics)
}

// close ends the goroutine after the set in work. Frames must have ended.
func (p *pipeline) close() {
	p.mu.Lock()
	p.sync.Reset()
	p.mu.Unlock()
	close(p.pending)
	<-p.done
	if p.filters != nil {
		p.filters.close()
	}
	p.res.Close()
	if n := p.dropped.Load(); n > 0 {
		p.log.Info().Uint64("dropped", n).Msg("frame sets that weren't processed")
	}
}
