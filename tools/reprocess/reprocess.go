// Package reprocess makes a recording from another one: images go through processing blocks,
// motion, options and notifications are copied. The new recording describes the processed streams. If a block adds a
// second image of a stream to a set, as the colorizer does, that image is recorded.
package reprocess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/rosbag"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
	"rsros/tools/bagset"
	"rsros/tools/rewrite"
)

// Options say what is made of a recording.
type Options struct {
	In, Out   string
	Camera    string           // of a recording of several
	Selection bagset.Selection // of In's time
	// Recorder has the options of Out; by default its compression is In's. Run adds the facts about In.
	Recorder rsbag.RecorderOptions
	// Chain creates the blocks. It is called twice: the first frames tell the output's profiles.
	Chain    NewChain
	Progress bagstore.Progress
	Log      zerolog.Logger
}

// Result counts what was written.
type Result struct {
	Frames  uint64
	Sets    uint64
	Dropped uint64 // images that the blocks left as they were for want of another stream
	Size    int64
	Damage  error // why messages of In couldn't be read; nil if all could
}

// memory bounds the frames that are being processed.
const memory = 1 << 30

type work struct {
	o       Options
	cameras []*camera
	base    time.Time // the arrival at file time 0 of the earliest camera
	res     *process.Resources
	part    bagstore.Filter // of the recording's time

	damaged uint64 // messages, see Result.Damage
	why     error
}

// camera is one of the recording. Its frames are processed by themselves.
type camera struct {
	file  *rsbag.File
	later time.Duration // of its file time 0 than the earliest camera's
	rig   *process.Rig
	made  map[camdriver.StreamID]*process.Profile // what comes out
	snap  camdriver.DeviceSnapshot                // the new recording's
	out   *rsbag.Recorder
}

// ErrDisparity means that a chain ends in disparity, which can't be recorded.
var ErrDisparity = errors.New("disparity can't be recorded; end with disparity_end")

// Run processes a recording, without its damaged messages. Out appears when it is complete.
func Run(ctx context.Context, o Options) (Result, error) {
	files, err := rsbag.OpenAll(o.In, rsbag.Options{Context: ctx, Sequential: true, CameraNodes: true, Camera: o.Camera})
	if err != nil {
		return Result{}, err
	}
	defer files[0].Close() //nolint:errcheck // only read
	part, err := o.Selection.Filter([]*bagstore.Recording{files[0].Bag()})
	if err != nil {
		return Result{}, err
	}
	res := process.NewResources(memory, runtime.GOMAXPROCS(0))
	defer res.Close()
	w := &work{o: o, res: res, part: part, base: time.Unix(0, 0)} // no date
	var left []string
	images := false
	for i, later := range rsbag.Delays(files) {
		c := &camera{file: files[i], later: later, snap: files[i].Snapshot()}
		c.rig = process.NewRig(c.snap)
		w.cameras = append(w.cameras, c)
		if err := w.probe(ctx, c); err != nil {
			return Result{}, err
		}
		images = images || len(c.made) > 0
		if start, ok := c.file.Start(); ok {
			w.base = start.Add(-later)
		}
		for _, conn := range c.file.Uncovered() {
			if _, topic := rslayout.FirstTopic(conn.Topic); !described(conn, topic) && !slices.Contains(left, conn.Topic) {
				left = append(left, conn.Topic)
			}
		}
	}
	if !images {
		return Result{}, fmt.Errorf("%s has no images to process", o.In)
	}
	if len(left) > 0 {
		o.Log.Warn().Strs("topics", left).Msg("left out: a RealSense recording has no place for these topics")
	}
	if w.o.Recorder.Bag.Compression == "" {
		if w.o.Recorder.Bag.Compression, err = rewrite.BagCompression(files[0].Bag()); err != nil {
			return Result{}, err
		}
	}
	if c := w.o.Recorder.Bag.Compression; c == bagstore.BZ2 {
		return Result{}, fmt.Errorf("process %s: librealsense cannot read %s", o.Out, c)
	}
	target, err := place.Create(ctx, o.Out, o.Recorder.Bag.Overwrite)
	if err != nil {
		return Result{}, err
	}
	r, err := w.record(ctx, target)
	return r, target.Finish(err)
}

// described reports whether the description has what is on a connection, topic of the first device.
func described(c *bagstore.Connection, topic string) bool {
	_, ok := rslayout.TopicType(topic)
	return ok || c.Type == "sensor_msgs/CameraInfo"
}

func (w *work) record(ctx context.Context, target *place.Target) (r Result, err error) {
	bag, err := rosbag.CreateOn(target, w.o.Recorder.Bag)
	if err != nil {
		return r, err
	}
	first, err := rsbag.NewRecorderOn(bag, w.cameras[0].snap, w.o.Recorder)
	if err != nil {
		return r, err
	}
	for i, c := range w.cameras {
		if c.out = first; i > 0 && err == nil {
			c.out, err = first.Join(i, c.snap)
		}
		if err == nil {
			isStart := func(kv msgs.KeyValue) bool { return kv.Key == rslayout.KeyStart } // of another first frame
			err = c.out.Facts(slices.DeleteFunc(slices.Clone(c.file.Additional()), isStart))
		}
	}
	if err == nil {
		r, err = w.write(ctx)
	}
	if closed := first.Close(); closed != nil {
		return r, closed
	}
	r.Size = first.Stats().Size
	if w.damaged > 0 {
		r.Damage = fmt.Errorf("%d messages are damaged: %w", w.damaged, w.why)
	}
	in := w.cameras[0].file.Bag()
	for _, n := range append(in.Notes(), in.Found()...) {
		if r.Damage == nil && n.Severity == bagstore.Loss {
			r.Damage = fmt.Errorf("%s at byte %d: %s", w.o.In, n.Offset, n.Text)
		}
	}
	return r, err
}

// taker takes what comes out of the chains. An error ends it.
type taker interface {
	set(*camera, *process.Set) error  // which it borrows
	event(*camera, rsbag.Event) error // any but images; it borrows them
	settled(time.Time) error          // nothing that arrived earlier comes any more
}

// longest is how long a frame waits at most for others of its set. The Syncer waits for eight frame times, but not
// while nothing comes from the camera.
const longest = 1500 * time.Millisecond

// sets passes the sets of the cameras after their chains, and other events. Times are the earliest camera's.
func (w *work) sets(ctx context.Context, cameras []*camera, to taker) (err error) {
	type way struct {
		sync *process.Syncer
		emit func(*process.Set)
	}
	var cursors []*rsbag.Cursor
	var ways []way
	for _, c := range cameras {
		chain, wrong := w.o.Chain(w.res)
		if wrong != nil {
			return wrong
		}
		defer chain.Reset()
		sync := process.NewSyncer()
		defer sync.Reset()
		for _, id := range c.images() {
			sync.Expect(id)
		}
		cursor := c.file.Cursor(rsbag.CursorOptions{Base: w.base.Add(c.later)})
		defer cursor.Close()
		cursors = append(cursors, cursor)
		ways = append(ways, way{sync, func(s *process.Set) {
			if err == nil {
				if err = chain.Process(s); err == nil {
					err = to.set(c, s)
				}
			}
		}})
	}
	for i, e := range rsbag.Merge(cursors, w.part) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		settled := w.base.Add(e.Time)
		for _, way := range ways {
			if since, ok := way.sync.Waiting(); ok && settled.Sub(since) > longest {
				way.sync.Flush(way.emit)
			}
		}
		if e.Frame != nil && e.Frame.Stream().Kind.Video() {
			ways[i].sync.Push(cameras[i].rig.Image(e.Frame.Retain()), ways[i].emit)
		} else if err == nil {
			err = to.event(cameras[i], e)
		}
		for _, way := range ways {
			if since, ok := way.sync.Waiting(); ok && since.Before(settled) {
				settled = since
			}
		}
		if err == nil {
			err = to.settled(settled)
		}
		if err != nil {
			return err
		}
	}
	w.damaged = 0
	for i, cursor := range cursors {
		ways[i].sync.Flush(ways[i].emit)
		if n, why := cursor.Damaged(); n > 0 {
			w.damaged, w.why = w.damaged+n, why
		}
	}
	return err
}

// images returns the streams of images that have frames.
func (c *camera) images() (list []camdriver.StreamID) {
	for _, s := range c.file.Streams() {
		if s.Profile.Stream.Kind.Video() && s.Frames > 0 {
			list = append(list, s.Profile.Stream)
		}
	}
	return list
}

var errProbed = errors.New("all streams were seen")

// probe describes a camera of the new recording by the first set after the chain that has all streams. Without images,
// it stays as it is.
func (w *work) probe(ctx context.Context, c *camera) error {
	p := prober{streams: len(c.images()), seen: make(map[camdriver.StreamID]*process.Profile)}
	if p.streams == 0 {
		return nil
	}
	if err := w.sets(ctx, []*camera{c}, &p); err != nil && !errors.Is(err, errProbed) {
		return err
	}
	for _, p := range p.seen {
		if p.Format == camdriver.Disparity32 {
			return ErrDisparity
		}
	}
	c.made = p.seen
	c.describe()
	return nil
}

// prober looks at sets until all streams were seen.
type prober struct {
	streams int
	seen    map[camdriver.StreamID]*process.Profile
}

func (p *prober) event(*camera, rsbag.Event) error { return nil }
func (p *prober) settled(time.Time) error          { return nil }

func (p *prober) set(_ *camera, s *process.Set) error {
	whole := make(map[camdriver.StreamID]*process.Profile)
	for _, img := range chosen(s) {
		id := img.Frame.Stream()
		whole[id], p.seen[id] = img.Profile, cmp.Or(p.seen[id], img.Profile)
	}
	if len(whole) < p.streams {
		return nil
	}
	p.seen = whole
	return errProbed
}

// fits reports whether an image has the geometry of the new recording. Depth that had no frame to align to doesn't.
func (c *camera) fits(img process.Image) bool {
	p, q := img.Profile, c.made[img.Frame.Stream()]
	if q == nil || p.Format != q.Format || p.Width != q.Width || p.Height != q.Height || p.Intrinsics != q.Intrinsics {
		return false
	}
	return p.Extrinsics == q.Extrinsics || p.Extrinsics != nil && q.Extrinsics != nil && *p.Extrinsics == *q.Extrinsics
}

// chosen returns the images that are recorded: the first of each stream that a recording can hold.
func chosen(s *process.Set) []process.Image {
	var out []process.Image
	for _, img := range s.Images {
		id, format := img.Frame.Stream(), img.Frame.Profile.Format
		if format == camdriver.XYZ32F ||
			slices.ContainsFunc(out, func(o process.Image) bool { return o.Frame.Stream() == id }) {
			continue
		}
		out = append(out, img)
	}
	return out
}

// describe makes the snapshot that of what comes out.
func (c *camera) describe() {
	made := c.snap
	made.Streams = slices.Clone(made.Streams)
	made.Sensors = slices.Clone(made.Sensors)
	for i := range made.Streams {
		s := &made.Streams[i]
		p := c.made[s.Profile.Stream]
		if p == nil {
			continue
		}
		before := s.Profile
		s.Profile.Format, s.Profile.Width, s.Profile.Height = p.Format, p.Width, p.Height
		s.Extrinsic = p.Extrinsics
		if p.Intrinsics.Width > 0 {
			in := p.Intrinsics
			s.Video = &in
		}
		list := slices.Clone(made.Sensors[s.Sensor].Profiles)
		for k := range list {
			if list[k].Stream == before.Stream {
				list[k].Format, list[k].Width, list[k].Height = p.Format, p.Width, p.Height
			}
		}
		made.Sensors[s.Sensor].Profiles = list
	}
	relate(&made)
	c.snap = made
}

// relate makes extrinsics relative to the reference stream again, which moves if depth is aligned.
func relate(snap *camdriver.DeviceSnapshot) {
	i := slices.IndexFunc(snap.Streams,
		func(s camdriver.StreamSnapshot) bool { return s.Profile.Stream == snap.Reference })
	if i < 0 || snap.Streams[i].Extrinsic == nil || *snap.Streams[i].Extrinsic == camdriver.Identity() {
		return
	}
	from := *snap.Streams[i].Extrinsic
	for k := range snap.Streams {
		e := snap.Streams[k].Extrinsic
		if e == nil {
			continue
		}
		moved := camdriver.Identity()
		if *e != from {
			moved = from.Inverse().Then(*e)
		}
		snap.Streams[k].Extrinsic = &moved
	}
}
