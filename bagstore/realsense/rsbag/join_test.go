package rsbag

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/samplebag"
)

var odom = bagstore.Connection{Topic: "/odom", Type: "std_msgs/String", MD5: msgs.MustType("std_msgs/String").MD5,
	Definition: msgs.MustType("std_msgs/String").Definition, CallerID: "/robot"}

// recordTwo writes two devices and a topic, the second device from frame 2 on, with a pause of a second.
func recordTwo(t *testing.T, path string, o RecorderOptions) *Recorder {
	t.Helper()
	snap := testSnapshot()
	r := create(t, path, snap, o)
	var err error
	other := testSnapshot()
	other.Info[slices.IndexFunc(other.Info, func(i camdriver.Info) bool { return i.Key == camdriver.InfoSerialNumber })].Value = "other"
	other.Sensors[0].Options[0].Value = 12
	released := 0
	need.Must(t, r.Message(odom, testStart, msgs.Marshal(&msgs.String{Data: "first"}), func() { released++ }))
	var second *Recorder
	for i := range 10 {
		now := testStart.Add(time.Duration(i) * time.Second)
		if i == 2 {
			second, err = r.Join(1, other)
			need.Must(t, err)
		}
		if i == 5 {
			r.Pause()
		}
		if i == 6 {
			r.Resume()
		}
		for _, s := range snap.Streams {
			first := testFrame(s.Profile, i, now)
			first.Timestamp = 1e6 + float64(i)*1000
			need.Must(t, r.Frame(s.Sensor, first))
			if second != nil {
				f := testFrame(s.Profile, i, now.Add(3*time.Millisecond))
				f.Timestamp = 2e6 + float64(i)*(1000+0.05) // faster by 50 ppm
				need.Must(t, second.Frame(s.Sensor, f))
			}
		}
		need.Must(t, r.Message(odom, now.Add(time.Millisecond), msgs.Marshal(&msgs.String{Data: fmt.Sprint(i)}), func() { released++ }))
	}
	need.Must(t, second.Option(0, camdriver.OptionExposure, 77, testStart.Add(9*time.Second)))
	need.Must(t, second.Notification(0, camdriver.Notification{Category: camdriver.NotifyHardwareEvent, Description: "bump"}, testStart.Add(9*time.Second)))
	if err := r.Message(bagstore.Connection{Topic: "/device_3/sensor_0/info"}, testStart, nil, func() { released++ }); !errors.Is(err, ErrReserved) {
		t.Errorf("a topic of the layout: %v", err)
	}
	if _, err := r.Join(1, other); err == nil {
		t.Error("device 1 joined twice")
	}
	if _, err := r.Join(rslayout.MaxDevice+1, other); err == nil {
		t.Error("a device with a number that readers ignore joined")
	}
	t.Cleanup(func() {
		if released != 12 {
			t.Errorf("%d messages were released", released)
		}
	})
	return r
}

// TestJoin checks that a bag of two devices and a topic has both devices with their own descriptions and
// clocks on one time line, keeps the SDK's rules for the first, and is read by stock rosbag.
func TestJoin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	r := recordTwo(t, path, RecorderOptions{Clocks: true, Program: "test"})
	first := written(t, r, path, 0)
	second := written(t, r, path, 1)
	playable(t, path)
	for i, f := range []*File{first, second} {
		if len(f.Notes()) != 0 || f.Camera().device != i {
			t.Errorf("%s: notes %q", f.Camera().Name, f.Notes())
		}
		if start, ok := f.Start(); !ok || start.Sub(testStart) != -1000 {
			t.Errorf("device %d: start %v %v", i, start, ok)
		}
		for _, s := range f.summary(false).Sensors {
			if want := []string{"drift +0.000 ppm", "drift -50.000 ppm"}[i]; !clockText.MatchString(s.Clock) || !strings.Contains(s.Clock, want) {
				t.Errorf("device %d: clock %q", i, s.Clock)
			}
		}
	}
	if got := camdriver.Find(first.Snapshot().Info, camdriver.InfoSerialNumber); got != "0123" {
		t.Errorf("the first device has serial number %q", got)
	}
	if got := camdriver.Find(second.Snapshot().Info, camdriver.InfoSerialNumber); got != "other" {
		t.Errorf("the second device has serial number %q", got)
	}
	if o, _ := camdriver.FindOption(second.Snapshot().Sensors[0].Options, camdriver.OptionExposure); o.Value != 12 {
		t.Errorf("the second device has exposure %v", o.Value)
	}
	depth := id(camdriver.Depth, 0)
	if a, b := first.Frames(depth), second.Frames(depth); a != 9 || b != 7 {
		t.Errorf("%d and %d frames", a, b)
	}
	changes, notes := 0, 0
	c := second.Cursor(CursorOptions{})
	defer c.Close()
	for e, ok := c.Next(); ok; e, ok = c.Next() {
		if e.Option != nil && e.Option.Value == 77 {
			changes++
		}
		if e.Notification != nil {
			notes++
		}
		if e.Frame != nil && e.Frame.Stream() == depth && e.Frame.Number == 1002 && e.Time != 2*time.Second+3*time.Millisecond+1000 {
			t.Errorf("the first frame of the second device is at %v", e.Time)
		}
	}
	if changes != 1 || notes != 1 {
		t.Errorf("%d changes of options, %d notifications", changes, notes)
	}
	said := map[string]bagstore.Time{}
	for m, err := range first.Bag().View(bagstore.Query{Connections: func(c *bagstore.Connection) bool { return c.Topic == "/odom" }}).Messages() {
		need.Must(t, err)
		said[string(m.Data[4:])] = m.Time
	}
	if len(said) != 10 || said["first"] != firstFrame || said["9"] != firstFrame+8_001_000_000 { // 5 was in the pause
		t.Errorf("messages %v", said)
	}
}

// TestJoinForSDK checks that librealsense, which looks for topics with these expressions, finds nothing
// of further devices but in the file's duration.
func TestJoinForSDK(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	f := written(t, recordTwo(t, path, RecorderOptions{}), path, 0)
	sdk := regexp.MustCompile(`/device_\d+/sensor_\d+/option/.*/value|/device_\d+/sensor_\d+/notification/.*|/device_0/`)
	others := 0
	for _, c := range f.Bag().Connections() {
		if device, first := rslayout.FirstTopic(c.Topic); device == 1 {
			others++
			if sdk.MatchString(c.Topic) || rslayout.DeviceTopic(1, first) != c.Topic {
				t.Errorf("%s", c.Topic)
			}
		}
	}
	if others < 50 {
		t.Errorf("%d topics of the second device", others)
	}
}

// TestJoinSummary checks that info and check see both devices.
func TestJoinSummary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	bag := written(t, recordTwo(t, path, RecorderOptions{Clocks: true}), path, 0).Bag()
	s, err := Summarize(bag, true)
	need.Must(t, err)
	if len(s.Others) != 1 || s.Number != 0 || s.Others[0].Number != 1 || s.Others[0].Device["Serial Number"] != "other" {
		t.Errorf("%+v, want two devices", s)
	}
	c, err := NewChecker(bag)
	need.Must(t, err)
	defer c.Close()
	r := c.Report()
	// Both lack the frame of the pause, in each stream.
	if n := uint64(2 * len(testSnapshot().Streams)); r.Missing != n || r.Damaged != 0 || !strings.Contains(strings.Join(r.Notes, "\n"), "device_1: ") {
		t.Errorf("report %+v, want %d missing", r, n)
	}
	if _, err := Open(path, Options{Camera: "2"}); !errors.Is(err, ErrCamera) {
		t.Errorf("device 2: %v", err)
	}
}

// TestFirstTopic checks names that could be taken for those of a device.
func TestFirstTopic(t *testing.T) {
	for topic, want := range map[string]int{
		"/device_1/info": 1, "/device_0/info": 0, "/device_01/info": -1, "/device_1": -1, "/device_-1/info": -1, "/device_256/info": -1,
		"/device_x/info": -1, "/odom": -1, "/additional_info": 0, "/device_7/additional_info": 7, "/device_99999999999999999999/info": -1, "": -1,
	} {
		if device, _ := rslayout.FirstTopic(topic); device != want {
			t.Errorf("%q is of device %d, want %d", topic, device, want)
		}
	}
}

// TestStrayDevice checks that a topic that looks like one of a further device doesn't hide the first, in a bag
// without /file_version.
func TestStrayDevice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	w := samplebag.Create(t, path, bagstore.Options{})
	for _, topic := range []string{"/device_0/sensor_0/info", "/device_1/sensor_4000/info"} {
		w.Put(samplebag.Topic(topic, "diagnostic_msgs/KeyValue"), staticTime, msgs.Marshal(&msgs.KeyValue{Key: "Name", Value: "Stereo Module"}))
	}
	w.Done()
	b := samplebag.Open(t, path)
	noted := func(n string) bool { return strings.HasPrefix(n, "/device_1/sensor_4000/info: more than") }
	if s, err := Summarize(b, true); err != nil || len(s.Sensors) != 1 || len(s.Others) != 0 || !slices.ContainsFunc(s.Notes, noted) {
		t.Errorf("%+v, %v", s, err)
	}
}
