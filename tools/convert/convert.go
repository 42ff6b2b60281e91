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

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/realsense/rstext"
	"rsros/bagstore/recording"
	"rsros/bagstore/rosbag"
	"rsros/program"
	"rsros/tools/rewrite"
)

// Options say what is converted.
type Options struct {
	In, Out string
	More    []string // recordings that Messages merges with In
	// Choose, if not nil, selects messages of the open recordings for Messages: by Filter, Keep and Judges. For ToDB3 and
	// ToBag, it selects a part of the time.
	Choose    func([]*bagstore.Recording) (rewrite.Options, error)
	Format    string            // ".bag", ".db3" or ".mcap"; default: what Out's name says
	Overwrite bool              // replace Out if it exists
	Release   rsdb3.Release     // of a .db3
	Bag       bagstore.Options  // of a bag, its Compression also of MCAP; its Overwrite doesn't count
	Progress  bagstore.Progress // of frames or messages; may be nil
	// Device makes Run convert camera nodes' recordings to recordings of a device.
	Device    bool
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
	if f := chosen.Filter; err == nil && (len(f.Topics)+len(f.Types) > 0 || f.Match != nil || f.Exclude != nil) {
		err = fmt.Errorf("%w: a RealSense recording is converted with all its topics; to leave some out, run: rs-ros-node filter %s -o part.bag --topics …, then: rs-ros-node convert part.bag -o %s", program.ErrUsage, o.In, o.Out)
	}
	return chosen.Filter, err
}

// ToDB3 writes a recording as a .db3.
func ToDB3(ctx context.Context, o Options) (Result, error) {
	return o.toDevice(ctx, func(r *Result, file *rsbag.File, part bagstore.Filter) error {
		var facts []rstext.Pair
		for _, kv := range file.Additional() {
			facts = append(facts, rstext.Pair(kv))
		}
		return place.Write(ctx, o.Out, o.Overwrite, func(f *os.File) error {
			w, err := rsdb3.New(f, file.Snapshot(), rsdb3.Options{Release: o.Release, Facts: facts})
			if err != nil {
				return err
			}
			err = r.copy(ctx, file, part, db3Target{w}, o.Progress)
			r.Lost = append(r.Lost, w.Losses()...)
			return errors.Join(err, w.Close())
		})
	})
}

// ToBag writes a recording as a bag of version 3.
func ToBag(ctx context.Context, o Options) (Result, error) {
	return o.toDevice(ctx, func(r *Result, file *rsbag.File, part bagstore.Filter) error {
		if o.Bag.Compression == bagstore.BZ2 {
			return fmt.Errorf("convert to %s: librealsense can't read %s", o.Out, bagstore.BZ2)
		}
		target, err := place.Create(ctx, o.Out, o.Overwrite)
		if err != nil {
			return err
		}
		return target.Finish(r.writeBag(ctx, file, part, target, o))
	})
}

// toDevice writes a RealSense recording with write.
func (o Options) toDevice(ctx context.Context, write func(*Result, *rsbag.File, bagstore.Filter) error) (r Result, err error) {
	file, err := rsbag.Open(o.In, rsbag.Options{Context: ctx, Sequential: true, Progress: o.Progress, CameraNodes: o.Device})
	if err != nil {
		return r, err
	}
	defer file.Close() //nolint:errcheck // only read
	part, err := o.part(file)
	if err != nil {
		return r, err
	}
	return r.finish(ctx, o, write(&r, file, part))
}

func (r *Result) writeBag(ctx context.Context, file *rsbag.File, part bagstore.Filter, target *place.Target, o Options) error {
	out, err := rosbag.CreateOn(target, o.Bag)
	if err != nil {
		return err
	}
	w, err := rsbag.NewCopier(out, file)
	if err != nil {
		return err
	}
	err = r.copy(ctx, file, part, bag{w}, o.Progress)
	for _, what := range w.Left() {
		r.lose(1, "%s", what)
	}
	r.lose(w.Shifted(), "times of frames that another frame of their stream has")
	return errors.Join(err, w.Close())
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

func (r *Result) copy(ctx context.Context, file *rsbag.File, part bagstore.Filter, out target, p bagstore.Progress) error {
	total := uint64(0)
	for _, s := range file.Streams() {
		total += s.Frames
	}
	cur := file.Cursor(rsbag.CursorOptions{SystemTimes: true})
	defer cur.Close()
	lost := make(map[string]uint64)
	for e := range cur.Part(part) {
		if err := ctx.Err(); err != nil {
			return err
		}
		what, err := writeEvent(out, e)
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
	r.Damaged, r.Why = cur.Damaged()
	for _, text := range file.Omissions() {
		r.lose(1, "%s", text)
	}
	for _, n := range append(file.Bag().Notes(), file.Bag().Found()...) {
		if n.Severity == bagstore.Loss {
			r.lose(1, "%s", n.Text)
		}
	}
	for key, n := range cur.Unknown() {
		r.lose(n, "values of metadata %q, which this program doesn't know", key)
	}
	r.lose(cur.Unmatched(), "metadata of frames that aren't in the recording")
	return r.copyRest(ctx, file, part, out)
}

func (r *Result) copyRest(ctx context.Context, file *rsbag.File, part bagstore.Filter, out target) error {
	conns := file.Uncovered()
	start, end := file.FileTimes(part)
	v := file.Bag().View(bagstore.Query{
		Connections: func(c *bagstore.Connection) bool { return slices.Contains(conns, c) }})
	left := make(map[string]uint64)
	for m, err := range v.Messages() {
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			r.Damaged, r.Why = r.Damaged+bagstore.LostMessages(err), err
			continue
		}
		at := file.FileTime(m.Time)
		if m.Time > bagstore.MinTime && (part.Start > 0 && at < start || at > end) {
			continue
		}
		written := false
		if ofLayout(m.Conn) {
			if written, err = out.message(m, at); err != nil {
				return err
			}
		}
		if !written && !file.Contains(m) {
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
		return Messages(ctx, o)
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
	r, err := Messages(ctx, o)
	r.Camera = in.camera
	return r, err
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
		if strings.HasPrefix(t.Type, "sensor_msgs/") && path.Base(t.Type) == "Image" && names[path.Dir(t.Name)+"/camera_info"] {
			in.camera = in.layout == ""
		}
		if _, ok := rslayout.TopicType(t.Name); ok && strings.HasPrefix(t.Name, "/device_") {
			in.layout, in.camera = t.Encoding, false
		}
	}
	return in, nil
}
