package msgs

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os/exec"
	"strings"
	"testing"

	"rsros/test/need"
)

// samples are the structs by their types, except for heads and halves of services.
func samples() map[string]Message {
	list := map[string]Message{}
	for _, c := range structs() {
		if _, ok := Lookup(c.typ); ok && c.tail == nil {
			list[c.typ] = c.m
		}
	}
	return list
}

const genpyPrint = `
import sys, importlib
from io import BytesIO
pkg, typ = sys.argv[1].split('/')
cls = getattr(importlib.import_module(pkg + '.msg'), typ)
m = cls()
m.deserialize(sys.stdin.buffer.read())
print(m)
`

// TestYAMLGenpy compares with the printer of rostopic echo.
func TestYAMLGenpy(t *testing.T) {
	for _, name := range []string{"std_msgs/Header", "std_msgs/String", "tf2_msgs/TFMessage", "sensor_msgs/CameraInfo",
		"diagnostic_msgs/DiagnosticArray", "rosgraph_msgs/TopicStatistics"} {
		t.Run(name, func(t *testing.T) {
			data := Marshal(samples()[name])
			cmd := exec.Command("/usr/bin/python3", "-c", genpyPrint, name)
			cmd.Stdin = strings.NewReader(string(data))
			want, err := cmd.Output()
			if err != nil {
				need.Missing(t, "not here: genpy and the message packages")
			}
			if got := yaml(t, name, data, PrintOptions{}); got != string(want) {
				t.Errorf("got\n%s\ngenpy\n%s", got, want)
			}
		})
	}
}

func yaml(t *testing.T, name string, data []byte, o PrintOptions) string {
	t.Helper()
	var b strings.Builder
	need.Must(t, spec(t, name).WriteYAML(&b, data, o))
	return b.String()
}

func spec(t *testing.T, name string) *Spec {
	t.Helper()
	s, err := Parse(name, MustType(name).Definition)
	need.Must(t, err)
	return s
}

func TestYAMLOptions(t *testing.T) {
	data := Marshal(samples()["realsense_msgs/ImuIntrinsic"])
	for want, o := range map[string]PrintOptions{
		"data: [0.10000000149011612, 1.0] # and 10 more\nnoise_variances: [0.0, 0.0] # and 1 more\nbias_variances: [2.0, 0.0] # and 1 more\n":                        {MaxArray: 2},
		"data: \"<array type: float32, length: 12>\"\nnoise_variances: \"<array type: float32, length: 3>\"\nbias_variances: \"<array type: float32, length: 3>\"\n": {OmitArrays: true},
	} {
		if got := yaml(t, "realsense_msgs/ImuIntrinsic", data, o); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	got := yaml(t, "dynamic_reconfigure/Config", Marshal(&Config{Ints: []Param[int32]{{"a", 1}, {"b", 2}}}), PrintOptions{MaxArray: 1, OmitStrings: true})
	if want := "bools: []\nints: \n  - \n    name: \"<string length: 1>\"\n    value: 1\n  # and 1 more\nstrs: []\ndoubles: []\ngroups: []\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestJSON(t *testing.T) {
	for name, m := range samples() {
		var b strings.Builder
		need.Must(t, spec(t, name).WriteJSON(&b, Marshal(m), PrintOptions{}))
		if !json.Valid([]byte(b.String())) {
			t.Errorf("%s: invalid JSON: %s", name, b.String())
		}
	}
	var b strings.Builder
	data := Marshal(&ImageHead{Header: Header{Seq: 1, Stamp: NewTime(2, 3), FrameID: "f"}, Height: 1, Width: 3, Encoding: "8UC1", Step: 3, DataLen: 3})
	need.Must(t, spec(t, "sensor_msgs/Image").WriteJSON(&b, append(data, 1, 2, 3), PrintOptions{}))
	want := `{"header":{"seq":1,"stamp":{"secs":2,"nsecs":3},"frame_id":"f"},"height":1,"width":3,"encoding":"8UC1","is_bigendian":0,"step":3,"data":"AQID"}`
	if b.String() != want {
		t.Errorf("got %s", b.String())
	}
}

// TestTree checks that bytes are numbers and that a truncated array has the number of
// omitted elements.
func TestTree(t *testing.T) {
	var b strings.Builder
	data := Marshal(&ImageHead{Encoding: "8UC1", Width: 4, Step: 4, DataLen: 4})
	need.Must(t, spec(t, "sensor_msgs/Image").WriteJSON(&b, append(data, 7, 8, 9, 10), PrintOptions{Tree: true, MaxArray: 3}))
	if want := `"data":[7,8,9,{"…":1}]}`; !strings.HasSuffix(b.String(), want) || !json.Valid([]byte(b.String())) {
		t.Errorf("got %s, want … %s", b.String(), want)
	}
	big, err := Parse("a/Big", "int64 small\nint64 low\nuint64[] high\nfloat64 latitude\nfloat32 units\n")
	need.Must(t, err)
	var e Encoder
	e.I64(-1)
	e.I64(math.MinInt64)
	e.Len(2)
	e.U64(9007199254740993)
	e.U64(7)
	e.F64(48.137154321)
	e.F32(0.001)
	b.Reset()
	need.Must(t, big.WriteJSON(&b, e.B, PrintOptions{Tree: true}))
	if want := `{"small":-1,"low":{"#":"-9223372036854775808"},"high":[{"#":"9007199254740993"},7],"latitude":48.137154321,"units":0.001}`; b.String() != want {
		t.Errorf("got %s, want %s", b.String(), want)
	}
}

func TestShiftStamps(t *testing.T) {
	tf := TFMessage{[]TransformStamped{
		{Header: Header{Stamp: NewTime(10, 900_000_000), FrameID: "a"}, ChildFrameID: "b"},
		{Header: Header{Stamp: 0}},
		{Header: Header{Stamp: NewTime(1, 0)}},
	}}
	data := Marshal(&tf)
	n, err := spec(t, "tf2_msgs/TFMessage").ShiftStamps(data, 200_000_000)
	if err != nil || n != 2 {
		t.Fatalf("shifted %d stamps, %v", n, err)
	}
	var got TFMessage
	need.Must(t, Unmarshal(data, &got))
	for i, want := range []Time{NewTime(11, 100_000_000), 0, NewTime(1, 200_000_000)} {
		if got.Transforms[i].Header.Stamp != want {
			t.Errorf("stamp %d is %d, want %d", i, got.Transforms[i].Header.Stamp, want)
		}
	}
	for name, want := range map[string]int{"std_msgs/String": 0, "std_msgs/Header": 1, "sensor_msgs/CameraInfo": 1, "diagnostic_msgs/DiagnosticArray": 1} {
		data := Marshal(samples()[name])
		s := spec(t, name)
		if n, err := s.ShiftStamps(data, -1); err != nil || n != want {
			t.Errorf("%s: shifted %d stamps, %v", name, n, err)
		}
		if stamp, ok := s.Stamp(data); ok != (want == 1 && name != "std_msgs/Header") || ok && stamp != NewTime(1700000000, 122) {
			t.Errorf("%s: stamp %d %v", name, stamp, ok)
		}
		first := binary.LittleEndian.Uint32(data)
		if seq, ok := s.Seq(data); ok != (want == 1 && name != "std_msgs/Header") || ok && seq != first {
			t.Errorf("%s: number %d %v", name, seq, ok)
		}
	}
}

// BenchmarkShiftImage shows that the time doesn't depend on pixels.
func BenchmarkShiftImage(b *testing.B) {
	data := Marshal(&ImageHead{Header: Header{Stamp: 1}, Encoding: "rgb8", DataLen: 1280 * 720 * 3})
	data = append(data, make([]byte, 1280*720*3)...)
	typ := MustType("sensor_msgs/Image")
	s, err := Parse(typ.Name, typ.Definition)
	need.Must(b, err)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.ShiftStamps(data, 1); err != nil {
			b.Fatal(err)
		}
	}
}
