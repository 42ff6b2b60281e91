package convert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/realsense/rstext"
	"rsros/bagstore/recording"
	"rsros/bagstore/rosbag"
	"rsros/msgs"
	"rsros/program"
	"rsros/tools/rewrite"
)

// Options say what is converted.
type Options struct {
	In, Out string
	More    []string // recordings that Messages merges with In
	// Choose, if not nil, selects messages of the open recordings for Messages: by Filter, Keep and Judges. For ToDB3 and
	// ToBag, it selects a part of the time.
	Choose   func([]*bagstore.Recording) (rewrite.Options, error)
	Format   string            // ".bag", ".db3" or ".mcap"; default: what Out's name says
	Release  rsdb3.Release     // of a .db3
	Bag      bagstore.Options  // of a bag; of other outputs, Compression and Overwrite
	Progress bagstore.Progress // of frames or messages; may be nil
	// Device makes Run convert camera nodes' recordings to recordings of a device.
	Device    bool
	Camera    string // of a recording of several that becomes one of a device; "": all, if the output can hold them
	checkSums bool   // compare all chunks with their checksums
	scan      bool   // an MCAP file's indexes aren't trusted
	ROS       int    // messages that Messages writes, ROS 1 or 2. 0: In's if Out can hold them
	Storage   string // of a folder of rosbag2: rosbag2.StorageSQLite (the default) or StorageMCAP
}

// Result counts what was written.
type Result struct {
	Frames, Events uint64 // of a RealSense recording that ToDB3 or ToBag wrote
	Messages       uint64 // that Messages wrote
	Topics         int    // of these
	// Attachments and metadata records that Messages copied from an MCAP file.
	Attachments, Records uint64
	// PerTopic counts what Messages wrote and lost, for each connection of the input.
	PerTopic []bagstore.RecoverTopic
	Notes    bagstore.Notes // about the input of Messages, without losses
	Size     int64          // of the output, 0 for a folder
	Note     string         // what outputs of this kind never have
	Camera   bool           // In has a camera node's images, which Run wrote message by message
	Unread   []string       // topics of streams that this program doesn't read, which were copied as they are
	Lost     []rsdb3.Loss   // what the output has changed or doesn't have
	Damaged  uint64         // messages that can't be read
	Why      error          // about the last of them
}

// part returns what Choose selects of a RealSense recording's time.
func (o Options) part(file *rsbag.File) (bagstore.Filter, error) {
	if o.Choose == nil {
		return bagstore.Filter{}, nil
	}
	chosen, err := o.Choose([]*bagstore.Recording{file.Bag()})
	if f := chosen.Filter; err == nil && len(f.Topics)+len(f.Types)+len(f.Match)+len(f.Exclude) > 0 {
		err = fmt.Errorf("%w: a RealSense recording is converted with all its topics; to leave some out, run: "+
			"rs-ros-node filter %s -o part.bag --topics …, then: rs-ros-node convert part.bag -o %s",
			program.ErrUsage, o.In, o.Out)
	}
	return chosen.Filter, err
}

// ToDB3 writes a recording as a .db3.
func ToDB3(ctx context.Context, o Options) (Result, error) {
	one := func(path string, o rsbag.Options) ([]*rsbag.File, error) {
		f, err := rsbag.Open(path, o)
		return []*rsbag.File{f}, err
	}
	return o.toDevice(ctx, one, func(r *Result, files []*rsbag.File, part bagstore.Filter) error {
		file := files[0]
		var facts, streams []rstext.Pair
		for _, kv := range file.Additional() {
			if _, ok := rslayout.BelowStream(kv.Key); ok {
				streams = append(streams, rstext.Pair(kv))
			} else {
				facts = append(facts, rstext.Pair(kv))
			}
		}
		return place.Write(ctx, o.Out, o.Bag.Overwrite, func(f *os.File) error {
			w, err := rsdb3.New(f, file.Snapshot(),
				rsdb3.Options{Release: o.Release, Facts: facts, Zstd: o.Bag.Compression == bagstore.Zstd})
			if err != nil {
				return err
			}
			for _, s := range streams {
				if err := w.Write(s.Key, &msgs.String{Data: s.Value}, 0); err != nil {
					return err
				}
			}
			err = r.copy(ctx, []*lane{{file: file, out: db3Target{w}}}, part, o.Progress)
			r.Lost = append(r.Lost, w.Losses()...)
			return errors.Join(err, w.Close())
		})
	})
}

// ToBag writes a recording as a bag of version 3.
func ToBag(ctx context.Context, o Options) (Result, error) {
	return o.toDevice(ctx, rsbag.OpenAll, func(r *Result, files []*rsbag.File, part bagstore.Filter) error {
		if o.Bag.Compression == bagstore.BZ2 {
			return fmt.Errorf("convert to %s: librealsense can't read %s", o.Out, bagstore.BZ2)
		}
		target, err := place.Create(ctx, o.Out, o.Bag.Overwrite)
		if err != nil {
			return err
		}
		return target.Finish(r.writeBag(ctx, files, part, target, o))
	})
}

// toDevice writes the cameras that open opens with write.
func (o Options) toDevice(ctx context.Context, open func(string, rsbag.Options) ([]*rsbag.File, error),
	write func(*Result, []*rsbag.File, bagstore.Filter) error) (r Result, err error) {
	files, err := open(o.In, rsbag.Options{Context: ctx, Sequential: true, Progress: o.Progress,
		CameraNodes: o.Device, Camera: o.Camera})
	if err != nil {
		return r, err
	}
	defer files[0].Close() //nolint:errcheck // only read
	part, err := o.part(files[0])
	if err != nil {
		return r, err
	}
	return r.finish(ctx, o, write(&r, files, part))
}

// writeBag writes cameras as devices, in order.
func (r *Result) writeBag(ctx context.Context, files []*rsbag.File, part bagstore.Filter,
	target *place.Target, o Options) error {
	out, err := rosbag.CreateOn(target, o.Bag)
	if err != nil {
		return err
	}
	var list []*lane
	for i, later := range rsbag.Delays(files) {
		list = append(list, &lane{file: files[i], later: later})
	}
	for i, l := range list {
		w, err := rsbag.NewCopier(out, l.file, i, l.later)
		if l.out = (bag{w}); err != nil {
			return errors.Join(err, out.Close())
		}
	}
	err = r.copy(ctx, list, part, o.Progress)
	for _, l := range list {
		w := l.out.(bag)
		for _, what := range w.Left() {
			r.lose(1, "%s", what)
		}
		r.lose(w.Shifted(), "times of frames that another frame of their stream has")
	}
	return errors.Join(err, list[0].out.(bag).Close())
}

func (r *Result) finish(ctx context.Context, o Options, err error) (Result, error) {
	slices.SortFunc(r.Lost, func(a, b rsdb3.Loss) int { return cmp.Compare(a.What, b.What) })
	if ext := o.format(); err != nil || o.Out == os.DevNull || ext != extBag && ext != extDB3 && ext != extMCAP {
		return *r, err
	}
	st, err := place.Stat(ctx, o.Out)
	r.Size = st.Size
	return *r, err
}

// lane is one camera of a recording on its way to the output. All cameras have one time line.
type lane struct {
	file  *rsbag.File
	out   target
	later time.Duration // of its file time 0 than the output's
	cur   *rsbag.Cursor
}

func (r *Result) copy(ctx context.Context, list []*lane, part bagstore.Filter, p bagstore.Progress) error {
	total := uint64(0)
	var cursors []*rsbag.Cursor
	for _, l := range list {
		for _, s := range l.file.Streams() {
			total += s.Frames
		}
		l.cur = l.file.Cursor(rsbag.CursorOptions{SystemTimes: true})
		defer l.cur.Close()
		cursors = append(cursors, l.cur)
	}
	lost := make(map[string]uint64)
	for i, e := range rsbag.Merge(cursors, part) {
		if ctx.Err() != nil {
			break
		}
		what, err := writeEvent(list[i].out, e)
		if err != nil {
			return err
		}
		if what != "" {
			lost[what]++
		}
		if e.Frame == nil {
			r.Events++
			continue
		}
		if r.Frames++; r.Frames%16 == 0 {
			p.Report(r.Frames, total)
		}
	}
	for what, n := range lost {
		r.lose(n, "%s", what)
	}
	for _, l := range list {
		r.missed(l)
	}
	for _, n := range append(list[0].file.Bag().Notes(), list[0].file.Bag().Found()...) {
		if n.Severity == bagstore.Loss {
			r.lose(1, "%s", n.Text)
		}
	}
	return r.copyRest(ctx, list, part)
}

// missed counts what a camera's cursor couldn't read.
func (r *Result) missed(l *lane) {
	if n, why := l.cur.Damaged(); n > 0 {
		r.Damaged, r.Why = r.Damaged+n, why
	}
	for _, text := range l.file.Omissions() {
		r.lose(1, "%s", text)
	}
	for key, n := range l.cur.Unknown() {
		r.lose(n, "values of metadata %q, which this program doesn't know", key)
	}
	r.lose(l.cur.Unmatched(), "metadata of frames that aren't in the recording")
}

// copyRest copies what no cursor reads. What belongs to no camera goes to the first.
func (r *Result) copyRest(ctx context.Context, list []*lane, part bagstore.Filter) error {
	lanes := make(map[*bagstore.Connection]*lane)
	for _, l := range slices.Backward(list) {
		for _, c := range l.file.Uncovered() {
			lanes[c] = l
		}
	}
	v := list[0].file.Bag().View(bagstore.Query{Connections: func(c *bagstore.Connection) bool { return lanes[c] != nil }})
	left := make(map[string]uint64)
	for m, err := range v.Messages() {
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			r.Damaged, r.Why = r.Damaged+bagstore.LostMessages(err), err
			continue
		}
		l := lanes[m.Conn]
		start, end := l.file.FileTimes(part)
		at := l.file.FileTime(m.Time)
		if m.Time > bagstore.MinTime && (part.Start > 0 && at < start || at > end) {
			continue
		}
		written := false
		_, below := rslayout.BelowStream(m.Conn.Topic)
		if below || ofLayout(m.Conn) {
			if written, err = l.out.message(m, at+l.later); err != nil {
				return err
			}
		}
		if below && written && !slices.Contains(r.Unread, m.Conn.Topic) {
			r.Unread = append(r.Unread, m.Conn.Topic)
		}
		if !written && !slices.ContainsFunc(list, func(l *lane) bool { return l.file.Contains(m) }) {
			left[m.Conn.Topic]++
		}
	}
	for topic, n := range left {
		r.lose(n, "messages of %s", topic)
	}
	return ctx.Err()
}

// Run converts a recording to the format of Out's extension: by ToBag or ToDB3 if it is a RealSense
// recording, or with Device a camera node's, and by Messages otherwise, if ROS is set, or if In
// already has Out's kind of messages.
func Run(ctx context.Context, o Options) (Result, error) {
	to := o.format()
	if o.Device {
		switch to {
		case extBag:
			return ToBag(ctx, o)
		case extDB3:
			return ToDB3(ctx, o)
		}
		return Result{}, fmt.Errorf("convert to %s: librealsense plays %s and %s", o.Out, extBag, extDB3)
	}
	if o.ROS != 0 || to != extBag && to != extDB3 {
		return o.messages(ctx)
	}
	in, err := look(ctx, o.In, o.Progress)
	if err != nil {
		return Result{}, err
	}
	switch {
	case to == extBag && in.layout != "" && !(in.mcap && in.layout == bagstore.ROS1):
		return ToBag(ctx, o)
	case to == extDB3 && in.layout != "" && !(in.mcap && in.layout == bagstore.CDR):
		return ToDB3(ctx, o)
	}
	r, err := o.messages(ctx)
	r.Camera = in.camera
	return r, err
}

func (o Options) messages(ctx context.Context) (Result, error) {
	if o.Camera != "" {
		return Result{}, fmt.Errorf("%w: --camera chooses what becomes a RealSense recording: add --realsense",
			program.ErrUsage)
	}
	return Messages(ctx, o)
}

type input struct {
	mcap   bool
	layout string // the encoding of a RealSense recording; "" for others
	camera bool   // it has a camera node's images
}

func look(ctx context.Context, name string, report bagstore.Progress) (in input, err error) {
	bag, topics, err := recording.OpenRaw(name, bagstore.OpenOptions{Context: ctx, Progress: report})
	if err != nil {
		return in, err
	}
	defer bag.Close() //nolint:errcheck // only read
	in.mcap = strings.HasPrefix(bag.Version(), "MCAP")
	names := make(map[string]bool)
	for _, t := range topics {
		names[t.Name] = true
	}
	for _, t := range topics {
		base, _ := rslayout.TransportOf(t.Name)
		image := path.Base(t.Type) == "Image" || path.Base(t.Type) == "CompressedImage"
		if strings.HasPrefix(t.Type, "sensor_msgs/") && image && names[path.Dir(base)+"/camera_info"] {
			in.camera = in.layout == ""
		}
		if _, ok := rslayout.TopicType(t.Name); ok && strings.HasPrefix(t.Name, "/device_") {
			in.layout, in.camera = t.Encoding, false
		}
	}
	return in, nil
}
