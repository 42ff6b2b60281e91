package naming

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
	"rsros/node/transport"
	"rsros/replay"
	"rsros/ros"
)

// Source is a replay.Source that plays a RealSense recording as if realsense2_camera's topics
// had been recorded. It makes the messages from frames as they are read.
//
// Its time line is that of the header stamps, so /clock matches them, and absolute times
// are those of the recording, although times in the file start at 1970.
//
// Results of a frame set, such as points, are computed on another goroutine when the set is
// due.
type Source struct {
	file    *rsbag.File
	layout  *layout
	stamps  Stamper
	offset  bagstore.Time // of file time 0, on the time line
	conns   []*bagstore.Connection
	byTopic map[string]*bagstore.Connection
	counts  map[*bagstore.Connection]uint64
	statics []replay.Recorded
	rig     *process.Rig
	imu     *bagstore.Connection // nil without unite_imu_method

	computed map[*bagstore.Connection]*callbackOutlet // of computed messages
	worker   *worker                                  // nil if nothing is computed
	closed   bool
}

// OpenSource returns the source of a recording. One without a date starts now.
func OpenSource(file *rsbag.File, o WrapperOptions, now time.Time, log zerolog.Logger) (*Source, error) {
	o.TFRate = 0 // transforms of a recording are static
	snap := file.Snapshot()
	s := &Source{
		file: file, layout: newLayout(o, snap, noLimit), offset: bagstore.TimeOf(now), rig: process.NewRig(snap),
		byTopic: make(map[string]*bagstore.Connection), counts: make(map[*bagstore.Connection]uint64),
		computed: make(map[*bagstore.Connection]*callbackOutlet),
	}
	s.findTimes()
	for _, st := range snap.Streams {
		id := st.Profile.Stream
		if id.Kind == camdriver.Depth && s.computesDepth() {
			continue
		}
		for _, t := range s.layout.streams[id].topics {
			s.connect(t.topic, t.typ, file.Frames(id))
		}
	}
	if s.layout.unites() {
		s.imu = s.connect(o.Camera+"/imu", "sensor_msgs/Imu", file.Frames(camdriver.GyroStream))
	}
	for _, t := range s.layout.static {
		c := s.connect(t.topic, t.typ, 1)
		s.statics = append(s.statics, replay.Recorded{Message: bagstore.Message{Conn: c, Time: bagstore.MinTime, Stored: bagstore.Stored{Data: msgs.Marshal(t.msg)}}})
	}
	return s, s.startWorker(snap, log)
}

// Offer offers the filters' options below prefix and the camera's name.
func (s *Source) Offer(ctx context.Context, n *ros.Node, prefix string) error {
	if s.worker == nil {
		return nil
	}
	return s.worker.processor.filters.offer(ctx, n, prefix+absolute(s.layout.camera))
}

// Close waits for the set that is being processed. The player must have ended.
func (s *Source) Close() {
	if s.worker != nil && !s.closed {
		s.worker.close()
	}
	s.closed = true
}

// Images returns the options of the compressed forms of the image topics.
func (s *Source) Images() map[string]transport.Options {
	streams := slices.Collect(maps.Values(s.layout.streams))
	if s.worker != nil && s.worker.processor.results.aligned != nil {
		streams = append(streams, s.worker.processor.results.aligned.stream)
	}
	out := make(map[string]transport.Options)
	for _, st := range streams {
		for _, t := range st.topics {
			if t.typ == imageType {
				out[absolute(t.topic)] = st.transports("", zerolog.Nop())
			}
		}
	}
	return out
}

// absolute returns a topic's absolute name, as in recordings.
func absolute(topic string) string { return "/" + strings.TrimPrefix(topic, "/") }

func (s *Source) connect(topic, typ string, count uint64) *bagstore.Connection {
	topic = absolute(topic)
	t := msgs.MustType(typ)
	c := &bagstore.Connection{ID: uint32(len(s.conns)), Topic: topic, Type: t.Name, MD5: t.MD5, Definition: t.Definition}
	s.conns, s.byTopic[topic], s.counts[c] = append(s.conns, c), c, count
	return c
}

// findTimes relates the file's clocks, so that stamps don't depend on where playback starts. The
// camera's own clock, which has no date, is set from file time.
func (s *Source) findTimes() {
	if began := s.file.Began(); began > 0 {
		s.offset = began
	}
	if e, ok := s.file.FirstStamp(true); ok {
		s.stamps.setBase(msgs.Time(s.offset)+msgs.Time(e.Time), e.Frame.Timestamp)
		e.Frame.Release()
	}
}

func (s *Source) Connections() []*bagstore.Connection { return s.conns }

func (s *Source) Count(c *bagstore.Connection) uint64 { return s.counts[c] }

func (s *Source) connection(t streamTopic) *bagstore.Connection {
	return s.byTopic[absolute(t.topic)]
}

func (s *Source) computes() bool {
	o := &s.layout.options
	return o.align() || o.cloud() || s.computesDepth()
}

// computesDepth reports whether the depth topic has processed depth.
func (s *Source) computesDepth() bool {
	return s.layout.options.Clip > 0 || s.layout.options.changesDepth()
}

func (s *Source) startWorker(snap camdriver.DeviceSnapshot, log zerolog.Logger) error {
	if !s.computes() {
		return nil
	}
	var depth *outlets
	if st := s.layout.streams[camdriver.DepthStream]; st != nil && s.computesDepth() {
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

// callbackOutlet is an outlet that passes messages to deliver, unless it is nil.
type callbackOutlet struct{ deliver func(msgs.Raw) }

func (a *callbackOutlet) wanted() bool       { return a.deliver != nil }
func (a *callbackOutlet) publish(m msgs.Raw) { a.deliver(m) }

func (s *Source) open(topic, typ string, _ *stream) (outlet, error) {
	out := &callbackOutlet{}
	s.computed[s.connect(topic, typ, s.file.Frames(camdriver.DepthStream))] = out
	return out, nil
}

func (s *Source) Skipped() uint64 {
	if s.worker == nil {
		return 0
	}
	return s.worker.dropped.Load()
}

// Problems returns a sentence for each stream that the options need and the recording lacks, and for each failure.
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

// receivers holds the receivers of a job's messages, by connection. Only the worker uses it.
type receivers struct {
	source *Source
	wanted map[*bagstore.Connection]func(msgs.Raw)
	done   chan struct{}
}

// open sets the receivers of the outlets, and close removes them.
func (a *receivers) open() {
	for c, give := range a.wanted {
		a.source.computed[c].deliver = give
	}
}

func (a *receivers) close() {
	for c := range a.wanted {
		a.source.computed[c].deliver = nil
	}
}

// frameSet is a replay.Work that counts its references.
type frameSet struct {
	*msgs.Shared
	source *Source
	set    process.Set
	stamp  msgs.Time
	run    *run
	conns  []*bagstore.Connection
	done   chan struct{}
}

// work returns the message that computes the results of a set, or false if none is wanted.
func (v *view) work(at bagstore.Time, set *process.Set, stamp msgs.Time, r *run) (replay.Recorded, bool) {
	if _, ok := set.First(camdriver.Depth, camdriver.Z16); !ok || len(v.computed) == 0 {
		return replay.Recorded{}, false
	}
	w := &frameSet{source: v.source, stamp: stamp, run: r, conns: v.computed, done: make(chan struct{})}
	w.set.Copy(set)
	w.Shared = msgs.Share(&w.set)
	held := int64(0)
	for _, img := range set.Images {
		held += int64(len(img.Frame.Data))
	}
	return replay.Recorded{Message: bagstore.Message{Conn: v.computed[0], Time: at}, Owner: w, Work: w, Held: held}, true
}

func (w *frameSet) Connections() []*bagstore.Connection { return w.conns }

func (w *frameSet) Start(wanted map[*bagstore.Connection]func(msgs.Raw), alone bool) {
	j := w.source.worker.job(&w.set, w.stamp, w.run)
	j.asked, j.alone = &receivers{source: w.source, wanted: wanted, done: w.done}, alone
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
