package rslayout

import (
	"math"
	"slices"
	"testing"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/test/need"
)

func TestParseMetadata(t *testing.T) {
	m, err := ParseNodeMetadata(`{"frame_number":7,"clock_domain":"global_time","frame_timestamp":1700000000000.250000,"hw_timestamp":12,"actual_fps":30000,"number_of_3d_vertices":5,"made_up":1,"gain_level":"high"}`)
	need.Must(t, err)
	slices.SortFunc(m.Values, func(a, b camdriver.MetadataValue) int { return int(a.Key) - int(b.Key) })
	slices.Sort(m.Unknown)
	want := []camdriver.MetadataValue{{Key: camdriver.MetaFrameTimestamp, Value: 12}, {Key: camdriver.MetaActualFps, Value: 30000}, {Key: metadataKeys()["number_of_3d_vertices"], Value: 5}}
	if m.Number != 7 || m.Domain != camdriver.GlobalTime || m.Timestamp != 1700000000000.25 || !slices.Equal(m.Values, want) || !slices.Equal(m.Unknown, []string{"gain_level", "made_up"}) {
		t.Errorf("%+v", m)
	}
	for _, text := range []string{
		``, `[]`, `null`, `{}`, `{"frame_number":-1,"clock_domain":"global_time","frame_timestamp":1}`, `{"frame_number":1,"clock_domain":"sundial","frame_timestamp":1}`,
		`{"frame_number":1,"clock_domain":"global_time"}`,
	} {
		if m, err := ParseNodeMetadata(text); err == nil {
			t.Errorf("%s: %+v", text, m)
		}
	}
}

func TestPair(t *testing.T) {
	prefix, from, to, ok := NodePair("/camera/camera/extrinsics/depth_to_infra2")
	if !ok || prefix != "/camera/camera/" || from.String() != "Depth_0" || to.String() != "Infrared_2" {
		t.Errorf("%q, %v, %v, %v", prefix, from, to, ok)
	}
	for _, topic := range []string{"/camera/extrinsics/depth", "/camera/depth_to_color", "/camera/extrinsics/left_to_right"} {
		if _, _, _, ok := NodePair(topic); ok {
			t.Errorf("%s is a pair of streams", topic)
		}
	}
}

func TestCalibration(t *testing.T) {
	want := camdriver.Extrinsics{Rotation: [9]float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, Translation: [3]float64{.1, .2, .3}}
	m := msgs.Extrinsics{Header: msgs.Header{FrameID: "depth_to_color_extrinsics"}, Rotation: camdriver.Transpose(want.Rotation), Translation: want.Translation}
	whole := msgs.Marshal(&m)
	for _, b := range [][]byte{whole, whole[len(whole)-96:]} { // of ROS 1, and of ROS 2, without a header
		if e, err := NodeExtrinsics(b); err != nil || e != want {
			t.Errorf("%v, %v", e, err)
		}
	}
	if _, err := NodeExtrinsics(whole[len(whole)-95:]); err == nil {
		t.Error("11 numbers are enough")
	}
	m.Translation[0] = math.NaN()
	if _, err := NodeExtrinsics(msgs.Marshal(&m)); err == nil {
		t.Error("a place that is no number")
	}
}

// TestUpdates checks options from dynamic_reconfigure, as in ROS 1.
func TestUpdates(t *testing.T) {
	c := msgs.Config{
		Bools:   []msgs.Param[bool]{{Name: "enable_auto_exposure", Value: true}},
		Ints:    []msgs.Param[int32]{{Name: "exposure", Value: 8500}, {Name: "filter_speed", Value: 2}},
		Doubles: []msgs.Param[float64]{{Name: "depth_units", Value: 0.001}},
		Strs:    []msgs.Param[string]{{Name: "json", Value: "x"}},
	}
	prefix, ok := UpdatedNode("/camera/stereo_module/parameter_updates")
	list, others, err := ParseUpdates("/camera/stereo_module/parameter_updates", msgs.Marshal(&c))
	want := []NodeOption{{"Stereo Module", camdriver.OptionEnableAutoExposure, 1}, {"Stereo Module", camdriver.OptionExposure, 8500}}
	if !ok || prefix != "/camera/" || err != nil || !slices.Equal(list, want) || others != 3 {
		t.Errorf("%q %v: %v, %d others, %v", prefix, ok, list, others, err)
	}
	for _, topic := range []string{"/move_base/parameter_updates", "/camera/stereo_module/parameter_descriptions", "/parameter_updates"} {
		if _, ok := UpdatedNode(topic); ok {
			t.Errorf("%s is the camera's", topic)
		}
	}
}

// event is a ParameterEvent with one parameter.
func event(kind uint8) []byte {
	var e msgs.Encoder
	e.Time(0)
	e.String("/camera/camera")
	e.Len(1)
	e.String("depth_module.exposure")
	e.U8(kind)
	e.Bool(true)
	e.I64(8500)
	e.F64(0.5)
	e.String("text")
	for range 4 {
		e.Len(0)
	}
	e.Len(1)
	e.String("one of a list")
	e.Len(0)
	e.Len(0)
	return e.B
}

func TestParameterEvent(t *testing.T) {
	for kind, want := range map[uint8]float32{parameterBool: 1, parameterInteger: 8500, parameterDouble: 0.5} {
		node, list, others, err := ParseParameterEvent(event(kind))
		if err != nil || node != "/camera/camera" || others != 0 || !slices.Equal(list, []NodeOption{{"Stereo Module", camdriver.OptionExposure, want}}) {
			t.Errorf("kind %d: %q %v, %d others, %v", kind, node, list, others, err)
		}
	}
	if _, list, others, err := ParseParameterEvent(event(4)); err != nil || len(list) != 0 || others != 1 {
		t.Errorf("a text: %v, %d others, %v", list, others, err)
	}
	b := event(parameterBool)
	for n := range b {
		if _, _, _, err := ParseParameterEvent(b[:n]); err == nil && n < len(b)-4 {
			t.Errorf("%d of %d bytes are read", n, len(b))
		}
	}
}

// FuzzNode checks that a hostile recording can only cause errors, and no allocation beyond the
// message's size.
func FuzzNode(f *testing.F) {
	f.Add(event(parameterBool))
	f.Add(event(parameterDouble))
	f.Add([]byte(`{"frame_number":7,"clock_domain":"global_time","frame_timestamp":1.5,"hw_timestamp":12}`))
	f.Add(msgs.Marshal(&msgs.Config{Ints: []msgs.Param[int32]{{Name: "exposure", Value: 1}}}))
	f.Add(msgs.Marshal(&msgs.Extrinsics{}))
	f.Add(msgs.Marshal(&msgs.IMUInfo{FrameID: "gyro"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, list, others, err := ParseParameterEvent(b); err != nil && (list != nil || others > 0) || (len(list)+others)*minParameter > len(b) {
			t.Errorf("%d options and %d others in %d bytes, %v", len(list), others, len(b), err)
		}
		if list, _, err := ParseUpdates("/camera/stereo_module/parameter_updates", b); err == nil && len(list)*5 > len(b) {
			t.Errorf("%d options in %d bytes", len(list), len(b))
		}
		_, _ = ParseNodeMetadata(string(b))
		_, _ = NodeExtrinsics(b)
		_, _ = NodeMotion(b)
		_, _, _, _ = NodePair(string(b))
	})
}
