// Package reprocess makes a recording from another one: images go through processing blocks,
// motion, options and notifications are copied. The new recording describes the processed streams. If a block adds a
// second image of a stream to a set, as the colorizer does, that image is recorded.
package reprocess

import (
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
	o    Options
	file *rsbag.File
	res  *process.Resources
	part bagstore.Filter // of file's time
	snap camdriver.DeviceSnapshot
	rig  *process.Rig
	made map[camdriver.StreamID]*process.Profile // what comes out

	damage error // see Result.Damage
}

// ErrDisparity means that a chain ends in disparity, which can't be recorded.
var ErrDisparity = errors.New("disparity can't be recorded; end with disparity_end")

// Run processes a recording, without its damaged messages. Out appears when it is complete.
func Run(ctx context.Context, o Options) (Result, error) {
	file, err := rsbag.Open(o.In, rsbag.Options{Context: ctx, Sequential: true, CameraNodes: true, Camera: o.Camera})
	if err != nil {
		return Result{}, err
	}
	defer file.Close()
	part, err := o.Selection.Filter([]*bagstore.Recording{file.Bag()})
	if err != nil {
		return Result{}, err
	}
	var left []string
	for _, c := range file.Uncovered() {
		if _, ok := rslayout.TopicType(c.Topic); !ok && c.Type != "sensor_msgs/CameraInfo" { // which the description has
			left = append(left, c.Topic)
		}
	}
	if len(left) > 0 {
		o.Log.Warn().Strs("topics", left).Msg("left out: a RealSense recording has no place for these topics")
	}
	res := process.NewResources(memory, runtime.GOMAXPROCS(0))
	defer res.Close()
	w := &work{o: o, file: file, res: res, part: part, snap: file.Snapshot()}
	w.rig = process.NewRig(w.snap)
	made, err := w.probe(ctx)
	if err != nil {
		return Result{}, err
	}
	if w.o.Recorder.Bag.Compression == "" {
		if w.o.Recorder.Bag.Compression, err = rewrite.MainCompression(file.Bag()); err != nil {
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
	r, err := w.record(ctx, target, made)
	return r, target.Finish(err)
}

func (w *work) record(ctx context.Context, target *place.Target, made camdriver.DeviceSnapshot) (Result, error) {
	o := w.o.Recorder
	o.Additional = append(slices.Clone(o.Additional), w.file.Additional()...)
	bag, err := rosbag.CreateOn(target, o.Bag)
	if err != nil {
		return Result{}, err
	}
	out, err := rsbag.NewRecorderOn(bag, made, o)
	if err != nil {
		return Result{}, err
	}
	r, err := w.write(ctx, out, made)
	if closed := out.Close(); closed != nil {
		return r, closed
	}
	r.Size, r.Damage = out.Stats().Size, w.damage
	for _, n := range append(w.file.Bag().Notes(), w.file.Bag().Found()...) {
		if r.Damage == nil && n.Severity == bagstore.Loss {
			r.Damage = fmt.Errorf("%s at byte %d: %s", w.o.In, n.Offset, n.Text)
		}
	}
	return r, err
}

// sets calls set for each set after the chain, and other for each event that isn't an image, which
// they borrow. An error ends it.
func (w *work) sets(ctx context.Context, set func(*process.Set) error, other func(rsbag.Event) error) (err error) {
	chain, err := w.o.Chain(w.res)
	if err != nil {
		return err
	}
	defer chain.Reset()
	sync := process.NewSyncer()
	defer sync.Reset()
	for _, s := range w.file.Streams() {
		if s.Profile.Stream.Kind.Video() && s.Frames > 0 {
			sync.Expect(s.Profile.Stream)
		}
	}
	cursor := w.file.Cursor(rsbag.CursorOptions{Base: base})
	defer cursor.Close()
	emit := func(s *process.Set) {
		if err == nil {
			if err = chain.Process(s); err == nil {
				err = set(s)
			}
		}
	}
	for e := range cursor.Part(w.part) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if e.Frame != nil && e.Frame.Stream().Kind.Video() {
			sync.Push(w.rig.Image(e.Frame.Retain()), emit)
		} else {
			err = other(e)
		}
		if err != nil {
			return err
		}
	}
	sync.Flush(emit)
	if n, why := cursor.Damaged(); err == nil && n > 0 {
		w.damage = fmt.Errorf("%d messages are damaged: %w", n, why)
	}
	return err
}

// base is the wall time of file time 0. Only differences count.
var base = time.Unix(1_000_000_000, 0)

var errProbed = errors.New("all streams were seen")

// probe describes the new recording by the first set after the chain that has all streams.
func (w *work) probe(ctx context.Context) (camdriver.DeviceSnapshot, error) {
	streams := 0
	for _, s := range w.file.Streams() {
		if s.Profile.Stream.Kind.Video() && s.Frames > 0 {
			streams++
		}
	}
	profiles := make(map[camdriver.StreamID]*process.Profile)
	look := func(s *process.Set) error {
		whole := make(map[camdriver.StreamID]*process.Profile)
		for _, img := range chosen(s) {
			whole[img.Frame.Stream()] = img.Profile
			if _, seen := profiles[img.Frame.Stream()]; !seen {
				profiles[img.Frame.Stream()] = img.Profile
			}
		}
		if len(whole) < streams {
			return nil
		}
		profiles = whole
		return errProbed
	}
	err := w.sets(ctx, look, func(rsbag.Event) error { return nil })
	if err != nil && !errors.Is(err, errProbed) {
		return camdriver.DeviceSnapshot{}, err
	}
	if len(profiles) == 0 {
		return camdriver.DeviceSnapshot{}, fmt.Errorf("%s has no images to process", w.o.In)
	}
	for _, p := range profiles {
		if p.Format == camdriver.Disparity32 {
			return camdriver.DeviceSnapshot{}, ErrDisparity
		}
	}
	w.made = profiles
	return w.describe(profiles), nil
}

// fits reports whether an image has the geometry of the new recording. Depth that had no frame to
// align to doesn't.
func (w *work) fits(img process.Image) bool {
	p, q := img.Profile, w.made[img.Frame.Stream()]
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
		if format == camdriver.XYZ32F || slices.ContainsFunc(out, func(o process.Image) bool { return o.Frame.Stream() == id }) {
			continue
		}
		out = append(out, img)
	}
	return out
}

func (w *work) describe(profiles map[camdriver.StreamID]*process.Profile) camdriver.DeviceSnapshot {
	made := w.snap
	made.Streams = slices.Clone(made.Streams)
	made.Sensors = slices.Clone(made.Sensors)
	for i := range made.Streams {
		s := &made.Streams[i]
		p := profiles[s.Profile.Stream]
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
	return made
}

// relate makes extrinsics relative to the reference stream again, which moves if depth is aligned.
func relate(snap *camdriver.DeviceSnapshot) {
	i := slices.IndexFunc(snap.Streams, func(s camdriver.StreamSnapshot) bool { return s.Profile.Stream == snap.Reference })
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
