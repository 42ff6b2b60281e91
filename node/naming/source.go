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
// had been recorded. It makes the messages from frames when they are due, as a camera node does.
//
// Its time line is that of the header stamps, so /clock matches them, and absolute times
// are those of the recording, although times in the file start at 1970.
//
// Results of a frame set, such as points, are computed on another goroutine.
type Source struct {
	file    *rsbag.File
	layout  *layout
	stamps  Stamper
	offset  bagstore.Time // of file time 0, on the time line
	conns   []*bagstore.Connection
	counts  map[*bagstore.Connection]uint64
	sinks   map[*bagstore.Connection]*callbackSink // of all but the static topics
	streams streams
	statics []replay.Recorded
	rig     *process.Rig
	imu     *bagstore.Connection // nil without unite_imu_method

	worker *worker // nil if nothing is computed
	closed bool
}

// OpenSource returns the source of a recording. One without a date starts now.
func OpenSource(file *rsbag.File, o WrapperOptions, now time.Time, log zerolog.Logger) (s *Source, err error) {
	o.TFRate = 0 // transforms of a recording are static
	snap := file.Snapshot()
	s = &Source{
		file: file, layout: newLayout(o, snap, noLimit), offset: bagstore.TimeOf(now),
		rig: process.NewRig(snap), streams: make(streams),
		counts: make(map[*bagstore.Connection]uint64), sinks: make(map[*bagstore.Connection]*callbackSink),
	}
	s.layout.numbered = true
	s.findTimes()
	for _, st := range snap.Streams {
		id := st.Profile.Stream
		computed := id.Kind == camdriver.Depth && o.changesDepth()
		if s.streams[id], err = s.layout.newStreamSinks(s.layout.streams[id], s.opener(id, computed)); err != nil {
			return nil, err
		}
	}
	if s.layout.unites() {
		s.imu = s.connect(o.Camera+"/imu", "sensor_msgs/Imu", file.Frames(camdriver.GyroStream))
		s.sinks[s.imu] = &callbackSink{}
	}
	for _, t := range s.layout.static {
		c := s.connect(t.topic, t.typ, 1)
		s.statics = append(s.statics,
			replay.Recorded{Message: bagstore.Message{Conn: c, Time: bagstore.MinTime,
				Stored: bagstore.Stored{Data: msgs.Marshal(t.msg)}}})
	}
	if !o.align() && !o.cloud() && !o.changesDepth() {
		return s, nil
	}
	processor, err := newProcessor(s.layout, snap, noLimit, s.streams[camdriver.DepthStream],
		s.opener(camdriver.DepthStream, true))
	if err != nil {
		return nil, err
	}
	s.worker = newWorker(processor, log.With().Str("component", "processing").Logger())
	return s, nil
}

// opener connects topics with messages of frames of a stream.
func (s *Source) opener(id camdriver.StreamID, computed bool) openSink {
	return func(topic, typ string, _ *stream) (sink, error) {
		out := &callbackSink{stream: id, computed: computed}
		s.sinks[s.connect(topic, typ, s.file.Frames(id))] = out
		return out, nil
	}
}

func (s *Source) connect(topic, typ string, count uint64) *bagstore.Connection {
	t := msgs.MustType(typ)
	c := &bagstore.Connection{ID: uint32(len(s.conns)), Topic: absolute(topic), Type: t.Name,
		MD5: t.MD5, Definition: t.Definition}
	s.conns, s.counts[c] = append(s.conns, c), count
	return c
}

// absolute returns a topic's absolute name, as in recordings.
func absolute(topic string) string { return "/" + strings.TrimPrefix(topic, "/") }

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

// Offer offers the filters' options below prefix and the camera's name.
func (s *Source) Offer(ctx context.Context, n *ros.Node, prefix string) error {
	if s.worker == nil {
		return nil
	}
	return s.worker.processor.filters.offer(ctx, n, prefix+absolute(s.layout.camera))
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
				out[absolute(t.topic)] = st.transports()
			}
		}
	}
	return out
}

func (s *Source) Connections() []*bagstore.Connection { return s.conns }

func (s *Source) Count(c *bagstore.Connection) uint64 { return s.counts[c] }

// Settle waits until all sets are processed.
func (s *Source) Settle(ctx context.Context) error {
	if s.worker == nil {
		return nil
	}
	return s.worker.sets.Settle(ctx)
}

func (s *Source) Skipped() uint64 {
	if s.worker == nil {
		return 0
	}
	return s.worker.sets.Dropped()
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

// Close waits for the set that is being processed. The player must have ended.
func (s *Source) Close() {
	if s.worker != nil && !s.closed {
		s.worker.close()
	}
	s.closed = true
}
