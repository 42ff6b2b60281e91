package rsdb3

import (
	"time"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
)

// NewRecorder creates a .db3 and returns a Recorder for it. librealsense can open the file at any time, also after
// kill -9: a commit never separates a frame from its metadata. The options are those of db3.Create; with Zstd, each
// message is compressed. Close calls losses, if not nil, with what the file can't hold.
func NewRecorder(path string, snap camdriver.DeviceSnapshot, o Options, ro rsbag.RecorderOptions,
	losses func([]Loss)) (*rsbag.Recorder, error) {
	bag := ro.Bag
	if bag.Compression == bagstore.Zstd {
		bag.Compression, o.Zstd = bagstore.None, true
	}
	t := target{newWriter(snap, o), losses}
	if t.err != nil {
		return nil, t.err
	}
	_, err := db3.Create(path, bag, func(db *db3.Writer) error {
		t.db = db
		t.describe()
		return t.err
	})
	if err != nil {
		return nil, err
	}
	return rsbag.NewRecorderOf(t, snap, ro)
}

type target struct {
	*Writer
	losses func([]Loss)
}

func (t target) Frame(sensor int, f *camdriver.Frame, at time.Duration) error {
	if err := t.Writer.Frame(sensor, f, at); err != nil {
		return err
	}
	return t.db.CommitIfDue()
}

func (t target) Option(sensor int, id camdriver.OptionID, value float32, at time.Duration) error {
	if !t.hasOption(sensor, id) {
		return camdriver.ErrUnsupported
	}
	return t.Writer.Option(sensor, id, value, at)
}

func (t target) Checkpoint() error      { return t.db.Commit() }
func (t target) CheckpointIfDue() error { return t.db.CommitIfDue() }
func (t target) Size() int64            { return t.db.Size() }
func (t target) WriteMethod() string    { return "" }
func (t target) Kept() bagstore.Kept    { return t.db.Kept() }

func (t target) FramesTopic(id camdriver.StreamID) string { return t.streams[id].Data[0].Name }

func (t target) Close() error {
	err := t.Writer.Close()
	if list := t.Writer.Losses(); len(list) > 0 && t.losses != nil {
		t.losses(list)
	}
	return err
}
