package msgs

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"testing"
	"time"

	"rsros/test/need"
)

// structs has a message of each struct, its type, and the bytes after a head (pixels,
// points).
func structs() []struct {
	typ  string
	m    Message
	tail []byte
} {
	h := Header{Seq: 7, Stamp: NewTime(1700000000, 123), FrameID: "camera \"é\"\n\\"}
	v := Vector3{1, -2.5, 1e-7}
	q := Quaternion{4, 5, 6, 7}
	odd := Transform{Vector3{1e16, 123456789012345, 0.1}, Quaternion{math.Inf(1), math.Inf(-1), math.NaN(), 0}}
	cfg := Config{Bools: []Param[bool]{{"b", true}}, Ints: []Param[int32]{{"i", -5}}, Strs: []Param[string]{{"s", "x"}},
		Doubles: []Param[float64]{{"d", 0.1}}, Groups: []GroupState{{"g", true, 1, 2}}}
	return []struct {
		typ  string
		m    Message
		tail []byte
	}{
		{"std_msgs/Header", &h, nil},
		{"std_msgs/String", &String{"s"}, nil},
		{"std_msgs/UInt32", &UInt32{4}, nil},
		{"std_msgs/Float32", &Float32{0.5}, nil},
		{"std_msgs/Float64", &Float64{0.25}, nil},
		{"std_msgs/Bool", &Bool{true}, nil},
		{"geometry_msgs/Vector3", &v, nil},
		{"geometry_msgs/Quaternion", &q, nil},
		{"geometry_msgs/Transform", &Transform{v, q}, nil},
		{"geometry_msgs/Pose", &Transform{v, q}, nil},
		{"geometry_msgs/TransformStamped", &TransformStamped{h, "c", Transform{v, q}}, nil},
		{"geometry_msgs/Twist", &Twist{v, v}, nil},
		{"geometry_msgs/Accel", &Twist{v, v}, nil},
		{"nav_msgs/Odometry", &Odometry{Header: h, ChildFrameID: "c", Pose: Transform{v, q}, Twist: Twist{v, v}}, nil},
		{"nav_msgs/OccupancyGrid", &OccupancyGridHead{h, NewTime(4, 5), 0.05, 3, 2, Transform{v, q}, 6}, make([]byte, 6)},
		{"tf2_msgs/TFMessage", &TFMessage{[]TransformStamped{{h, "c", Transform{v, q}}, {Transform: odd}}}, nil},
		{"sensor_msgs/Image", &ImageHead{h, 2, 3, "mono8", false, 3, 6}, make([]byte, 6)},
		{"sensor_msgs/CameraInfo", &CameraInfo{Header: h, Height: 1, Width: 2, DistortionModel: "m", D: []float64{0.5, 0, 1},
			K: [9]float64{1}, R: [9]float64{2}, P: [12]float64{3}, BinningX: 4, BinningY: 5, ROI: RegionOfInterest{1, 2, 3, 4, true}}, nil},
		{"sensor_msgs/Imu", &Imu{Header: h, Orientation: q, AngularVelocity: v, LinearAcceleration: v, LinearCovariance: [9]float64{1}}, nil},
		{"sensor_msgs/TimeReference", &TimeReference{h, NewTime(5, 6), "src"}, nil},
		{"sensor_msgs/PointCloud2", &PointCloudHead{h, 1, 1, []PointField{{"x", 0, PointFloat32, 1}}, false, 4, 4, 4}, make([]byte, 5)},
		{"diagnostic_msgs/KeyValue", &KeyValue{"k", "v"}, nil},
		{"diagnostic_msgs/DiagnosticArray", &DiagnosticArray{h, []DiagnosticStatus{{2, "n", "m", "h", []KeyValue{{"k", "v"}, {"", ""}}}, {Message: "none"}}}, nil},
		{"rosgraph_msgs/Clock", &Clock{NewTime(8, 9)}, nil},
		{"rosgraph_msgs/Log", &Log{h, LogWarn, "n", "m", "f", "fn", 12, []string{"/a", "/b"}}, nil},
		{"rosgraph_msgs/TopicStatistics", &TopicStatistics{"/t", "", "/s", NewTime(5, 0), NewTime(6, 999999999), -1, 0, math.MaxInt32,
			[3]Duration{-1400000002, -700000001, 0}, [3]Duration{700000001, 1400000002, 2100000003}}, nil},
		{"roscpp/Logger", &Logger{"n", "info"}, nil},
		{"roscpp/GetLoggersResponse", &Loggers{[]Logger{{"n", "info"}}}, nil},
		{"std_srvs/TriggerResponse", &Result{true, "m"}, nil},
		{"dynamic_reconfigure/Config", &cfg, nil},
		{"dynamic_reconfigure/ConfigDescription", &ConfigDescription{[]Group{{"g", "t",
			[]ParamDescription{{"p", "int", 1, "d", "e"}}, 1, 2}}, cfg, cfg, cfg}, nil},
		{"realsense_msgs/StreamInfo", &StreamInfo{30, "mono16", true}, nil},
		{"realsense_msgs/ImuIntrinsic", &ImuIntrinsic{Data: [12]float32{0.1, 1, 2}, BiasVariances: [3]float32{2}}, nil},
		{"realsense_msgs/Notification", &Notification{NewTime(1, 2), "c", "s", "d", "j"}, nil},
		{"realsense2_camera/Extrinsics", &Extrinsics{h, [9]float64{1}, [3]float64{2}}, nil},
		{"realsense2_camera/IMUInfo", &IMUInfo{"f", [12]float64{1}, [3]float64{2}, [3]float64{3}}, nil},
		{"realsense2_camera/Metadata", &Metadata{h, "{}"}, nil},
		{"realsense2_camera/DeviceInfoResponse", &DeviceInfo{"a", "b", "c", "d", "e", "f"}, nil},
	}
}

// anyType returns a message type or a half of a service.
func anyType(t *testing.T, name string) Type {
	t.Helper()
	if typ, ok := Lookup(name); ok {
		return typ
	}
	for _, s := range known().services {
		if s.Response.Name == name {
			return s.Response
		}
	}
	t.Fatalf("no type %s", name)
	return Type{}
}

// TestStructs encodes each struct, checks it against its definition, decodes it, and
// truncates it at every byte. Bytes after the message are ignored.
func TestStructs(t *testing.T) {
	for _, c := range structs() {
		t.Run(c.typ, func(t *testing.T) {
			head := Marshal(c.m)
			typ := anyType(t, c.typ)
			s, err := Parse(typ.Name, typ.Definition)
			need.Must(t, err)
			whole := append(head[:len(head):len(head)], c.tail...)
			if n, err := s.Size(append(whole[:len(whole):len(whole)], 1, 2, 3)); err != nil || n != len(whole) {
				t.Fatalf("size by definition is %d of %d bytes: %v", n, len(whole), err)
			}
			back := reflect.New(reflect.TypeOf(c.m).Elem()).Interface().(Message)
			if err := Unmarshal(head, back); err != nil || !bytes.Equal(Marshal(back), head) {
				t.Fatalf("decoded %+v, %v", back, err)
			}
			for cut := range head {
				if err := Unmarshal(head[:cut], back); !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("cut at %d: %v", cut, err)
				}
			}
			for cut := range whole {
				if err := s.Check(whole[:cut]); !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("cut at %d of %d: %v", cut, len(whole), err)
				}
				if err := s.WriteYAML(io.Discard, whole[:cut], PrintOptions{}); err == nil {
					t.Fatalf("cut at %d of %d was printed", cut, len(whole))
				}
			}
		})
	}
}

// FuzzStructs decodes arbitrary bytes into every struct.
func FuzzStructs(f *testing.F) {
	for i, c := range structs() {
		f.Add(uint8(i), Marshal(c.m))
	}
	f.Fuzz(func(t *testing.T, i uint8, data []byte) {
		all := structs()
		m := all[int(i)%len(all)].m
		if Unmarshal(data, m) != nil {
			return
		}
		out := Marshal(m)
		if len(out) > len(data) {
			t.Fatalf("%d bytes decoded, %d encoded", len(data), len(out))
		}
	})
}

func TestTime(t *testing.T) {
	for _, c := range []struct {
		ms        float64
		sec, nsec uint32
	}{
		{0, 0, 0}, {-1, 0, 0}, {math.NaN(), 0, 0}, {1.5, 0, 1_500_000},
		{1700000000033.25, 1700000000, 33_250_000}, {math.Inf(1), math.MaxUint32, 999_999_999},
	} {
		got := FromMillis(c.ms)
		if got.Sec() != c.sec || got.Nsec() != c.nsec {
			t.Errorf("%g ms is %d.%09d", c.ms, got.Sec(), got.Nsec())
		}
	}
	if d := NewTime(1700000000, 33_333_252).Millis(); math.Abs(d-1700000000033.3333) > 1e-3 {
		t.Errorf("millis %f", d)
	}
	if d := Duration(-1); d.Sec() != -1 || d.Nsec() != 999_999_999 || NewDuration(d.Sec(), d.Nsec()) != d {
		t.Errorf("duration %d %d", d.Sec(), d.Nsec())
	}
	now := time.Unix(12, 34)
	if FromTime(now) != NewTime(12, 34) || !FromTime(now).Time().Equal(now) || FromTime(time.Time{}) != 0 {
		t.Error("FromTime")
	}
}
