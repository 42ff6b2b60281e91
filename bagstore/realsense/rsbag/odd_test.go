package rsbag

import (
	"encoding/binary"
	"path/filepath"
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

// odd is a bag that a test assembles.
type odd struct {
	*samplebag.Bag
	t    testing.TB
	path string
}

func newOdd(t testing.TB) *odd {
	t.Helper()
	path := filepath.Join(t.TempDir(), "odd.bag")
	return &odd{samplebag.Create(t, path, bagstore.Options{}), t, path}
}

func (o *odd) add(at bagstore.Time, topic, typ string, parts ...[]byte) {
	o.t.Helper()
	o.Put(samplebag.Topic(topic, typ), at, parts...)
}

func (o *odd) kv(at bagstore.Time, topic, key, value string) {
	o.add(at, topic, "diagnostic_msgs/KeyValue", msgs.Marshal(&msgs.KeyValue{Key: key, Value: value}))
}

// image adds a 4x2 depth image with one value of metadata.
func (o *odd) image(at bagstore.Time, stream string, n uint32) {
	o.depth(at, "/device_0/sensor_0/"+stream, n, msgs.Time(n)*1e6, "Global Time")
}

// depth adds a 4x2 depth image to a stream's topics, with its domain.
func (o *odd) depth(at bagstore.Time, topics string, n uint32, stamp msgs.Time, domain string) {
	head := msgs.ImageHead{Header: msgs.Header{Seq: n, Stamp: stamp, FrameID: "0"}, Height: 2, Width: 4, Encoding: "mono16", Step: 8, DataLen: 16}
	o.add(at, topics+"/image/data", "sensor_msgs/Image", msgs.Marshal(&head), make([]byte, 16))
	o.kv(at, topics+"/image/metadata", "timestamp_domain", domain)
}

func (o *odd) open() *File {
	o.t.Helper()
	return o.openBy(func(path string) (*File, error) { return Open(path, Options{First: true}) })
}

// openNode opens it as a camera node's recording.
func (o *odd) openNode() *File {
	o.t.Helper()
	return o.openBy(func(path string) (*File, error) { return Open(path, Options{CameraNodes: true}) })
}

func (o *odd) openBy(open func(path string) (*File, error)) *File {
	o.t.Helper()
	o.Done()
	f, err := open(o.path)
	need.Must(o.t, err)
	o.t.Cleanup(func() { f.Close() })
	return f
}

// noted reports whether a note contains the words.
func noted(f *File, words string) bool {
	return slices.ContainsFunc(f.Notes(), func(n string) bool { return strings.Contains(n, words) })
}

// TestCopies checks that image_transport's copies of images, of which a JPEG is no form of the layout, are neither frames
// nor damage.
func TestCopies(t *testing.T) {
	o := newOdd(t)
	for n := range uint32(3) {
		o.image(bagstore.Time(1000+n), "Depth_0", n)
		jpeg := msgs.Marshal(&msgs.Header{Seq: n})
		for _, text := range []string{"mono8; jpeg compressed ", "any bytes"} {
			jpeg = append(binary.LittleEndian.AppendUint32(jpeg, uint32(len(text))), text...)
		}
		o.add(bagstore.Time(1000+n), "/device_0/sensor_0/Depth_0/image/data/compressed", "sensor_msgs/CompressedImage", jpeg)
	}
	c := o.open().Cursor(CursorOptions{FramesOnly: true})
	defer c.Close()
	frames := 0
	for _, ok := c.Next(); ok; _, ok = c.Next() {
		frames++
	}
	if damaged, why := c.Damaged(); frames != 3 || damaged != 0 {
		t.Errorf("%d frames, %d damaged: %v", frames, damaged, why)
	}
}

// TestWrappedTimes reads what a recorder paused too early writes: times below zero, which wrapped.
func TestWrappedTimes(t *testing.T) {
	o := newOdd(t)
	o.kv(1, "/device_0/sensor_0/info", "Name", "Stereo Module")
	for n := range 10 {
		at := bagstore.Time(n)*100e6 - 450e6
		if at < 0 {
			at += wrapPoint
		}
		o.image(at, "Depth_0", uint32(n))
	}
	f := o.open()
	if !noted(f, "paused too early") || f.Duration() != 900*time.Millisecond+1000 {
		t.Errorf("duration %v, notes %q", f.Duration(), f.Notes())
	}
	c := f.Cursor(CursorOptions{})
	defer c.Close()
	forward := ""
	for e, ok := c.Next(); ok; e, ok = c.Next() {
		if want := time.Duration(e.Frame.Number)*100*time.Millisecond + 1000; e.Time != want || e.Frame.Domain != camdriver.GlobalTime {
			t.Errorf("frame %d at %v, want %v", e.Frame.Number, e.Time, want)
		}
		forward += label(e)
	}
	if back := backward(c, label); strings.Count(forward, "Depth_0") != 10 || back != forward {
		t.Errorf("forward %q\nback %q", forward, back)
	}
	for n := range 10 {
		if at, err := f.Find(id(camdriver.Depth, 0), uint64(n)); err != nil || at != time.Duration(n)*100*time.Millisecond+1000 {
			t.Errorf("frame %d found at %v, %v", n, at, err)
		}
	}
}

// TestEpochTimes reads what `rosbag record` of live topics writes.
func TestEpochTimes(t *testing.T) {
	o := newOdd(t)
	start := bagstore.NewTime(1700000000, 0)
	o.kv(start, "/device_0/sensor_0/info", "Name", "Stereo Module")
	o.add(start, "/device_0/sensor_0/option/Depth_Units/value", "std_msgs/Float32", msgs.Marshal(&msgs.Float32{Data: 0.01}))
	o.image(start+1e9, "Depth_0", 1)
	o.image(start+2e9, "Depth_0", 2)
	f := o.open()
	if !noted(f, "since 1970") || f.Duration() != time.Second+1000 {
		t.Errorf("duration %v, notes %q", f.Duration(), f.Notes())
	}
	e, err := f.Last(id(camdriver.Depth, 0), time.Minute)
	if err != nil || e.Frame.Number != 2 || e.Frame.DepthUnits != 0.01 {
		t.Fatalf("%+v %v", e.Frame, err)
	}
	e.Frame.Release()
}

// TestMissingParts checks that a stream without any description is still read.
func TestMissingParts(t *testing.T) {
	o := newOdd(t)
	for n := range 31 {
		o.image(bagstore.Time(n)*33_333_333+1000, "Depth_0", uint32(n))
		o.image(bagstore.Time(n)*33_333_333+1000, "Depth_0", uint32(n)+100) // two frames at one nanosecond
	}
	o.add(5000, "/device_0/sensor_2/Pose_0/pose/transform/data", "geometry_msgs/Transform", make([]byte, 56))
	o.add(5000, "/device_0/sensor_2/Gyro_0/imu/data", "sensor_msgs/Imu", make([]byte, 16+37*8))
	o.add(6000, "/device_0/sensor_2/Gyro_0/imu/data", "sensor_msgs/Imu", make([]byte, 7)) // torn
	o.add(6000, "/device_0/sensor_2/option/Bogus/value", "std_msgs/Float32", make([]byte, 4))
	o.add(6000, "/device_0/sensor_2/option/Gain/value", "std_msgs/String", make([]byte, 4)) // another type
	o.add(7000, "/device_0/sensor_0/notification/Bogus", "realsense_msgs/Notification", msgs.Marshal(&msgs.Notification{Category: "Bogus"}))
	o.kv(1, "/device_0/info", "Bogus Key", "x")
	o.kv(1, "/device_0/sensor_99999/info", "Name", "x")
	f := o.open()
	for _, words := range []string{"no /file_version", "Depth_0 is not described", "no camera_info", "Gyro_0 has no imu_intrinsic", "Pose_0 has no pose/accel",
		"Pose_0 has no pose/twist", "Pose_0 has no metadata", "sensor 1 has no name", "Bogus Key", "no extrinsics", "no Depth Units",
		"expected std_msgs/Float32, found std_msgs/String", "more than 64 sensors"} {
		if !noted(f, words) {
			t.Errorf("no note of %q in %q", words, f.Notes())
		}
	}
	if p := f.Snapshot().Sensors[0].Profiles[0]; p != (camdriver.Profile{Stream: id(camdriver.Depth, 0), Format: camdriver.Z16, Width: 4, Height: 2, FPS: 62}) {
		t.Errorf("profile %+v", p)
	}
	events := walk(t, f)
	if len(events) != 62+1+1+1 {
		t.Errorf("%d events", len(events))
	}
	c := f.Cursor(CursorOptions{})
	defer c.Close()
	for _, ok := c.Next(); ok; _, ok = c.Next() {
	}
	if n, err := c.Damaged(); n != 2 || err == nil {
		t.Errorf("%d damaged: %v", n, err)
	}
	if s := f.summary(true); s.Damaged == nil || *s.Damaged != 1 { // the other is an option
		t.Errorf("summary %+v", s)
	}
}

// TestPoseWithoutTransform checks that the rest of a pose is neither a frame nor damage.
func TestPoseWithoutTransform(t *testing.T) {
	o := newOdd(t)
	o.image(1000, "Depth_0", 1)
	for _, part := range []string{"accel", "twist"} {
		o.add(5000, "/device_0/sensor_1/Pose_0/pose/"+part+"/data", "geometry_msgs/Twist", make([]byte, 48))
	}
	o.kv(5000, "/device_0/sensor_1/Pose_0/pose/metadata", "Frame number", "1")
	f := o.open()
	if !noted(f, "Pose_0 has no pose/transform") {
		t.Errorf("notes %q", f.Notes())
	}
	if s := f.summary(true); *s.Damaged != 0 || len(walk(t, f)) != 1 {
		t.Errorf("%+v", s)
	}
}

// TestVersion2 reads options that are properties.
func TestVersion2(t *testing.T) {
	o := newOdd(t)
	o.add(1, "/file_version", "std_msgs/UInt32", msgs.Marshal(&msgs.UInt32{Data: 2}))
	o.kv(1, "/device_0/sensor_0/info", "Name", "Stereo Module")
	o.kv(1, "/device_0/sensor_0/property", "Depth Units", "0.0005")
	o.kv(1, "/device_0/sensor_0/property", "Bogus", "1")
	o.image(1000, "Depth_0", 1)
	f := o.open()
	options := f.Snapshot().Sensors[0].Options
	if f.version != 2 || len(options) != 1 || options[0].Value != 0.0005 {
		t.Errorf("version %d, options %+v", f.version, options)
	}
}

// TestExtrinsicGroups checks that streams are related within a group, that depth's group is preferred,
// and that a reference that was not recorded is replaced.
func TestExtrinsicGroups(t *testing.T) {
	o := newOdd(t)
	tf := func(stream, group string, x float64) {
		o.image(1000, stream, 1)
		o.add(1, "/device_0/sensor_0/"+stream+"/tf/"+group, "geometry_msgs/Transform",
			msgs.Marshal(&msgs.Transform{Translation: msgs.Vector3{X: x}, Rotation: msgs.Quaternion{W: -1}}))
	}
	tf("Infrared_1", "1", 5)
	tf("Depth_0", "1", 2)
	tf("Color_0", "0", 7)
	f := o.open()
	if f.Snapshot().Reference != id(camdriver.Depth, 0) || !noted(f, "Color_0 has no extrinsics") {
		t.Errorf("reference %s, notes %q", f.Snapshot().Reference, f.Notes())
	}
	for _, s := range f.Snapshot().Streams {
		switch s.Profile.Stream.Kind {
		case camdriver.Depth:
			if *s.Extrinsic != camdriver.Identity() {
				t.Errorf("depth: %v", s.Extrinsic)
			}
		case camdriver.Infrared:
			if s.Extrinsic.Translation != [3]float64{3, 0, 0} {
				t.Errorf("infrared: %v", s.Extrinsic)
			}
		default:
			if s.Extrinsic != nil {
				t.Errorf("color: %v", s.Extrinsic)
			}
		}
	}
}

func TestNotARecording(t *testing.T) {
	o := newOdd(t)
	o.add(1, "/chatter", "std_msgs/String", msgs.Marshal(&msgs.String{Data: "x"}))
	o.Done()
	if _, err := Open(o.path, Options{}); err == nil || !strings.Contains(err.Error(), "no RealSense recording") {
		t.Error(err)
	}
}

// FuzzTopic parses arbitrary text; a topic that parses has a sensor and a stream that print back.
func FuzzTopic(f *testing.F) {
	enc := rslayout.NewEncoder(testSnapshot())
	for _, m := range enc.Static() {
		f.Add(m.Topic)
	}
	for _, s := range testSnapshot().Streams {
		for _, topic := range enc.Stream(s.Profile.Stream).Topics() {
			f.Add(topic.Name)
		}
	}
	f.Add("/device_0/sensor_18446744073709551616/info")
	f.Add("/device_0/sensor_0/Depth_0/tf/")
	f.Fuzz(func(t *testing.T, s string) {
		p := rslayout.ParseTopic(s)
		if p.IsFrame() && !strings.HasPrefix(s, "/device_0/sensor_") {
			t.Fatalf("%q is data", s)
		}
	})
}

// FuzzMessage reads hostile bytes as a message of every topic of the layout.
func FuzzMessage(f *testing.F) {
	enc := rslayout.NewEncoder(testSnapshot())
	snap := testSnapshot()
	var seeds []rslayout.Message
	seeds = append(seeds, enc.Static()...)
	for _, s := range snap.Streams {
		st, frame, w := enc.Stream(s.Profile.Stream), testFrame(s.Profile, 1, testStart), new(msgs.Encoder)
		for i, m := range st.AppendMetadata(st.AppendData(nil, w, frame), w, frame) {
			t := st.Topics()[min(i, len(st.Data))]
			seeds = append(seeds, rslayout.Message{Topic: t.Name, Type: t.Type, Raw: m})
		}
	}
	for _, m := range seeds {
		f.Add(m.Topic, m.Type.Name, slices.Concat(m.Head, m.Body))
	}
	f.Add("/device_0/sensor_0/Depth_0/image/data", "sensor_msgs/Image", []byte(strings.Repeat("\xff", 60)))
	f.Fuzz(func(t *testing.T, topic, typ string, data []byte) {
		if _, ok := msgs.Lookup(typ); !ok || topic == "" {
			return
		}
		o := newOdd(t)
		o.image(1000, "Depth_0", 1)
		o.add(1, topic, typ, data)
		o.add(2000, topic, typ, data)
		file := o.open()
		c := file.Cursor(CursorOptions{})
		defer c.Close()
		frames := 0
		for e, ok := c.Next(); ok; e, ok = c.Next() {
			if e.Frame != nil {
				frames++
			}
		}
		for e, ok := c.Last(file.Duration()); ok; e, ok = c.Last(e.Time) {
		}
		if frames == 0 && !strings.Contains(topic, "Depth_0") {
			t.Fatal("the sound frame is lost")
		}
	})
}
