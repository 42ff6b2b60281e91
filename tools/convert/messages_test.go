package convert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/bagstore/recording"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/test/workload"
)

// withoutSeqs sets the seq of all headers of a message to 0.
func withoutSeqs(t *testing.T, s *msgs.Spec, message []byte) []byte {
	t.Helper()
	out := bytes.Clone(message)
	d := msgs.NewDecoder(out)
	var walk func(s *msgs.Spec)
	walk = func(s *msgs.Spec) {
		for i := range s.Fields {
			f := &s.Fields[i]
			if s.Name == "std_msgs/Header" && f.Name == "seq" {
				copy(d.Raw(4), make([]byte, 4))
				continue
			}
			n := 1
			if f.Array {
				if n = f.Len; n == msgs.Variable {
					n = d.Len(1)
				}
			}
			for range n {
				switch f.Kind {
				case msgs.KindStruct:
					walk(f.Sub)
				case msgs.KindString:
					d.Bytes()
				default:
					d.Raw(f.Kind.Size())
				}
			}
		}
	}
	walk(s)
	if d.Err() != nil || d.Remaining() > 0 {
		t.Fatalf("a message of %s: %v, %d bytes left", s.Name, d.Err(), d.Remaining())
	}
	return out
}

// contents lists all messages of a recording in ROS 1 form, without header.seq.
func contents(t *testing.T, path string) (list []string) {
	t.Helper()
	b, err := recording.Open(path, bagstore.OpenOptions{})
	need.Must(t, err)
	defer b.Close()
	specs := make(map[string]*msgs.Spec)
	samplebag.Each(t, func(m bagstore.Message) {
		s := specs[m.Conn.Type]
		if s == nil {
			if s, err = msgs.Parse(m.Conn.Type, m.Conn.Definition); err != nil {
				t.Fatal(err)
			}
			specs[m.Conn.Type] = s
		}
		list = append(list, fmt.Sprintf("%d %s %s %s latched %t %08x", m.Time, m.Conn.Topic, m.Conn.Type, m.Conn.MD5, m.Conn.Latching, crc32.ChecksumIEEE(withoutSeqs(t, s, m.Data))))
	}, b)
	slices.Sort(list) // messages of one time are in the order of their connections
	return list
}

// everyType writes a bag with random messages of all common types, and of types that
// only the bag defines.
func everyType(t *testing.T, path string, most int) {
	t.Helper()
	w := samplebag.Create(t, path, bagstore.Options{})
	own := msgs.Type{Name: "my_robot/State", Definition: "Header header\nstring MODE=a \"b\" 'c'\nint8 X=-1\nPart[] parts\ntime[2] at\nchar c\nbyte b\nbool[] ok\n" +
		strings.Repeat("=", 80) + "\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n" + strings.Repeat("=", 80) + "\nMSG: my_robot/Part\nuint8 a\nfloat64 b\nduration d\nstring[] names\n"}
	spec, err := msgs.Parse(own.Name, own.Definition)
	need.Must(t, err)
	own.MD5 = spec.MD5()
	types := []msgs.Type{own, {Name: "my_robot/Ping", MD5: "d41d8cd98f00b204e9800998ecf8427e"}}
	names := msgs.Types()
	slices.Sort(names)
	for _, name := range names {
		switch name {
		case "tf/tfMessage", "rosgraph_msgs/Log", "realsense2_camera/Extrinsics": // they come back as others
		default:
			types = append(types, msgs.MustType(name))
		}
	}
	r := rand.New(rand.NewPCG(7, 7))
	empty := func(in *msgs.Spec, path string) bool { return in.Name == "sensor_msgs/Range" && path == "variance" }
	for i, kind := range types {
		spec, err := msgs.Parse(kind.Name, kind.Definition)
		need.Must(t, err)
		c := bagstore.Connection{Topic: "/" + strings.ToLower(kind.Name), Type: kind.Name, MD5: kind.MD5, Definition: kind.Definition, CallerID: "/robot", Latching: i%3 == 0}
		w.Add(c)
		for n := range most {
			w.Put(c, bagstore.Time(1_700_000_000_000_000_000+int64(n*1000+i)), workload.Message(spec, r, empty))
		}
	}
	w.Done()
}

// run converts, and checks that nothing is lost.
func run(t *testing.T, o Options) {
	t.Helper()
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatalf("%s to %s: %v", o.In, o.Out, err)
	}
	if len(r.Lost) > 0 || r.Damaged > 0 {
		t.Errorf("%s to %s: lost %q, %d damaged: %v", o.In, o.Out, names(r.Lost), r.Damaged, r.Why)
	}
}

// TestMessagesThereAndBack converts bags to every format and back.
func TestMessagesThereAndBack(t *testing.T) {
	every := filepath.Join(t.TempDir(), "every.bag")
	everyType(t, every, 2)
	for _, in := range []string{every, need.Bag(t, "public/example-unsorted-chunks.bag"), need.Bag(t, "public/no-messages.bag")} {
		want := contents(t, in)
		for _, through := range []Options{{Out: "x.db3", ROS: 2}, {Out: "x.mcap"}, {Out: "x.mcap", ROS: 2, Bag: bagstore.Options{Compression: bagstore.LZ4}}, {Out: "folder"}, {Out: "folder", Storage: db3.StorageMCAP}} {
			t.Run(fmt.Sprint(filepath.Base(in), through.Out, through.ROS, through.Storage), func(t *testing.T) {
				dir := t.TempDir()
				o := through
				o.In, o.Out = in, filepath.Join(dir, o.Out)
				run(t, o)
				back := filepath.Join(dir, "back.bag")
				run(t, Options{In: o.Out, Out: back, ROS: 1})
				same(t, o.Out, contents(t, o.Out), want)
				same(t, "back", contents(t, back), want)
				switch filepath.Ext(o.Out) {
				case ".db3":
					integrity(t, o.Out)
				case ".mcap":
					independent(t, o.Out, len(want))
				default:
					if in == every {
						folder(t, o.Out, len(want))
					}
				}
			})
		}
	}
}

// integrity checks a database with Debian's sqlite3.
func integrity(t *testing.T, path string) {
	t.Helper()
	need.Programs(t, "sqlite3")
	out, err := exec.Command("sqlite3", "-readonly", path, "PRAGMA integrity_check; PRAGMA foreign_key_check").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "ok" {
		t.Errorf("sqlite3: %v: %s", err, out)
	}
}

// independent reads an MCAP file with the library's reader, by the index and without.
func independent(t *testing.T, path string, messages int) {
	t.Helper()
	for _, indexed := range []bool{true, false} {
		if _, list := readMCAP(t, path, indexed); len(list) != messages {
			t.Errorf("%s, index %t: %d messages, want %d", path, indexed, len(list), messages)
		}
	}
}

// folder reads the metadata of a folder of rosbag2 with python.
func folder(t *testing.T, path string, messages int) {
	t.Helper()
	if out, err := exec.Command(need.Python(t, "yaml"), "testdata/check_folder.py", path, fmt.Sprint(messages)).CombinedOutput(); err != nil {
		t.Errorf("python3: %v: %s", err, out)
	}
}

// TestAgainstGenpy compares converted ROS 1 messages with what ROS's Python reads from the
// bag.
func TestAgainstGenpy(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.bag"), filepath.Join(dir, "out.db3")
	everyType(t, in, 2)
	run(t, Options{In: in, Out: out})
	integrity(t, out)
	text, err := exec.Command(need.Python(t, "rosbag"), "testdata/check_cdr.py", in, out).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(text), "compared ") {
		t.Errorf("%v: %s", err, text)
	}
	t.Logf("%s", text)
}

// TestRawStays checks that messages that need no conversion keep their bytes and QoS.
func TestRawStays(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"public/rosbag2_talker.mcap", "public/rosbag2_v2_wal_zstd.db3", "public/rosbag2_v4.db3", "own_native.db3", "sdk_rec_raw.db3"} {
		in := need.Bag(t, "db3/"+name)
		there, back := filepath.Join(dir, "there.mcap"), filepath.Join(dir, "back.db3")
		run(t, Options{In: in, Out: there, Bag: bagstore.Options{Overwrite: true}})
		run(t, Options{In: there, Out: back, ROS: 2, Bag: bagstore.Options{Overwrite: true}})
		want := slices.Sorted(slices.Values(rawRows(t, in)))
		same(t, name+" as MCAP", slices.Sorted(slices.Values(rawRows(t, there))), want)
		same(t, name+" back", slices.Sorted(slices.Values(rawRows(t, back))), want)
		integrity(t, back)
	}
}

// TestHeadsStay checks that numbers and times of MCAP's messages stay in MCAP, also those that
// a bag has no time for.
func TestHeadsStay(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.mcap")
	f, err := os.Create(in)
	need.Must(t, err)
	w, err := mcap.NewWriter(f, &mcap.WriterOptions{Chunked: true, ChunkSize: 64})
	need.Must(t, err)
	need.Must(t, errors.Join(w.WriteHeader(&mcap.Header{Profile: "ros1"}),
		w.WriteSchema(&mcap.Schema{ID: 1, Name: "std_msgs/Int64", Encoding: "ros1msg", Data: []byte("int64 data")}),
		w.WriteChannel(&mcap.Channel{ID: 0, SchemaID: 1, Topic: "/n", MessageEncoding: "ros1"})))
	for i, at := range []uint64{0, 7e9, 5e9, 1 << 63, math.MaxUint64 - 1} {
		need.Must(t, w.WriteMessage(&mcap.Message{Sequence: uint32(100 - i), LogTime: at, PublishTime: at ^ 1<<40, Data: []byte{7: byte(i)}}))
	}
	need.Must(t, errors.Join(w.Close(), f.Close()))
	heads := func(path string) (list []string) {
		_, all := readMCAP(t, path, false)
		for _, m := range all {
			list = append(list, fmt.Sprint(m.Sequence, m.LogTime, m.PublishTime, m.Data[len(m.Data)-8:]))
		}
		slices.Sort(list)
		return list
	}
	want := heads(in)
	for name, o := range map[string]Options{"x.mcap": {}, "ros2.mcap": {ROS: 2}, "folder": {ROS: 2, Storage: db3.StorageMCAP}} {
		o.In, o.Out = in, filepath.Join(dir, name)
		run(t, o)
		if name == "folder" {
			o.Out += "/folder_0.mcap"
		}
		same(t, name, heads(o.Out), want)
	}
	again := filepath.Join(dir, "again.mcap")
	_, err = Again(context.Background(), Options{In: in, Out: again, Bag: bagstore.Options{Compression: bagstore.LZ4}})
	need.Must(t, err)
	same(t, "compressed", heads(again), want)
	_, err = Recover(context.Background(), in, again, bagstore.RecoverOptions{Options: bagstore.Options{Overwrite: true}})
	need.Must(t, err)
	same(t, "recovered", heads(again), want)
}

// TestRealSenseMCAP checks that a RealSense recording goes through MCAP unchanged.
func TestRealSenseMCAP(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"librealsense/sw_small_pause.bag", "db3/sdk_rec_raw.db3"} {
		in := need.Bag(t, name)
		there, back := filepath.Join(dir, "x.mcap"), filepath.Join(dir, "back"+filepath.Ext(name))
		run(t, Options{In: in, Out: there, Bag: bagstore.Options{Overwrite: true}})
		run(t, Options{In: there, Out: back})
		same(t, name, events(t, back), events(t, in))
		if got, want := description(t, back), description(t, in); got != want {
			t.Errorf("%s\n%s, want\n%s", name, got, want)
		}
	}
	// The other layout's form is that of ToBag.
	bag := filepath.Join(dir, "other.bag")
	run(t, Options{In: filepath.Join(dir, "x.mcap"), Out: bag})
	same(t, "MCAP of a .db3 as a bag", events(t, bag), events(t, need.Bag(t, "db3/sdk_rec_raw.db3")))
}

// TestLost checks that losses are named and counted.
func TestLost(t *testing.T) {
	dir := t.TempDir()
	lost := func(o Options) string {
		t.Helper()
		r, err := Run(context.Background(), o)
		need.Must(t, err)
		return strings.Join(names(r.Lost), "\n")
	}
	got := lost(Options{In: need.Bag(t, "db3/public/rosbag2_v4.db3"), Out: filepath.Join(dir, "a.bag")})
	if !strings.Contains(got, "6 messages of /add_two_ints/_service_event: ") || !strings.Contains(got, "topic /add_two_ints2/_service_event, which has no messages") {
		t.Error(got)
	}
	if got = lost(Options{In: need.Bag(t, "public/test_sample.bag"), Out: filepath.Join(dir, "a.db3")}); got != "" {
		t.Error(got)
	}
	if got = lost(Options{In: need.Bag(t, "public/test_truncated.bag"), Out: filepath.Join(dir, "b.db3")}); !strings.Contains(got, "the chunk is torn") {
		t.Error(got)
	}
	// Two types on one topic, and a message that isn't one of its type.
	in := filepath.Join(dir, "odd.bag")
	w := samplebag.Create(t, in, bagstore.Options{})
	for i, name := range []string{"std_msgs/String", "std_msgs/Int64", "std_msgs/String"} {
		need.Must(t, w.Write(w.Add(samplebag.Topic("/x", name)), bagstore.Time(i+1), []byte("\x05\x00\x00\x00hello\x00\x00\x00")[:9+i]))
	}
	w.Put(bagstore.Connection{Topic: "/y", Type: "std_msgs/Int64", Definition: "int64 data"}, 9, []byte("short"))
	w.Done()
	got = lost(Options{In: in, Out: filepath.Join(dir, "c.db3")})
	if !strings.Contains(got, "1 messages of /x: type std_msgs/msg/Int64: the topic has type std_msgs/msg/String") || !strings.Contains(got, "1 messages of /y that are no std_msgs/Int64: ") {
		t.Error(got)
	}
	if list := contents(t, filepath.Join(dir, "c.db3")); len(list) != 2 {
		t.Errorf("%q", list)
	}
}

// TestManyDamaged checks that a chunk is lost however many messages it has, and no other.
func TestManyDamaged(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.bag")
	w := samplebag.Create(t, in, bagstore.Options{Compression: bagstore.LZ4, ChunkSize: 3000 * 55})
	id := w.Add(samplebag.Topic("/x", "std_msgs/String"))
	for i := range 6000 {
		need.Must(t, w.Write(id, bagstore.Time(i+1), []byte("\x05\x00\x00\x00hello")))
	}
	w.Done()
	b := samplebag.Open(t, in)
	first := b.Blocks()[0]
	b.Close()
	f, err := os.OpenFile(in, os.O_RDWR, 0)
	need.Must(t, err)
	_, err = f.WriteAt(bytes.Repeat([]byte{0xff}, 200), first.Pos+150)
	need.Must(t, errors.Join(err, f.Close()))
	if lost := int(first.Messages()); lost <= 1000 || lost > 5000 {
		t.Fatalf("%d messages in a chunk", lost)
	}
	for _, out := range []string{"out.db3", "out.mcap"} {
		r, err := Run(t.Context(), Options{In: in, Out: filepath.Join(t.TempDir(), out)})
		if err != nil || r.Damaged != first.Messages() || r.Messages != 6000-first.Messages() {
			t.Errorf("%s: %d messages, %d damaged, %v; the chunk has %d of 6000", out, r.Messages, r.Damaged, err, first.Messages())
		}
	}
}

// TestMessagesWhole checks that a failed conversion leaves no file, and that a folder is
// never replaced.
func TestMessagesWhole(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.bag")
	everyType(t, in, 1)
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	out := filepath.Join(dir, "out")
	need.Must(t, os.Mkdir(out, 0o777))
	for _, name := range []string{"x.bag", "x.db3", "x.mcap", "folder"} {
		if _, err := Run(stopped, Options{In: in, Out: filepath.Join(out, name)}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, _ := os.ReadDir(out); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	run(t, Options{In: in, Out: filepath.Join(out, "folder")})
	if _, err := Run(context.Background(), Options{In: in, Out: filepath.Join(out, "folder"), Bag: bagstore.Options{Overwrite: true}}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder was replaced: %v", err)
	}
}

// TestPump checks that reading ends when writing fails, and the other way round.
func TestPump(t *testing.T) {
	failed := errors.New("failed")
	endless := func(b *batch) (bool, error) { b.add(0, 1, append(b.data, "x"...)); return true, nil }
	if err := pump(endless, func(*batch) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	n := 0
	err := pump(func(b *batch) (bool, error) {
		if n++; n == 10 {
			return false, failed
		}
		return endless(b)
	}, func(*batch) error { return nil })
	if !errors.Is(err, failed) || n != 10 {
		t.Errorf("%v after %d", err, n)
	}
}
