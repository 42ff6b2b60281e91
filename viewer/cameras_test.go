package viewer

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/camdriver/sim"
	"rsros/record"
	"rsros/test/need"
	"rsros/test/rig"
	"rsros/test/samplebag"
	"rsros/test/visitor"
)

// The cameras of a recording are shown together and have one position, also where one began later. What a viewer
// records of it has all of them.
func TestCamerasOfRecording(t *testing.T) {
	dir := t.TempDir()
	bag := samplebag.Cameras(t, "front/depth.raw@3", "front/color.jpeg@3", "robot1/wrist/depth.png", "robot1/wrist/color.raw",
		"front/depth.tf", "robot1/wrist/depth.tf")
	_, v, hello := start(t, Options{RecordDir: dir}, bag)
	source := hello["source"].(object)
	ids := streams(source)
	want := []string{"front/Color_0", "front/Depth_0", "robot1/wrist/Color_0", "robot1/wrist/Depth_0"}
	if got := slices.Sorted(maps.Keys(ids)); !slices.Equal(got, want) || source["kind"] != "file" {
		t.Fatalf("streams %v of %v", got, source)
	}
	for _, s := range source["streams"].([]any) {
		s := s.(object)
		place, ok := s["place"].(object)
		want := map[any]float64{"front": 0, "robot1/wrist": 0.2}[s["camera"]]
		if ok != (s["name"] == "Depth_0") || ok && math.Abs(place["translation"].([]any)[0].(float64)-want) > 1e-9 {
			t.Errorf("%s of %s is at %v", s["name"], s["camera"], place)
		}
	}
	var sensors []string
	for i, s := range source["sensors"].([]any) {
		s := s.(object)
		sensors = append(sensors, fmt.Sprint(s["camera"]))
		if s["id"] != float64(i) {
			t.Errorf("sensor %d is %v", i, s)
		}
	}
	if sensors = slices.Compact(sensors); !slices.Equal(sensors, []string{"front", "robot1/wrist"}) {
		t.Errorf("sensors of %v", sensors)
	}
	v.Must("pause", nil)
	for _, id := range ids {
		v.Subscribe(id)
	}
	// Frames of both cameras at one position: wrist's sixth is front's third, which has waited 0.3 s.
	const interval = 100 * time.Millisecond
	at := 5*interval + time.Nanosecond
	v.Must("seek", object{"time": fmt.Sprint(int64(at + interval/2))})
	pixels := map[uint16]byte{}
	for len(pixels) < len(ids) {
		v.Await(func(m visitor.Message) bool {
			if m.Fields == nil && time.Duration(m.Head.Time) > at-interval/2 {
				if got := time.Duration(m.Head.Time); got > at+interval/2 {
					t.Errorf("stream %d is at %v, want %v", m.Head.Stream, got, at)
				}
				pixels[m.Head.Stream] = m.Body[0]
			}
			return m.Fields == nil
		})
	}
	for name, id := range ids {
		v := samplebag.CameraValue(name[:strings.LastIndexByte(name, '/')])
		if want := map[bool]byte{true: v, false: byte(10 * int(v))}[strings.HasSuffix(name, "Color_0")]; pixels[id] != want {
			t.Errorf("%s has pixels of %d, want %d", name, pixels[id], want)
		}
	}
	if m := v.Must("seek", object{"time": "0"}); m["position"] != "400000999" { // the end of front's first set
		t.Errorf("the beginning is paused at %v", m)
	}
	for _, device := range []string{"/device_0", "/device_1"} { // of each camera a Foxglove client has the same topics
		foxgloveBeside(t, v).AwaitChannel(device + "/sensor_1/Depth_0/image/data")
	}
	v.Must("record.start", object{"name": "again"})
	v.Must("seek", object{"time": "0"})
	v.Must("play", nil)
	v.Await(func(m visitor.Message) bool { return m.Op == "state" && m.Fields["ended"] == true })
	v.Must("record.stop", nil)
	files, err := rsbag.OpenAll(filepath.Join(dir, "again.bag"), rsbag.Options{})
	need.Must(t, err)
	defer files[0].Close() //nolint:errcheck // it was read
	for _, f := range files {
		if n := f.Frames(camdriver.DepthStream); len(files) != 2 || len(f.Camera().Streams) != 2 || n < 3 {
			t.Errorf("%d cameras, of which %+v has %d depth frames", len(files), f.Camera(), n)
		}
	}
}

// attachSim attaches a simulated camera that has a recorder of its own.
func attachSim(t *testing.T, s *Server, name, dir string) camdriver.Device {
	t.Helper()
	d, err := sim.Open(sim.Options{StreamMemory: 1 << 20, Serial: name})
	need.Must(t, err)
	profiles, err := smallStreams(d.Sensors())
	need.Must(t, err)
	r := Running{ID: name, Name: name, Device: d, Profiles: profiles, Hub: new(camdriver.Hub), RecordDir: dir}
	r.Records, r.Frozen = new(record.Camera), new(atomic.Bool)
	source := record.Source{Hub: r.Hub, Device: d, Profiles: profiles, Now: time.Now}
	r.Records.Serve(source, record.Options{}, dir, s.o.Log)
	s.Attach(r)
	t.Cleanup(func() { // after the server
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		need.Must(t, r.Records.Close())
	})
	need.Must(t, camdriver.StartSensors(d, profiles, r.Hub))
	return d
}

// Live cameras are shown together. An option and a recording are those of one camera, or the recordings of all.
func TestLiveCameras(t *testing.T) {
	s, v, _ := start(t, Options{}, "")
	dir := t.TempDir()
	front := attachSim(t, s, "front", dir)
	rear := attachSim(t, s, "rear", dir)
	var source object
	for source == nil || source["device"] != allDevices {
		source, _ = v.Text("source")["source"].(object)
	}
	ids := streams(source)
	v.Subscribe(ids["rear/Depth_0"])
	v.Await(func(m visitor.Message) bool { return m.Fields == nil && m.Head.Stream == ids["rear/Depth_0"] })
	power := func(d camdriver.Device) float32 {
		o, _ := d.Sensors()[0].Option(camdriver.OptionLaserPower)
		return o.Value
	}
	sensor := slices.IndexFunc(source["sensors"].([]any), func(s any) bool { return s.(object)["camera"] == "rear" })
	v.Send("option", object{"id": -1, "sensor": sensor, "option": "Laser Power", "value": 90})
	v.Await(func(m visitor.Message) bool { return m.Op == "option" && m.Fields["sensor"] == float64(sensor) })
	if power(front) == 90 || power(rear) != 90 {
		t.Errorf("laser power %v and %v", power(front), power(rear))
	}

	on := func(front, rear bool) {
		t.Helper()
		r := visitor.DialViewer(t, v.Page).Text("hello")["record"].(object)
		list, _ := r["cameras"].([]any)
		if len(list) != 2 || r["on"] != (front || rear) {
			t.Fatalf("record %v, want front %v, rear %v", r, front, rear)
		}
		for i, want := range []bool{front, rear} {
			if c := list[i].(object); c["camera"] != []string{"front", "rear"}[i] || c["on"] != want {
				t.Errorf("camera %d is %v", i, c)
			}
		}
	}
	v.Must("record.start", object{"name": "one", "camera": "rear"})
	on(false, true)
	if m := v.Must("record.start", object{"name": "both"}); m["file"] != "both_front.bag" { // rear goes on with its own
		t.Errorf("recording %v", m)
	}
	on(true, true)
	v.Must("record.stop", object{"camera": "rear"})
	on(true, false)
	v.Must("record.stop", nil)
	on(false, false)
	if m := v.Must("record.start", object{"name": "walk"}); m["file"] != "walk_front.bag, walk_rear.bag" {
		t.Errorf("recording %v", m)
	}
	v.Must("record.stop", nil)
	for _, name := range []string{"one", "both_front", "walk_front", "walk_rear"} {
		rig.CheckTake(t, filepath.Join(dir, name+".bag"))
	}
	for _, wrong := range []object{{"camera": "left"}, {}} {
		if m, ok := v.Ask("record.stop", wrong); ok {
			t.Errorf("stopped %v: %v", wrong, m)
		}
	}
	v.Send("open", object{"id": -1, "device": "front"})
	for source["device"] != "front" || len(source["streams"].([]any)) != len(ids)/2 {
		source = v.Text("source")["source"].(object)
	}
}
