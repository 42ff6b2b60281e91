package naming

import (
	"context"
	"fmt"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
	"rsros/node/replay"
)

func (s *Source) computes() bool {
	o := &s.layout.options
	return o.align() || o.cloud() || s.computesDepth()
}

// computesDepth reports whether the depth topic has processed depth.
func (s *Source) computesDepth() bool {
	o := &s.layout.options
	return o.Clip > 0 || o.has(filterColorizer) || o.filtersDepth() && !o.align()
}

func (s *Source) startWorker(snap camdriver.DeviceSnapshot, log zerolog.Logger) error {
	if !s.computes() {
		return nil
	}
	var depth *outlets
	if st := s.layout.streams[camdriver.StreamID{Kind: camdriver.Depth}]; st != nil && s.computesDepth() {
		depth, _ = newOutlets(st, s.open) // open never fails
		depth.numbered = true
	}
	processor, err := newProcessor(s.layout, snap, noLimit, depth, s.open)
	if err != nil {
		return err
	}
	processor.results.numberAsFrames()
	s.worker = newWorker(processor, log.With().Str("component", "processing").Logger())
	return nil
}

// askedOutlet is an outlet that passes messages to give, unless it is nil.
type askedOutlet struct{ give func(msgs.Raw) }

func (a *askedOutlet) wanted() bool       { return a.give != nil }
func (a *askedOutlet) publish(m msgs.Raw) { a.give(m) }

func (s *Source) open(topic, typ string, _ *stream) (outlet, error) {
	out := &askedOutlet{}
	s.made[s.connect(topic, typ, s.file.Frames(camdriver.StreamID{Kind: camdriver.Depth}))] = out
	return out, nil
}

func (s *Source) Skipped() uint64 {
	if s.worker == nil {
		return 0
	}
	return s.worker.dropped.Load()
}

// Problems returns what the recording lacks for the options, and what failed.
func (s *Source) Problems() []string {
	if s.worker == nil {
		return nil
	}
	var out []string
	o := &s.layout.options
	has := map[camdriver.StreamKind]bool{}
	for id := range s.layout.streams {
		has[id.Kind] = has[id.Kind] || s.file.Frames(id) > 0
	}
	textured := o.cloud() && !o.AllowNoTexture && o.Texture.Kind != camdriver.AnyStream
	switch {
	case !has[camdriver.Depth]:
		out = append(out, "nothing is computed: the recording has no depth")
	case o.align() && !has[camdriver.Color]:
		out = append(out, "depth isn't aligned: the recording has no colour")
	case textured && !has[o.Texture.Kind]:
		out = append(out, fmt.Sprintf("no points are published: the recording has no %s for their colours", o.Texture.Kind))
	}
	if n := s.worker.failed.Load(); n > 0 {
		out = append(out, fmt.Sprintf("%d frame sets couldn't be processed; the log says why", n))
	}
	return out
}

// asked holds the receivers of a job's messages, by connection. Only the worker uses it.
type asked struct {
	source *Source
	wanted map[*bagstore.Connection]func(msgs.Raw)
	done   chan struct{}
}

// open sets the receivers of the outlets, and shut removes them.
func (a *asked) open() {
	for c, give := range a.wanted {
		a.source.made[c].give = give
	}
}

func (a *asked) shut() {
	for c := range a.wanted {
		a.source.made[c].give = nil
	}
}

// frameSet is a replay.Work that counts its references.
type frameSet struct {
	picture
	source *Source
	set    process.Set
	stamp  msgs.Time
	run    *run
	conns  []*bagstore.Connection
	done   chan struct{}
}

// work returns the message that computes the results of a set, or false if none is wanted.
func (v *view) work(at bagstore.Time, set *process.Set, stamp msgs.Time, r *run) (replay.Recorded, bool) {
	if _, ok := set.First(camdriver.Depth, camdriver.Z16); !ok || len(v.made) == 0 {
		return replay.Recorded{}, false
	}
	w := &frameSet{source: v.source, stamp: stamp, run: r, conns: v.made, done: make(chan struct{})}
	w.set.Copy(set)
	w.picture.owner = &w.set
	w.refs.Store(1)
	held := int64(0)
	for _, img := range set.Images {
		held += int64(len(img.Frame.Data))
	}
	return replay.Recorded{Message: bagstore.Message{Conn: v.made[0], Time: at}, Owner: w, Work: w, Held: held}, true
}

func (w *frameSet) Connections() []*bagstore.Connection { return w.conns }

func (w *frameSet) Start(wanted map[*bagstore.Connection]func(msgs.Raw)) { w.start(wanted, false) }

func (w *frameSet) Recall(wanted map[*bagstore.Connection]func(msgs.Raw)) { w.start(wanted, true) }

func (w *frameSet) start(wanted map[*bagstore.Connection]func(msgs.Raw), alone bool) {
	j := w.source.worker.job(&w.set, w.stamp, w.run)
	j.asked, j.alone = &asked{source: w.source, wanted: wanted, done: w.done}, alone
	w.source.worker.put(j)
}

func (w *frameSet) Wait(ctx context.Context) error {
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *frameSet) Skip() { w.run.gap = true }
