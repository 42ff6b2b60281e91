package orbbec

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/need"
)

// written returns a bag written by testdata/write.py.
func written(t *testing.T, args ...string) *bagstore.Bag {
	t.Helper()
	path := filepath.Join(t.TempDir(), "orbbec.bag")
	python := need.Python(t, "rosbag")
	if out, err := exec.Command(python, append([]string{"testdata/write.py", path}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := bagstore.Open(path, bagstore.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func TestOpen(t *testing.T) {
	b := written(t)
	if !Is(b) {
		t.Fatal("the layout isn't recognized")
	}
	r := Open(b)
	if len(r.Notes) > 0 || r.DepthUnit != 0.00025 {
		t.Errorf("a unit of depth is %v m; %q", r.DepthUnit, r.Notes)
	}
	facts := map[string]string{}
	for _, f := range r.Device {
		facts[f.Name] = f.Value
	}
	if facts["Full Name"] != "Orbbec Gemini 335" || facts["Product Id"] != "0800" || facts["Connection"] != "USB3.2" {
		t.Errorf("device %v", facts)
	}
	depth, color, gyro := r.Stream("/cam/sensor_3/frameType_3"), r.Stream("/cam/sensor_2/frameType_2"), r.Stream("/cam/sensor_5/frameType_7")
	want := Profile{Format: "Z16", Width: 4, Height: 3, FPS: 30, Intrinsics: [4]float32{2.5, 2.75, 2, 1.5}, Model: "Brown Conrady", ToColour: &[12]float32{0: 1, 4: 1, 8: 1, 9: -15, 10: 0.5, 11: 2}}
	if depth.Name != "Depth" || depth.Frames != 6 || !reflect.DeepEqual(*depth.Profile, want) {
		t.Errorf("depth is %+v, %+v", depth, depth.Profile)
	}
	want = Profile{Format: "MJPG", Width: 640, Height: 480, FPS: 30, Intrinsics: [4]float32{600, 601, 320, 240}, Distortion: [8]float32{0.1, -0.2, 0.3, 0, 0, 0, 0.01, 0.02}, Model: "Brown Conrady K6"}
	if color.Name != "Color" || color.Frames != 3 || !reflect.DeepEqual(*color.Profile, want) {
		t.Errorf("colour is %+v, %+v", color, color.Profile)
	}
	if gyro.Name != "Gyro" || gyro.Frames != 5 || gyro.Profile != nil {
		t.Errorf("the gyroscope is %+v", gyro)
	}
}

func TestFrames(t *testing.T) {
	b := written(t)
	images, samples := 0, 0
	for m, err := range b.View(bagstore.Query{}).Messages() {
		if err != nil {
			t.Fatal(err)
		}
		switch m.Conn.Topic {
		case "/cam/sensor_3/frameType_3":
			i := uint64(images)
			f := Frame{Number: i + i/3, Device: 100_000_000 + 33_000*i}
			f.System, f.Global = 1_700_000_000_000_000+f.Device, 1_700_000_000_500_000+f.Device
			got, err := DecodeImage(m.Data)
			if err != nil || got.Frame != f && i < 6 || got.Encoding != "z16" || len(got.Data) != 24 || got.Data[22] != byte(1000*i+11) || string(got.Metadata) != "meta" || got.Bits != 16 {
				t.Errorf("image %d: %+v, %v, want %+v", i, got, err, f)
			}
			images++
			// Before 2.4.8 the last field was missing.
			if got, err = DecodeImage(m.Data[:len(m.Data)-1]); err != nil || got.Bits != 0 {
				t.Errorf("an older image: %v", err)
			}
			if _, err = DecodeImage(m.Data[:len(m.Data)-2]); err == nil {
				t.Error("a short image is read")
			}
		case "/cam/sensor_5/frameType_7":
			got, err := DecodeMotion(m.Data)
			if err != nil || got.Gyro != [3]float64{0.5, -1.25, float64(samples)} || got.Temperature != 36.5 || got.Number != uint64(samples) || got.Global != 0 {
				t.Errorf("sample %d: %+v, %v", samples, got, err)
			}
			samples++
		}
	}
	if images != 6 || samples != 5 {
		t.Errorf("%d images, %d samples", images, samples)
	}
}

// Missing frame numbers are notes; messages that don't match their topic are damage.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		args            []string
		frames, damaged uint64
		missing         uint64
		why             string
	}{
		{nil, 14, 0, 3, ""}, {[]string{"damaged"}, 13, 1, 4, "/cam/sensor_3/frameType_3: image: 5 bytes after the last field"},
	} {
		b := written(t, c.args...)
		check := NewChecker(b)
		for m, err := range b.View(bagstore.Query{}).Messages() {
			if err != nil {
				t.Fatal(err)
			}
			check.Message(m)
		}
		if r := check.Report(); r.Frames != c.frames || r.Damaged != c.damaged || r.Missing != c.missing || r.Why != c.why {
			t.Errorf("%q: %+v", c.args, r)
		}
	}
}

func TestParseTopic(t *testing.T) {
	for name, want := range map[string]string{
		"/cam/sensor_3/frameType_3": "1 3", "/cam/sensor_5/frameType_7": "2 5", "/cam/sensor_10/frameType_12": "3 10", "/cam/streamProfileType_6": "5 6", "/cam/streamProfileType_4": "6 4",
		"/cam/property": "7 0", "/cam/deviceInfo": "4 0", "/cam/disparityParam": "8 0", "/cam/sensor_3": "0 0", "/cam/sensor_/frameType_3": "0 0", "/cam/sensor_999/frameType_3": "0 0",
		"/camera/property": "0 0", "/cam/": "0 0", "/cam/streamProfileType_x": "0 0", "/cam/3/frameType_3": "0 0",
	} {
		if kind, sensor := parseTopic(name); fmt.Sprint(kind, sensor) != want {
			t.Errorf("%s: %d %d, want %s", name, kind, sensor, want)
		}
	}
}

// The pixel format of depth images is taken from the camera's settings.
func TestDepthUnit(t *testing.T) {
	for _, c := range []struct {
		set  []property
		unit float64
		note string
	}{
		{nil, 0, "doesn't say"}, {[]property{{75, []byte{4, 0, 0, 0}}}, 0.0002, ""}, {[]property{{176, []byte{0, 0, 0, 63}}, {75, []byte{0, 0, 0, 0}}}, 0.0005, ""},
		{[]property{{75, []byte{200, 0, 0, 255}}}, 0, "doesn't say"}, {[]property{{176, []byte{0, 0, 192, 127}}}, 0, "doesn't say"}, {[]property{{75, []byte{0, 0, 0, 0}}, {85, []byte{0}}}, 0, "disparity"},
	} {
		r := &Recording{Streams: []Stream{{Sensor: depthSensor}}}
		var d describer
		for _, p := range c.set {
			d.property(p)
		}
		d.depth(r)
		if r.DepthUnit != c.unit || !strings.Contains(strings.Join(r.Notes, ""), c.note) || (len(r.Notes) > 0) != (c.note != "") {
			t.Errorf("%v: %v, %q, want %v", c.set, r.DepthUnit, r.Notes, c.unit)
		}
	}
}

func FuzzDecode(f *testing.F) {
	var e msgs.Encoder
	(&msgs.ImageHead{Width: 1, Height: 1, Encoding: "mono8", Step: 1, DataLen: 1}).Append(&e)
	e.Raw(make([]byte, 1+4+32+4+4+1))
	f.Add(e.B)
	f.Add(make([]byte, 16+37*8+4+4+8+4+24))
	f.Add(make([]byte, 16+2+48+6+48+1))
	f.Add(make([]byte, 16+12))
	f.Add(make([]byte, 16+100))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := DecodeImage(data); err == nil && len(m.Data) != int(m.DataLen) {
			t.Fatalf("%d bytes of %d", len(m.Data), m.DataLen)
		}
		_, _ = DecodeMotion(data)
		_, _ = decodeDevice(data)
		_, _ = decodeVideoProfile(data)
		_, _ = decodeProperty(data)
	})
}
