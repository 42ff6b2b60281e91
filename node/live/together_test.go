package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/program"
	"rsros/record"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
	"rsros/test/samplebag"
)

var driftText = regexp.MustCompile(`drift ([-+.0-9]+) ppm ± ([.0-9]+) ppm`)

// driftOf returns the drift that a recording states for a device's first sensor, and its standard error.
func driftOf(t *testing.T, f *rsbag.File) (drift, deviation float64) {
	t.Helper()
	for _, kv := range f.Additional() {
		if m := driftText.FindStringSubmatch(kv.Value); m != nil {
			drift, _ = strconv.ParseFloat(m[1], 64)
			deviation, _ = strconv.ParseFloat(m[2], 64)
			return drift, deviation
		}
	}
	t.Fatalf("no clock in %+v", f.Additional())
	return 0, 0
}

// TestRecordTogether checks that two cameras with clocks that drift differently, and two topics, are in
// one recording: each camera with its own description, frames and drift, all in the order in which they
// arrived, and that either camera plays from it.
func TestRecordTogether(t *testing.T) {
	dir := t.TempDir()
	live, n := startTestLive(t, Options{
		Devices: []string{"sim:1", "sim:2"}, Cameras: []string{"front", "back"}, Together: true, RecordPath: dir + "/",
		Recording: recordTopics("/odom", "/map", "/silent"),
		ROS:       ros.Config{PrivateParams: graph.Params{"front": map[string]any{"clock_drift": 4000.0, "seed": 1}, "back": map[string]any{"clock_drift": 9000.0, "seed": 2}}},
	})
	advertise := func(topic string, latch bool) *ros.Publisher {
		p, err := n.Advertise(ros.PublisherOptions{Topic: topic, Type: msgs.MustType("std_msgs/UInt32"), Latch: latch})
		need.Must(t, err)
		return p
	}
	odom := advertise("/odom", false)
	advertise("/map", true).Publish(msgs.Raw{Head: []byte{7, 0, 0, 0}})
	_, path, _ := strings.Cut(rig.Trigger(t, n, "/camera_node/start_recording"), "recording into ")
	peer.Await(t, "the recorder", func() bool { return odom.Subscribers() == 1 })
	const sent = 100
	for i := range uint32(sent) {
		tick := time.NewTimer(60 * time.Millisecond)
		odom.Publish(msgs.Raw{Head: binary.LittleEndian.AppendUint32(nil, i)})
		<-tick.C
	}
	rig.Trigger(t, n, "/camera_node/split_recording")
	peer.Await(t, "the second file", func() bool { return len(live.RecordFigures()[0].Paths) == 2 })
	figures := live.RecordFigures()
	for _, want := range []string{"front/Depth_0", "back/Depth_0", "/odom", "/silent"} {
		if len(figures) != 1 || !slices.ContainsFunc(figures[0].Rows, func(r record.Row) bool { return r.Name == want }) {
			t.Errorf("no %s in %+v", want, figures)
		}
	}
	rig.Trigger(t, n, "/camera_node/stop_recording")
	if last := live.LastRecording(); last.Dropped+last.Lost > 0 || last.Messages < sent+1 {
		t.Errorf("%+v", last)
	}

	for number, want := range []float64{4000, 9000} {
		f, err := rsbag.Open(path, rsbag.Options{Camera: fmt.Sprint(number)})
		need.Must(t, err)
		defer f.Close()
		if got := camdriver.Find(f.Snapshot().Info, camdriver.InfoSerialNumber); got != strconv.Itoa(number+1) {
			t.Errorf("device %d has serial number %s", number, got)
		}
		if frames := f.Frames(camdriver.DepthStream); frames < 30 {
			t.Errorf("device %d has %d frames", number, frames)
		}
		if drift, deviation := driftOf(t, f); math.Abs(drift-want) > 200+6*deviation {
			t.Errorf("device %d: drift %.0f ± %.0f, want %.0f", number, drift, deviation, want)
		}
		_, damaged, why := f.Gaps()
		if damaged > 0 {
			t.Errorf("device %d: %d messages: %v", number, damaged, why)
		}
		played, err := OpenSource(t.Context(), SourceOptions{Device: path, Recorded: fmt.Sprint(number)})
		need.Must(t, err)
		if got := camdriver.Find(played.Info(), camdriver.InfoSerialNumber); got != strconv.Itoa(number+1) {
			t.Errorf("device %d plays as %s", number, got)
		}
		played.Close() //nolint:errcheck // nothing was played
	}
	if _, err := OpenSource(t.Context(), SourceOptions{Device: path, Recorded: "2"}); !errors.Is(err, rsbag.ErrCamera) {
		t.Errorf("a third device: %v", err)
	}
	numbers, maps := besides(t, path)
	for i := range uint32(sent) {
		if i >= uint32(len(numbers)) || numbers[i] != i {
			t.Fatalf("messages %v", numbers)
		}
	}
	if maps != 1 {
		t.Errorf("%d maps", maps)
	}
	// The second file has the latched message, too.
	if _, maps := besides(t, strings.TrimSuffix(path, ".bag")+"_1.bag"); maps != 1 {
		t.Errorf("the second file has %d maps", maps)
	}
}

// besides returns the numbers on /odom of a recording, in order of time, and how many messages /map has.
func besides(t *testing.T, path string) (numbers []uint32, maps int) {
	t.Helper()
	b := samplebag.Open(t, path)
	for m, err := range b.View(bagstore.Query{Connections: func(c *bagstore.Connection) bool { return c.Topic == "/odom" || c.Topic == "/map" }}).Messages() {
		need.Must(t, err)
		if m.Conn.Topic == "/map" {
			maps++
		} else {
			numbers = append(numbers, binary.LittleEndian.Uint32(m.Data))
		}
	}
	return numbers, maps
}

// TestTogetherRefused checks what one recording can't be.
func TestTogetherRefused(t *testing.T) {
	for name, o := range map[string]Options{
		"topics of several recordings": {Devices: []string{"sim:1", "sim:2"}, Recording: recordTopics("/odom")},
		"a .db3 of two":                {Devices: []string{"sim:1", "sim:2"}, Together: true, Record: filepath.Join(t.TempDir(), "x.db3")},
		"topics in a .db3":             {Devices: []string{"sim"}, Record: filepath.Join(t.TempDir(), "x.db3"), Recording: recordTopics("/odom")},
	} {
		if _, err := o.each(nil, nil); !errors.Is(err, program.ErrUsage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	some := graph.Params{"back": map[string]any{"record_together": true}}
	if _, err := (Options{Devices: []string{"sim:1", "sim:2"}, Cameras: []string{"front", "back"}}).each(nil, some); !errors.Is(err, program.ErrUsage) {
		t.Errorf("one of two cameras recorded together: %v", err)
	}
	live, n := startTestLive(t, Options{RecordPath: t.TempDir() + "/", Recording: recordTopics("/device_0/info")})
	var answer msgs.Result
	ask(t, n, "/camera_node/start_recording", "std_srvs/Trigger", nil, &answer)
	if answer.Success || !strings.Contains(answer.Message, rsbag.ErrReserved.Error()) {
		t.Errorf("a topic of the layout: %s", fmt.Sprint(answer))
	}
	if live.cameras[0].records.Current() != nil {
		t.Error("it records all the same")
	}
}

func recordTopics(names ...string) record.Options { return record.Options{Topics: names} }

// TestTogetherFromStart checks that --record records all cameras that are connected, however long each takes to start,
// and goes on without one that is plugged in later, which is in the next recording.
func TestTogetherFromStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "walk.mcap") // which what ~start_recording records is, too
	_, n := startTestLive(t, Options{
		Devices: []string{"sim:1", "sim:2", "sim:3"}, Cameras: []string{"front", "back", "late"}, Together: true,
		Record: path, RecordPath: t.TempDir() + "/", Source: SourceOptions{Wait: -1, Retry: 10 * time.Millisecond},
		ROS: ros.Config{PrivateParams: graph.Params{"late": map[string]any{"unplugged": true}, "back": map[string]any{"initial_reset": true}}},
	})
	var image msgs.ImageHead
	stream := func(cameras ...string) {
		t.Helper()
		for _, camera := range cameras {
			next(t, n, "/"+camera+"/depth/image_rect_raw", &image, func() bool { return image.Header.FrameID == camera+"_depth_optical_frame" })
		}
	}
	stream("front", "back")
	rig.SetBool(t, n, "/camera_node/late/plug", true)
	stream("late")
	rig.Trigger(t, n, "/camera_node/stop_recording")
	_, again, _ := strings.Cut(rig.Trigger(t, n, "/camera_node/start_recording"), "recording into ")
	stream("front", "back", "late")
	rig.Trigger(t, n, "/camera_node/stop_recording")
	for _, c := range []struct {
		path    string
		cameras int
	}{{path, 2}, {again, 3}} {
		if filepath.Ext(c.path) != ".mcap" {
			t.Errorf("recorded %s", c.path)
		}
		for number := range 3 {
			f, err := rsbag.Open(c.path, rsbag.Options{Camera: fmt.Sprint(number)})
			if number >= c.cameras {
				if !errors.Is(err, rsbag.ErrCamera) {
					t.Errorf("%s: device %d: %v", c.path, number, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s: device %d: %v", c.path, number, err)
			}
			if f.Frames(camdriver.DepthStream) == 0 {
				t.Errorf("%s has no frames of device %d", c.path, number)
			}
			f.Close()
		}
	}
}
