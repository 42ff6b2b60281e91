package ros2

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/workload"
)

// without lists fields that ROS 2 lacks.
func without(dropped []string) func(*msgs.Spec, string) bool {
	return func(in *msgs.Spec, path string) bool {
		return in.Name == "std_msgs/Header" && strings.HasSuffix(path, "seq") || slices.Contains(dropped, path)
	}
}

// encoderOf returns the encoder of a common type of ROS 1.
func encoderOf(t *testing.T, name string) *Encoder {
	t.Helper()
	e, err := NewEncoder(name, msgs.MustType(name).Definition)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return e
}

// mapped returns the mapping of a ROS 2 type.
func mapped(t *testing.T, name, definition string) *Mapping {
	t.Helper()
	m, err := Map(name, definition)
	if err != nil {
		t.Fatalf("map %s: %v\n%s", name, err, definition)
	}
	return m
}

// TestThereAndBack converts every common type to ROS 2 and back, by the known definition
// and by that of the encoder.
func TestThereAndBack(t *testing.T) {
	names := msgs.Types()
	slices.Sort(names)
	for _, name := range names {
		kind := msgs.MustType(name)
		e := encoderOf(t, name)
		spec, err := msgs.Parse(name, kind.Definition)
		need.Must(t, err)
		m := mapped(t, e.Type, e.Definition)
		if m.Type.MD5 != kind.MD5 {
			t.Errorf("%s maps back to %s with a different MD5:\n%s", name, m.Type.Name, m.Type.Definition)
		}
		if m.Type.Name != name && name != "tf/tfMessage" {
			t.Errorf("%s maps back to %s", name, m.Type.Name)
		}
		if _, ok := specials[name]; ok {
			continue // see TestLogThereAndBack and TestRealsense
		}
		for seed := range uint64(20) {
			want := workload.Message(spec, rand.New(rand.NewPCG(seed, 3)), without(e.Dropped))
			blob, whole, err := e.Convert([]byte("before"), want)
			if err != nil || !whole {
				t.Fatalf("%s: %v, whole %t", name, err, whole)
			}
			got, whole, err := m.Convert(nil, bytes.TrimPrefix(blob, []byte("before")))
			if err != nil || !whole || !bytes.Equal(got, want) {
				t.Fatalf("%s, seed %d: %v\n%x became\n%x, and came back as\n%x", name, seed, err, want, blob, got)
			}
		}
	}
}

// TestOwnType checks that an unknown type keeps name, fields, constants and MD5.
func TestOwnType(t *testing.T) {
	const definition = "Header header\nstring HELLO=it's # a \"constant\"\nint8 LOW=-3\nfloat64 pi=3.14\nbyte b\nchar c\nbool[2] flags\n" +
		"time[] at\nduration[2] wait\nPart[3] parts\nother_pkg/Empty nothing\nstring[] names\nint32 SomeName\n" +
		"================================================================================\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n" +
		"================================================================================\nMSG: my_pkg/Part\nuint16 a\nfloat64[] list\n" +
		"================================================================================\nMSG: other_pkg/Empty\n"
	spec, err := msgs.Parse("my_pkg/Type", definition)
	need.Must(t, err)
	e, err := NewEncoder("my_pkg/Type", definition)
	need.Must(t, err)
	for _, want := range []string{"std_msgs/Header header\n", "builtin_interfaces/Time[] at\n", "my_pkg/Part[3] parts\n", "MSG: other_pkg/Empty\n",
		"MSG: builtin_interfaces/Duration\nint32 sec\n", "int32 SomeName\n"} {
		if !strings.Contains(e.Definition, want) {
			t.Errorf("the definition has no %q:\n%s", want, e.Definition)
		}
	}
	m := mapped(t, e.Type, e.Definition)
	if m.Type.Name != spec.Name || m.Type.MD5 != spec.MD5() {
		t.Errorf("mapped back to\n%s, from\n%s", m.Type.Definition, e.Definition)
	}
	for seed := range uint64(50) {
		want := workload.Message(spec, rand.New(rand.NewPCG(seed, 4)), without(nil))
		blob, _, err := e.Convert(nil, want)
		need.Must(t, err)
		if got, _, err := m.Convert(nil, blob); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("seed %d: %v\n%x became\n%x", seed, err, want, got)
		}
	}
}

// TestHashes compares type hashes with those of ROS 2.
func TestHashes(t *testing.T) {
	for name, want := range map[string]string{
		"std_msgs/Time":         "b106235e25a4c5ed35098aa0a61a3ee9c9b18d197f398b0e4206cea9acf9c197",
		"std_msgs/Header":       "f49fb3ae2cf070f793645ff749683ac6b06203e41c891e17701b1cb597ce6a01",
		"std_msgs/String":       "df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18",
		"geometry_msgs/Vector3": "cc12fe83e4c02719f1ce8070bfd14aecd40f75a96696a67a2a1f37f7dbb0765d",
		"rosgraph_msgs/Log":     "e28ce254ca8abc06abf92773b74602cdbf116ed34fbaf294fb9f81da9f318eac",
	} {
		e := encoderOf(t, name)
		if e.Hash != "RIHS01_"+want {
			t.Errorf("%s: %s, want %s", name, e.Hash, want)
		}
	}
}

// TestMarker checks that fields that only ROS 2 has are empty.
func TestMarker(t *testing.T) {
	e := encoderOf(t, "visualization_msgs/Marker")
	if len(e.Dropped) > 0 || !strings.Contains(e.Definition, "sensor_msgs/CompressedImage texture\n") {
		t.Errorf("dropped %q of\n%s", e.Dropped, e.Definition)
	}
	if e = encoderOf(t, "sensor_msgs/CameraInfo"); !strings.Contains(e.Definition, "\nfloat64[] d\n") {
		t.Errorf("no float64[] d in\n%s", e.Definition)
	}
}

// TestLogDrops checks that what no log message of ROS 2 has isn't reported.
func TestLogDrops(t *testing.T) {
	e := encoderOf(t, "rosgraph_msgs/Log")
	l := msgs.Log{Header: msgs.Header{Seq: 9, FrameID: "map"}, Level: msgs.LogInfo, Topics: []string{"/rosout"}}
	if _, whole, err := e.Convert(nil, msgs.Marshal(&l)); err != nil || !whole {
		t.Errorf("%v, whole %t", err, whole)
	}
}

// TestTrailing checks that Convert reports bytes after the last field.
func TestTrailing(t *testing.T) {
	e := encoderOf(t, "std_msgs/Bool")
	if blob, whole, err := e.Convert(nil, []byte{1, 2}); err != nil || whole || !bytes.Equal(blob, []byte{0, 1, 0, 0, 1}) {
		t.Errorf("%x, %v, whole %t", blob, err, whole)
	}
}

// TestLate checks that Convert reports times out of ROS 2's range.
func TestLate(t *testing.T) {
	e := encoderOf(t, "std_msgs/Time")
	blob, whole, err := e.Convert(nil, []byte("\xff\xff\xff\xff\x01\x00\x00\x00"))
	if err != nil || whole || !bytes.Equal(blob, []byte("\x00\x01\x00\x00\xff\xff\xff\x7f\xff\xc9\x9a\x3b")) {
		t.Errorf("%x, %v", blob, err)
	}
	e = encoderOf(t, "std_msgs/Duration")
	// -1.5 s, with both parts negative as from some writers.
	blob, whole, err = e.Convert(nil, []byte("\xff\xff\xff\xff\x00\x9b\x32\xe2"))
	if err != nil || !whole || !bytes.Equal(blob, []byte("\x00\x01\x00\x00\xfe\xff\xff\xff\x00\x65\xcd\x1d")) {
		t.Errorf("%x, %v", blob, err)
	}
}

func TestLogThereAndBack(t *testing.T) {
	e := encoderOf(t, "rosgraph_msgs/Log")
	m := mapped(t, e.Type, e.Definition)
	for _, level := range []uint8{msgs.LogDebug, msgs.LogInfo, msgs.LogWarn, msgs.LogError, msgs.LogFatal} {
		in := msgs.Log{Header: msgs.Header{Stamp: msgs.NewTime(5, 6)}, Level: level, Name: "/n", Msg: "é", File: "f", Function: "g", Line: 7}
		want := msgs.Marshal(&in)
		blob, _, err := e.Convert(nil, want)
		need.Must(t, err)
		if got, _, err := m.Convert(nil, blob); err != nil || !bytes.Equal(got, want) {
			t.Errorf("level %d: %v\n%x, want\n%x", level, err, got, want)
		}
	}
}

// FuzzToCDR converts arbitrary bytes to ROS 2 and back.
func FuzzToCDR(f *testing.F) {
	names := msgs.Types()
	slices.Sort(names)
	f.Add(uint16(3), []byte("\x01\x00\x00\x00\x00"))
	for i, name := range names {
		if s, err := msgs.Parse(name, msgs.MustType(name).Definition); err == nil && i%7 == 0 {
			f.Add(uint16(i), workload.Message(s, rand.New(rand.NewPCG(1, 5)), nil))
		}
	}
	type both struct {
		e *Encoder
		m *Mapping
	}
	known := make(map[string]both)
	f.Fuzz(func(t *testing.T, which uint16, message []byte) {
		name := names[int(which)%len(names)]
		b, seen := known[name]
		if !seen {
			b.e = encoderOf(t, name)
			b.m = mapped(t, b.e.Type, b.e.Definition)
			known[name] = b
		}
		blob, _, err := b.e.Convert(nil, message)
		if err != nil {
			return
		}
		out, _, err := b.m.Convert(nil, blob)
		if err != nil {
			t.Fatalf("%s: %x became %x: %v", name, message, blob, err)
		}
		s, err := msgs.Parse(b.m.Type.Name, b.m.Type.Definition)
		need.Must(t, err)
		if n, err := s.Size(out); err != nil || n != len(out) {
			t.Fatalf("%s: got %d bytes with a message of %d: %v", name, len(out), n, err)
		}
	})
}

// FuzzNewEncoder checks that Map accepts the definition of an encoder.
func FuzzNewEncoder(f *testing.F) {
	f.Add("pkg/Type", "Header header\nstring A=x\nint32[] a\ntime[2] t\n"+strings.Repeat("=", 80)+"\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n")
	f.Add("sensor_msgs/CameraInfo", "float64[] D")
	f.Fuzz(func(t *testing.T, name, definition string) {
		e, err := NewEncoder(name, definition)
		if err != nil {
			return
		}
		_, _, _ = e.Convert(nil, make([]byte, 256))
	})
}

// TestRealsense checks that types of realsense2_camera become those that realsense-ros 4 has in ROS 2, and return from
// them. The hashes are those of ROS 2's own generator.
func TestRealsense(t *testing.T) {
	numbers := func(n int) (list []float64) {
		for i := range n {
			list = append(list, float64(i)+0.5)
		}
		return list
	}
	info := msgs.IMUInfo{FrameID: "imu", Data: [12]float64(numbers(12)), NoiseVariances: [3]float64(numbers(3)), BiasVariances: [3]float64{7, 8, 9}}
	place := msgs.Extrinsics{Header: msgs.Header{Seq: 1, FrameID: "depth_to_color_extrinsics"},
		Rotation: [9]float64(numbers(9)), Translation: [3]float64(numbers(3))}
	metadata := msgs.Metadata{Header: msgs.Header{Stamp: 5, FrameID: "color"}, JSONData: "{}"}
	bare := place
	bare.Header = msgs.Header{}
	for _, c := range []struct {
		name, hash string
		in, back   msgs.Message
		size       int // in ROS 2
	}{
		{"Extrinsics", "5b651f221fc70fae909dda72e6c0470805a1860616ab829d88858482343dc65a", &place, &bare, 4 + 8*12},
		{"IMUInfo", "a493ef4420d60fe083fa9687a7a272a188014448bea38e186805de7930fbfa63", &info, &info, 4 + 16 + 8*18},
		{"Metadata", "83ba3fb1bb8c4e2ac17d181375dfddcbcb01e493d696facdc5c6c01409b3ce9e", &metadata, &metadata, 4 + 8 + 12 + 4 + 3},
	} {
		typ := msgs.MustType("realsense2_camera/" + c.name)
		e := encoderOf(t, typ.Name)
		m := mapped(t, e.Type, e.Definition)
		if e.Type != "realsense2_camera_msgs/msg/"+c.name || e.Hash != "RIHS01_"+c.hash || m.Type != typ {
			t.Errorf("%s: %s with hash %s, back %s", c.name, e.Type, e.Hash, m.Type.Name)
		}
		there, whole, err := e.Convert(nil, msgs.Marshal(c.in))
		if err != nil || !whole || len(there) != c.size {
			t.Errorf("%s: %d bytes, want %d, whole %t, %v", c.name, len(there), c.size, whole, err)
		}
		back, whole, err := m.Convert(nil, there)
		if err != nil || !whole || !bytes.Equal(back, msgs.Marshal(c.back)) {
			t.Errorf("%s: whole %t, %v, back\n%x, want\n%x", c.name, whole, err, back, msgs.Marshal(c.back))
		}
	}
}
