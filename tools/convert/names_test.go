package convert

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/recording"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/test/need"
)

// newNames is a device with names that librealsense has since 2.57.
func newNames() (camdriver.DeviceSnapshot, *camdriver.Frame) {
	option := func(id camdriver.OptionID, v float32) camdriver.Option {
		return camdriver.Option{ID: id, Value: v, Min: v, Max: v, Default: v, ReadOnly: true, Description: id.String()}
	}
	p := camdriver.Profile{Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: 2, Height: 1, FPS: 30, Default: true}
	c := camdriver.Profile{Stream: camdriver.ColorStream, Format: camdriver.NV12, Width: 2, Height: 2, FPS: 30, Default: true}
	e := camdriver.Identity()
	f := camdriver.NewFrame(nil)
	f.Profile, f.Width, f.Height, f.Stride, f.Data, f.DepthUnits = p, 2, 1, 4, []byte{1, 2, 3, 4}, 0.001
	f.Number, f.Timestamp, f.Arrival = 7, 1000, time.Unix(1700000000, 0)
	for k := range camdriver.MetaEmbeddedFilters + 1 {
		f.Metadata = append(f.Metadata, camdriver.MetadataValue{Key: k, Value: 1000 + int64(k)})
	}
	f.Metadata = camdriver.FitMetadata(f.Metadata)
	return camdriver.DeviceSnapshot{
		Info: []camdriver.Info{{Key: camdriver.InfoName, Value: "Safety"}, {Key: camdriver.InfoSmcuFwVersion, Value: "1.2"},
			{Key: camdriver.InfoImuType, Value: "BMI088"}, {Key: camdriver.InfoMipiDriverVersion, Value: "3"}},
		Sensors: []camdriver.SensorSnapshot{{Name: "Stereo Module", Info: []camdriver.Info{{Key: camdriver.InfoName, Value: "Stereo Module"}},
			Options: []camdriver.Option{option(camdriver.OptionExposure, 1), option(camdriver.OptionDepthUnits, 0.001), option(camdriver.OptionSafetyMode, 2),
				option(camdriver.OptionEmbeddedFilterEnabled, 1), option(camdriver.OptionThreshold, 9)},
			Profiles: []camdriver.Profile{p, c}}},
		Reference: p.Stream, Streams: []camdriver.StreamSnapshot{{Profile: p, Extrinsic: &e}, {Profile: c, Extrinsic: &e}},
	}, f
}

func writeNames(t *testing.T, path string, release rsdb3.Release) (lost []string) {
	t.Helper()
	f, err := os.Create(path)
	need.Must(t, err)
	defer f.Close()
	snap, frame := newNames()
	w, err := rsdb3.New(f, snap, rsdb3.Options{Release: release})
	need.Must(t, err)
	for _, err := range []error{
		w.Frame(0, frame, time.Millisecond), w.Option(0, camdriver.OptionThreshold, 10, 2*time.Millisecond),
		w.Option(0, camdriver.OptionExposure, 3, 2*time.Millisecond), w.Close(),
	} {
		need.Must(t, err)
	}
	if broken, _, err := rsdb3.Check(t.Context(), path); err != nil || len(broken) > 0 {
		t.Errorf("broken %v, %v", broken, err)
	}
	return names(w.Losses())
}

// TestNewNames checks that a .db3 has all new names, and that a bag has those that
// librealsense 2.56 would reject only on topics that it doesn't read.
func TestNewNames(t *testing.T) {
	dir := t.TempDir()
	db, bag, back := filepath.Join(dir, "x.db3"), filepath.Join(dir, "x.bag"), filepath.Join(dir, "back.db3")
	if lost := writeNames(t, db, rsdb3.Release2583); len(lost) > 0 {
		t.Errorf("lost %q", lost)
	}
	snap, frame := newNames()
	got := open(t, db)
	if s := got.Snapshot(); !reflect.DeepEqual(s.Info, snap.Info) || !reflect.DeepEqual(s.Sensors[0].Options, snap.Sensors[0].Options) {
		t.Errorf("snapshot %+v", s)
	}
	if md := firstFrame(t, got).Metadata; !slices.Equal(md, frame.Metadata) {
		t.Errorf("metadata %v", md)
	}
	r, err := ToBag(t.Context(), Options{In: db, Out: bag})
	need.Must(t, err)
	if want := []string{"1 changes of option Threshold", "1 format NV12 of stream Color_0, which librealsense 2.56 doesn't know"}; !slices.Equal(names(r.Lost), want) {
		t.Errorf("lost %q, want %q", names(r.Lost), want)
	}
	there := open(t, bag)
	for _, c := range there.Bag().Blocks() {
		for _, n := range c.Counts {
			if topic := there.Bag().Connections()[n.ID].Topic; topic == "/device_0/info" && n.Count != 1 {
				t.Errorf("%d messages of %s, more than what librealsense 2.56 knows", n.Count, topic)
			}
		}
	}
	if _, err := ToDB3(t.Context(), Options{In: bag, Out: back}); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*rsbag.File{there, open(t, back)} {
		if s := f.Snapshot(); !reflect.DeepEqual(s.Info, snap.Info) || !reflect.DeepEqual(s.Sensors[0].Options, snap.Sensors[0].Options) || s.Streams[1].Profile.Format != camdriver.NV12 {
			t.Errorf("snapshot %+v", s)
		}
		if md := firstFrame(t, f).Metadata; !slices.Equal(md, frame.Metadata) {
			t.Errorf("metadata %v", md)
		}
	}
}

// TestReleaseNames checks that files for a release have no names that its reader doesn't
// know.
func TestReleaseNames(t *testing.T) {
	for release, want := range map[rsdb3.Release][]string{
		rsdb3.Release2581: {`1 changes of option "Threshold", which its sensor doesn't have in the file`,
			`1 option "Threshold" of sensor 0, which this release of librealsense doesn't know`,
			"1 stream Color_0 of the format NV12, which this release of librealsense doesn't know"},
		rsdb3.Release2582: {`1 changes of option "Threshold", which its sensor doesn't have in the file`,
			`1 option "Threshold" of sensor 0, which this release of librealsense doesn't know`},
		rsdb3.ReleaseROS2: nil,
	} {
		path := filepath.Join(t.TempDir(), "x.db3")
		if lost := writeNames(t, path, release); !slices.Equal(lost, want) {
			t.Errorf("release %v: lost %q", release, lost)
		}
	}
}

// TestUnreadStreams checks that streams of safety cameras, and those that aren't known, are reported, aren't taken for
// streams without frames, and are the same after a conversion into each of librealsense's two forms.
func TestUnreadStreams(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db3")
	out, err := os.Create(path)
	need.Must(t, err)
	defer out.Close()
	w := db3.NewWriter(out)
	for _, row := range [][2]string{
		{"/device_0/info", "Name=X"}, {"/device_0/sensor_0/info", "Name=Safety Camera"},
		{"/device_0/sensor_0/Object_Detection_0/info", "encoding=RAW8;fps=30"}, {"/device_0/sensor_0/Safety_0/info", "encoding=RAW8;fps=30"},
		{"/device_0/sensor_0/Occupancy_0/info", "encoding=RAW8;fps=30"}, {"/device_0/sensor_0/Object_Detection_0/object_detection/data", "{}"},
		{"/device_0/sensor_0/Person_Detection_0/info", "encoding=RAW8;fps=30"}, {"/device_0/sensor_0/Person_Detection_0/inference/data", "{}"},
	} {
		id, err := w.AddTopic(bagstore.Topic{Name: row[0], Type: "std_msgs/msg/String"})
		need.Must(t, err)
		var e msgs.Encoder
		e.BeginCDR()
		e.String(row[1])
		need.Must(t, w.Write(id, 0, e.B))
	}
	need.Must(t, w.Close())
	f := open(t, path)
	if s := f.Snapshot(); len(s.Streams) > 0 {
		t.Errorf("streams %v", s.Streams)
	}
	notes := strings.Join(f.Notes(), "\n")
	for _, name := range []string{"Object_Detection_0", "Safety_0", "Occupancy_0", "Person_Detection_0/inference/data"} {
		if !strings.Contains(notes, name) {
			t.Errorf("%s isn't named: %s", name, notes)
		}
	}
	want := ofUnknown(t, path)
	if len(want) != 6 {
		t.Fatalf("messages %q", want)
	}
	for _, steps := range [][]string{{"y.db3"}, {"y.bag", "z.db3"}} {
		in := path
		for _, step := range steps {
			to := filepath.Join(t.TempDir(), step)
			r, err := Run(t.Context(), Options{In: in, Out: to})
			if err != nil || len(r.Lost) > 0 || r.Damaged > 0 || len(r.Unread) < 2 {
				t.Fatalf("%s: %+v, %v", step, r, err)
			}
			if strings.HasSuffix(to, ".bag") && strings.Contains(strings.Join(ofUnknown(t, to), "\n"), "_0/info ") {
				t.Error("librealsense can't open a bag that describes an unknown stream")
			}
			in = to
		}
		if got := ofUnknown(t, in); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", steps, got, want)
		}
	}
}

// ofUnknown returns the messages of streams that aren't known, which are texts.
func ofUnknown(t *testing.T, path string) (list []string) {
	bag, err := recording.Open(path, bagstore.OpenOptions{})
	need.Must(t, err)
	defer bag.Close()
	for m, err := range bag.View(bagstore.Query{}).Messages() {
		need.Must(t, err)
		if _, ok := rslayout.BelowStream(m.Conn.Topic); ok {
			var text msgs.String
			need.Must(t, msgs.Unmarshal(m.Data, &text))
			list = append(list, fmt.Sprint(m.Conn.Topic, " ", int64(m.Time), " ", text.Data))
		}
	}
	slices.Sort(list)
	return list
}

func open(t *testing.T, path string) *rsbag.File {
	t.Helper()
	f, err := rsbag.Open(path, rsbag.Options{})
	need.Must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func firstFrame(t *testing.T, f *rsbag.File) *camdriver.Frame {
	t.Helper()
	cur := f.Cursor(rsbag.CursorOptions{FramesOnly: true})
	defer cur.Close()
	e, ok := cur.Next()
	if !ok {
		t.Fatal("no frame")
	}
	return e.Frame.Retain()
}

// TestNoOptions checks that a sensor without options gets the one that librealsense needs,
// and that readers ignore it.
func TestNoOptions(t *testing.T) {
	dir := t.TempDir()
	db, bag := filepath.Join(dir, "x.db3"), filepath.Join(dir, "x.bag")
	snap, frame := newNames()
	snap.Sensors[0].Options, snap.Streams = nil, snap.Streams[:1]
	f, err := os.Create(db)
	need.Must(t, err)
	defer f.Close()
	w, err := rsdb3.New(f, snap, rsdb3.Options{})
	need.Must(t, err)
	need.Must(t, errors.Join(w.Frame(0, frame, time.Millisecond), w.Close()))
	if lost := names(w.Losses()); len(lost) > 0 {
		t.Errorf("lost %q", lost)
	}
	if broken, _, err := rsdb3.Check(t.Context(), db); err != nil || len(broken) > 0 {
		t.Errorf("broken %v, %v", broken, err)
	}
	if o := open(t, db).Snapshot().Sensors[0].Options; len(o) > 0 {
		t.Errorf("options %v", o)
	}
	if _, err := ToBag(t.Context(), Options{In: db, Out: bag}); err != nil {
		t.Fatal(err)
	}
	for _, o := range open(t, bag).Snapshot().Sensors[0].Options {
		if o.ID != camdriver.OptionDepthUnits { // which a bag says of frames that way
			t.Errorf("option %v in the bag", o)
		}
	}
}
