package convert

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/bagstore/recording"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/program"
	"rsros/test/need"
	"rsros/tools/bagset"
	"rsros/tools/rewrite"
)

// events lists the content of a recording, one line each, with a hash of each frame's
// content. It skips frames of some kinds.
func events(t *testing.T, path string, without ...camdriver.StreamKind) []string {
	t.Helper()
	f := open(t, path)
	cur := f.Cursor(rsbag.CursorOptions{SystemTimes: true})
	defer cur.Close()
	var list []string
	for e := range cur.Events() {
		switch {
		case e.Option != nil:
			list = append(list, fmt.Sprintf("%d %d option %v", e.Time, e.Sensor, *e.Option))
		case e.Notification != nil:
			n := *e.Notification
			list = append(list, fmt.Sprintf("%d %d notification %v %v %q %q %d", e.Time, e.Sensor, n.Category, n.Severity, n.Description, n.Data, n.Time.UnixMilli()))
		case !slices.Contains(without, e.Frame.Stream().Kind):
			x := e.Frame
			units := float32(0)
			if x.Stream().Kind == camdriver.Depth {
				units = x.DepthUnits
			}
			list = append(list, fmt.Sprintf("%d %d %v %v #%d at %.6f %v system %d %dx%d step %d units %g md %v data %08x motion %v", e.Time, e.Sensor, x.Stream(), x.Profile.Format,
				x.Number, x.Timestamp, x.Domain, x.Arrival.UnixNano(), x.Width, x.Height, x.Stride, units, x.Metadata, crc32.ChecksumIEEE(x.Data), [2][3]float64{x.Motion.Gyro, x.Motion.Accel}))
		}
	}
	if n, err := cur.Damaged(); n > 0 {
		t.Errorf("%s: %d damaged: %v", path, n, err)
	}
	return list
}

// description prints a snapshot without default profiles, which a .db3 doesn't have.
// Rotations are rounded: those of a
// .db3 may have six decimals, which quaternions of a bag make orthogonal.
func description(t *testing.T, path string, without ...camdriver.StreamKind) string {
	t.Helper()
	f := open(t, path)
	snap := f.Snapshot()
	var b strings.Builder
	fmt.Fprintln(&b, snap.Info, snap.Reference, f.Additional())
	for _, s := range snap.Sensors {
		fmt.Fprintln(&b, s.Name, s.Info, s.Filters)
		for _, o := range s.Options {
			fmt.Fprintf(&b, "  %v %v %q\n", o.ID, o.Value, o.Description)
		}
	}
	for _, s := range snap.Streams {
		if slices.Contains(without, s.Profile.Stream.Kind) {
			continue
		}
		s.Profile.Default = false
		fmt.Fprintln(&b, s.Sensor, s.Profile)
		if s.Video != nil {
			fmt.Fprintf(&b, "  video %+v\n", *s.Video)
		}
		if s.Motion != nil {
			fmt.Fprintf(&b, "  motion %+v\n", *s.Motion)
		}
		if s.Extrinsic != nil {
			e := *s.Extrinsic
			for i, v := range e.Rotation {
				e.Rotation[i] = math.Round(v*1e5)/1e5 + 0
			}
			fmt.Fprintf(&b, "  extrinsics %v\n", e)
		}
	}
	return b.String()
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d events, want %d", what, len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s: event %d\n%s, want\n%s", what, i, got[i], want[i])
		}
	}
}

func names(list []rsdb3.Loss) (out []string) {
	for _, l := range list {
		out = append(out, fmt.Sprintf("%d %s", l.Count, l.What))
	}
	return out
}

// stock checks a database with Debian's sqlite3, and reads it with python.
func stock(t *testing.T, path string) {
	t.Helper()
	if testing.Short() {
		return
	}
	integrity(t, path)
	need.Programs(t, "python3")
	if out, err := exec.Command("python3", "testdata/check_sdk.py", path).CombinedOutput(); err != nil {
		t.Errorf("python3: %v: %s", err, out)
	}
}

// TestThereAndBack checks that a bag converted to .db3 and back is the same recording,
// except for a pose.
func TestThereAndBack(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"librealsense/sw_small_pause", "public/d435_2018_v3"} {
		in := need.Bag(t, name+".bag")
		db, back := filepath.Join(dir, filepath.Base(name)+".db3"), filepath.Join(dir, filepath.Base(name)+".bag")
		r, err := ToDB3(context.Background(), Options{In: in, Out: db})
		need.Must(t, err)
		var lost []string
		for _, l := range names(r.Lost) {
			if !strings.Contains(l, "Pose") {
				lost = append(lost, l)
			}
		}
		t.Log(names(r.Lost))
		if len(lost) > 0 {
			t.Errorf("%s: lost %q", name, lost)
		}
		stock(t, db)
		if r, err = ToBag(context.Background(), Options{In: db, Out: back}); err != nil || len(r.Lost) > 0 {
			t.Fatalf("%s: back: %v, lost %q", name, err, names(r.Lost))
		}
		want := events(t, in, camdriver.Pose)
		same(t, name+" as .db3", events(t, db), want)
		same(t, name+" back", events(t, back), want)
		d := description(t, in, camdriver.Pose)
		if got := description(t, db); got != d {
			t.Errorf("%s as .db3:\n%s, want\n%s", name, got, d)
		}
		if got := description(t, back); got != d {
			t.Errorf("%s back:\n%s, want\n%s", name, got, d)
		}
	}
}

// TestPart checks that a part of the time has its frames, and begins with the options of its start.
func TestPart(t *testing.T) {
	const sample = "../../test/data/librealsense/sw_small_raw.bag"
	for _, c := range []struct {
		in, out string
		device  bool
	}{
		{sample, "x.db3", false}, {sample, "x.bag", false}, {"db3/sdk_rec_raw.db3", "x.bag", false},
		{"db3/own_native.db3", "x.bag", true}, {"db3/own_native.db3", "x.db3", true},
	} {
		t.Run(c.in+" to "+c.out, func(t *testing.T) {
			in := sample
			if c.in != sample {
				in = need.Bag(t, c.in)
			}
			out := filepath.Join(t.TempDir(), c.out)
			o := Options{In: in, Out: out, Bag: bagstore.Options{Overwrite: true}, Device: c.device}
			if _, err := Run(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			const start, end = 800_000_000, 1_000_000_000
			options, inside := make(map[string]string), []string(nil)
			for _, line := range events(t, out, camdriver.Pose) {
				var at, sensor int64
				fmt.Sscan(line, &at, &sensor)
				what, value, option := strings.Cut(line[strings.Index(line, " "):], " option ")
				id, _, _ := strings.Cut(value, " ")
				switch {
				case at < start && option:
					options[what+id] = what + " option " + value
				case at >= start && at <= end:
					inside = append(inside, line)
				}
			}
			want := append(slices.Collect(maps.Values(options)), inside...)
			selection := bagset.Selection{Start: "0.8", End: "1"}
			o.Choose = func(bags []*bagstore.Recording) (rewrite.Options, error) {
				filter, err := selection.Filter(bags)
				return rewrite.Options{Filter: filter}, err
			}
			if _, err := Run(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			got := events(t, out, camdriver.Pose)
			for i := range min(len(options), len(got)) { // they come first, at the first message's time and 0.8 s
				got[i] = got[i][strings.Index(got[i], " "):]
			}
			slices.Sort(got)
			slices.Sort(want)
			same(t, c.in+" as "+c.out, got, want)
			if len(inside) == 0 || !c.device && len(options) == 0 {
				t.Errorf("%s: %d events, %d options", c.in, len(inside), len(options))
			}
			selection = bagset.Selection{Exclude: []string{"none"}}
			if _, err := Run(t.Context(), o); !errors.Is(err, program.ErrUsage) {
				t.Errorf("%s by topics: %v", c.in, err)
			}
		})
	}
}

// TestSDKFiles checks that librealsense's recordings keep their content when converted to
// a bag and back.
func TestSDKFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"sdk_rec_raw", "sdk_formats_raw", "public/d435_2018_sdk_conv"} {
		in := need.Bag(t, "db3/"+name+".db3")
		there, db := filepath.Join(dir, filepath.Base(name)+".bag"), filepath.Join(dir, filepath.Base(name)+".db3")
		r, err := ToBag(context.Background(), Options{In: in, Out: there})
		if err != nil || len(r.Lost) > 0 || r.Damaged > 0 {
			t.Fatalf("%s: %v, lost %q", name, err, names(r.Lost))
		}
		if r, err = ToDB3(context.Background(), Options{In: there, Out: db}); err != nil || len(r.Lost) > 0 {
			t.Fatalf("%s: back: %v, lost %q", name, err, names(r.Lost))
		}
		stock(t, db)
		want := events(t, in)
		same(t, name+" as a bag", events(t, there), want)
		same(t, name+" back", events(t, db), want)
		d := description(t, in)
		// A bag says there how deep a depth frame without units is.
		d = strings.ReplaceAll(d, "  Depth Units 0.001 \"\"\n", "")
		if got := strings.ReplaceAll(description(t, there), "  Depth Units 0.001 \"\"\n", ""); got != d {
			t.Errorf("%s as a bag:\n%s, want\n%s", name, got, d)
		}
		if got := strings.ReplaceAll(description(t, db), "  Depth Units 0.001 \"\"\n", ""); got != d {
			t.Errorf("%s back:\n%s, want\n%s", name, got, d)
		}
	}
}

// TestOptionNames checks that options whose names have spaces, as before 2020, keep them as ROS 2
// messages and back.
func TestOptionNames(t *testing.T) {
	in, dir := need.Bag(t, "public/d435_2018_v3.bag"), t.TempDir()
	db, back := filepath.Join(dir, "x.db3"), filepath.Join(dir, "x.bag")
	run(t, Options{In: in, Out: db, ROS: 2})
	run(t, Options{In: db, Out: back})
	options := func(path string) (list []string) {
		b, err := recording.Open(path, bagstore.OpenOptions{})
		need.Must(t, err)
		defer b.Close()
		for _, c := range b.Connections() {
			if strings.Contains(c.Topic, "/option/") {
				list = append(list, c.Topic)
			}
		}
		slices.Sort(list)
		return list
	}
	want := options(in)
	if !slices.Contains(want, "/device_0/sensor_0/option/Asic Temperature/value") {
		t.Errorf("%q", want)
	}
	same(t, "back", options(back), want)
	unnumbered := func(path string) (list []string) { // ROS 2 has no header.seq
		for _, e := range events(t, path) {
			list = append(list, regexp.MustCompile(` #\d+ `).ReplaceAllString(e, " "))
		}
		return list
	}
	same(t, "back", unnumbered(back), unnumbered(in))
}

// TestNothingLeft checks that a failed conversion leaves no file, and that files are
// replaced only with Overwrite.
func TestNothingLeft(t *testing.T) {
	in := need.Bag(t, "public/d435_2018_v3.bag")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	for _, out := range []string{filepath.Join(dir, "x.db3"), filepath.Join(dir, "x.bag")} {
		run := ToDB3
		if strings.HasSuffix(out, ".bag") {
			run = ToBag
		}
		if _, err := run(ctx, Options{In: in, Out: out}); err == nil {
			t.Error("no error")
		}
		if left, _ := filepath.Glob(out + "*"); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		need.Must(t, os.WriteFile(out, []byte("mine"), 0o600))
		if _, err := run(context.Background(), Options{In: in, Out: out}); err == nil {
			t.Error("replaced a file")
		}
		if _, err := run(context.Background(), Options{In: in, Out: out, Bag: bagstore.Options{Overwrite: true}}); err != nil {
			t.Error(err)
		}
	}
}

// TestROS2Form compares the ROS 2 topics with those of librealsense's own recording.
func TestROS2Form(t *testing.T) {
	in, out := need.Bag(t, "db3/pr15556_rec_png.db3"), filepath.Join(t.TempDir(), "x.db3")
	if _, err := ToDB3(t.Context(), Options{In: in, Out: out, Release: rsdb3.ReleaseROS2}); err != nil {
		t.Fatal(err)
	}
	got, want := addedForROS2(t, out), addedForROS2(t, in)
	if len(want) == 0 {
		t.Fatal("there is nothing to compare with")
	}
	same(t, "rows", got, want)
	if broken, _, err := rsdb3.Check(t.Context(), out); err != nil || len(broken) > 0 {
		t.Errorf("broken %v, %v", broken, err)
	}
}

// addedForROS2 lists the rows of camera_info and tf_static, the latter with rounded numbers.
func addedForROS2(t *testing.T, path string) (list []string) {
	t.Helper()
	bag, err := recording.Open(path, bagstore.OpenOptions{})
	need.Must(t, err)
	defer bag.Close()
	v := bag.View(bagstore.Query{Connections: func(c *bagstore.Connection) bool {
		return c.Topic == "/tf_static" || strings.HasSuffix(c.Topic, "/image/camera_info")
	}})
	it := v.Iterator()
	defer it.Close()
	for it.Next() {
		m := it.Message()
		var info msgs.CameraInfo
		var tf msgs.TFMessage
		if m.Conn.Type == "sensor_msgs/CameraInfo" {
			need.Must(t, msgs.Unmarshal(m.Data, &info))
			list = append(list, fmt.Sprintf("%v %s %+v", m.Time, m.Conn.Topic, info))
			continue
		}
		need.Must(t, msgs.Unmarshal(m.Data, &tf))
		text := fmt.Sprint(m.Conn.Topic, m.Conn.Latching)
		for _, l := range tf.Transforms {
			p, q := l.Transform.Translation, l.Transform.Rotation
			text += fmt.Sprintf(" %s %s %.5f", l.Header.FrameID, l.ChildFrameID, []float64{p.X, p.Y, p.Z, q.X, q.Y, q.Z, q.W})
		}
		list = append(list, strings.NewReplacer("-0.00000", "0.00000", "ref_1", "ref_0").Replace(text)) // the group is ours
	}
	slices.Sort(list)
	return list
}
