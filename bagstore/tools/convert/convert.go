package convert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/atomicfile"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/realsense/rstext"
)

// Options say what is converted.
type Options struct {
	In, Out   string
	Format    string            // ".bag", ".db3" or ".mcap"; default: what Out's name says
	Overwrite bool              // replace Out if it exists
	Release   rsdb3.Release     // of a .db3
	Bag       bagstore.Options  // of a bag, its Compression also of MCAP; its Overwrite doesn't count
	Progress  bagstore.Progress // of frames or messages; may be nil
	// Device takes what camera nodes published for a device, too: Run writes a recording
	// of realsense2_camera as one of librealsense.
	Device bool
	// AnyDamage goes on however many messages are damaged.
	AnyDamage bool
	scan      bool // an MCAP file's indexes aren't trusted
	// ROS is whose messages Messages writes, 1 or 2. 0: those of In where Out can hold
	// them.
	ROS int
	// Storage of a folder of rosbag2: rosbag2.StorageSQLite, which is the default, or
	// rosbag2.StorageMCAP.
	Storage string
}

// Result counts what was written.
type Result struct {
	Frames, Events uint64 // of a RealSense recording that ToDB3 or ToBag wrote
	Messages       uint64 // that Messages wrote
	Topics         int    // of these
	// What Messages kept of an MCAP file beside its messages.
	Attachments, Records uint64
	// PerTopic counts what Messages wrote and lost, for each connection of the input.
	PerTopic []bagstore.RecoverTopic
	Notes    bagstore.Notes // about the input of Messages, but for losses
	Size     int64          // of the output, 0 for a folder
	Note     string         // what every output of the kind doesn't have, if there is something
	Camera   bool           // In has a camera node's images, which Run wrote message by message
	// Lost is what the output doesn't hold as it was, or at all.
	Lost []rsdb3.Loss
	// Damaged counts messages that couldn't be read; Why is about the last.
	Damaged uint64
	Why     error
}

// target is a recording that is being written.
type target interface {
	// event writes what a cursor returned.
	event(rsbag.Event) error
	// beside writes a message of another topic; false if there is no place for it.
	beside(*rsbag.File, bagstore.Message) (bool, error)
}

// open opens the input as a recording of librealsense's.
func (o Options) open() (*rsbag.File, error) {
	return rsbag.Open(o.In, rsbag.Options{Whole: true, CameraNodes: o.Device})
}

// ToDB3 writes a recording as a .db3.
func ToDB3(ctx context.Context, o Options) (r Result, err error) {
	file, err := o.open()
	if err != nil {
		return r, err
	}
	defer file.Close() //nolint:errcheck // only read
	var facts []rstext.Pair
	for _, kv := range file.Additional() {
		facts = append(facts, rstext.Pair{Key: kv.Key, Value: kv.Value})
	}
	err = atomicfile.Write(o.Out, o.Overwrite, func(f *os.File) error {
		w, err := rsdb3.New(f, file.Snapshot(), rsdb3.Options{Release: o.Release, Facts: facts})
		if err != nil {
			return err
		}
		err = r.copy(ctx, file, db3{w}, o.Progress)
		r.lost(w.Losses())
		if err = errors.Join(err, w.Close()); err == nil {
			err = f.Sync()
		}
		return err
	})
	return r.finish(o.Out, err)
}

// ToBag writes a recording as a bag of version 3.
func ToBag(ctx context.Context, o Options) (r Result, err error) {
	file, err := o.open()
	if err != nil {
		return r, err
	}
	defer file.Close() //nolint:errcheck // only read
	if o.Bag.Compression == bagstore.BZ2 {
		return r, fmt.Errorf("convert to %s: librealsense can't read %s", o.Out, bagstore.BZ2)
	}
	place, err := atomicfile.Reserve(o.Out, o.Overwrite)
	if err != nil {
		return r, err
	}
	if err := r.writeBag(ctx, file, place.Temp(), o); err != nil {
		return r, errors.Join(err, place.Discard())
	}
	return r.finish(o.Out, place.Commit())
}

func (r *Result) writeBag(ctx context.Context, file *rsbag.File, path string, o Options) error {
	var facts []rslayout.Message
	for _, kv := range file.Additional() {
		facts = append(facts, rslayout.Additional(kv.Key, kv.Value))
	}
	o.Bag.Overwrite = true // the place is ours
	w, err := rsbag.NewCopier(path, file.Snapshot(), o.Bag, facts)
	if err != nil {
		return err
	}
	out := bag{w, make(map[string]uint64)}
	err = r.copy(ctx, file, out, o.Progress)
	for what, n := range out.lost {
		r.lose(n, "%s", what)
	}
	for _, what := range w.Left() {
		r.lose(1, "%s", what)
	}
	r.lose(w.Moved(), "times of frames that another frame of their stream has")
	return errors.Join(err, w.Close())
}

// finish sorts the losses and sizes the file.
func (r *Result) finish(path string, err error) (Result, error) {
	slices.SortFunc(r.Lost, func(a, b rsdb3.Loss) int { return cmp.Compare(a.What, b.What) })
	if err != nil {
		return *r, err
	}
	st, err := os.Stat(path)
	if err == nil && !st.IsDir() {
		r.Size = st.Size()
	}
	return *r, err
}

func (r *Result) lost(list []rsdb3.Loss) { r.Lost = append(r.Lost, list...) }

// copy hands all of a recording to a target.
func (r *Result) copy(ctx context.Context, file *rsbag.File, out target, p bagstore.Progress) error {
	total := uint64(0)
	for _, s := range file.Streams() {
		total += s.Frames
	}
	cur := file.Cursor(rsbag.CursorOptions{SystemTimes: true})
	defer cur.Close()
	for e := range cur.Events() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := out.event(e); err != nil {
			return err
		}
		if e.Frame == nil {
			r.Events++
			continue
		}
		if r.Frames++; p != nil && r.Frames%16 == 0 {
			p(r.Frames, total)
		}
	}
	r.Damaged, r.Why = cur.Damaged()
	for _, text := range file.Left() {
		r.lose(1, "%s", text)
	}
	for _, n := range file.Bag().Notes() {
		if n.Severity == bagstore.Loss {
			r.lose(1, "%s", n.Text)
		}
	}
	for key, n := range cur.Unknown() {
		r.lose(n, "values of metadata %q, which this program doesn't know", key)
	}
	r.lose(cur.Unmatched(), "metadata of frames that aren't in the recording")
	return r.beside(ctx, file, out)
}

// beside copies what no cursor visits.
func (r *Result) beside(ctx context.Context, file *rsbag.File, out target) error {
	conns := file.Beside()
	v := file.Bag().View(bagstore.Query{
		Connections: func(c *bagstore.Connection) bool { return slices.Contains(conns, c) }})
	left := make(map[string]uint64)
	bad := 0
	for m, err := range v.Messages() {
		if bad == maxBad || ctx.Err() != nil {
			break
		}
		if err != nil {
			bad++
			r.Damaged, r.Why = r.Damaged+1, err
			continue
		}
		written, err := out.beside(file, m)
		if err != nil {
			return err
		}
		if !written && !file.Said(m) {
			left[m.Conn.Topic]++
		}
	}
	for topic, n := range left {
		r.lose(n, "messages of %s", topic)
	}
	return ctx.Err()
}

// maxBad is how many damaged messages are passed over.
const maxBad = 1000
