package rslayout

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rsros/bagstore/realsense/rstext"
	"rsros/camdriver"
	"rsros/msgs"
)

// FileVersion is the version of the layout that is written.
const FileVersion = 3

// Message is a message of the layout that isn't a frame's. The Encoder doesn't use its memory again.
type Message struct {
	Topic string
	Type  msgs.Type
	msgs.Raw
	Static bool // part of the description: every late subscriber needs it
}

// Encoder makes messages of a device's description and events, and has its streams, which make those
// of frames. It is immutable.
type Encoder struct {
	snap    camdriver.DeviceSnapshot
	static  []Message
	streams map[camdriver.StreamID]*Stream
	left    []string
}

// NewMessage returns a message of a topic that has no body.
func NewMessage(topic string, m msgs.Message) Message {
	return Message{Topic: topic, Type: typeOf(topic), Raw: msgs.Raw{Head: msgs.Marshal(m)}}
}

// NewEncoder returns an Encoder for the streams of a snapshot.
func NewEncoder(snap camdriver.DeviceSnapshot) *Encoder {
	e := &Encoder{snap: snap, streams: make(map[camdriver.StreamID]*Stream)}
	e.add(topicVersion, &msgs.UInt32{Data: FileVersion})
	for _, s := range snap.Streams {
		e.describeStream(s)
	}
	e.describeDevice()
	for i := range snap.Sensors {
		e.describeSensor(i, &snap.Sensors[i])
	}
	return e
}

// Static returns the device's description. The caller must not change it.
func (e *Encoder) Static() []Message { return e.static }

func (e *Encoder) add(topic string, m msgs.Message) {
	one := NewMessage(topic, m)
	one.Static = true
	e.static = append(e.static, one)
}

func typeOf(topic string) msgs.Type {
	t, _ := TopicType(topic)
	return t
}

func (e *Encoder) keyValue(topic, key, value string) {
	e.add(topic, &msgs.KeyValue{Key: key, Value: text(value)})
}

// Left lists the parts of the description that librealsense up to 2.56 can't read in this layout.
func (e *Encoder) Left() []string { return slices.Clone(e.left) }

func (e *Encoder) leave(format string, args ...any) {
	e.left = append(e.left, fmt.Sprintf(format, args...))
}

// describeDevice writes to /additional_info what librealsense 2.56 would fail on: unknown keys, and
// the Product Id of a D400 whose sensors have names that its reader refuses.
func (e *Encoder) describeDevice() {
	odd := slices.ContainsFunc(e.snap.Sensors, func(s camdriver.SensorSnapshot) bool { return !knownSensorName(s.Name) })
	for _, info := range UniqueInfo(e.snap.Info) {
		switch {
		case odd && info.Key == camdriver.InfoProductId, info.Key > rstext.Names256.Info:
			e.keyValue(topicAdditional, info.Key.String(), info.Value)
		default:
			e.keyValue(topicDevice, info.Key.String(), info.Value)
		}
	}
}

// knownSensorName says whether librealsense takes the name in version 3.
func knownSensorName(name string) bool {
	switch name {
	case "Stereo Module", "Coded-Light Depth Sensor", "RGB Camera", "Motion Module":
		return true
	}
	return false
}

// UniqueInfo returns a copy of the list sorted by key, with the first value of each that librealsense has a name for.
func UniqueInfo(list []camdriver.Info) []camdriver.Info {
	return slices.DeleteFunc(unique(list, func(i camdriver.Info) int { return int(i.Key) }), func(i camdriver.Info) bool {
		_, known := camdriver.ParseInfoKey(i.Key.String())
		return !known
	})
}

// UniqueOptions returns a copy of the list sorted by ID, with the first of each.
func UniqueOptions(list []camdriver.Option) []camdriver.Option {
	return unique(list, func(o camdriver.Option) int { return int(o.ID) })
}

func unique[T any](list []T, key func(T) int) []T {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b T) int { return key(a) - key(b) })
	return slices.CompactFunc(list, func(a, b T) bool { return key(a) == key(b) })
}

// describeSensor writes at least the name, because a gap in the sensors' numbers breaks
// librealsense. librealsense skips initial values of options that it doesn't know.
func (e *Encoder) describeSensor(number int, s *camdriver.SensorSnapshot) {
	topic := SensorPrefix(number) + "/info"
	e.keyValue(topic, camdriver.InfoName.String(), s.Name)
	for _, info := range UniqueInfo(s.Info) {
		switch {
		case info.Key == camdriver.InfoName:
		case info.Key > rstext.Names256.Info:
			e.leave("%s of sensor %d, which librealsense 2.56 doesn't know", info.Key, number)
		default:
			e.keyValue(topic, info.Key.String(), info.Value)
		}
	}
	for _, o := range UniqueOptions(s.Options) {
		if _, known := camdriver.ParseOptionID(o.ID.String()); known {
			e.add(OptionTopic(number, o.ID, "value"), &msgs.Float32{Data: o.Value})
			e.add(OptionTopic(number, o.ID, "description"), &msgs.String{Data: text(o.Description)})
		}
	}
	for _, f := range s.Filters {
		e.add(SensorPrefix(number)+"/post_processing", &msgs.String{Data: text(f)})
	}
}

// describeStream writes one StreamInfo and one calibration: librealsense refuses files without, and
// doubles a stream's frames if there are two.
func (e *Encoder) describeStream(s camdriver.StreamSnapshot) {
	id := s.Profile.Stream
	if _, twice := e.streams[id]; twice || s.Sensor < 0 || s.Sensor >= len(e.snap.Sensors) {
		return
	}
	prefix := StreamPrefix(s.Sensor, id)
	set := NewStream(s)
	if set == nil {
		return // Gpio and what is unknown: the layout has no form for it
	}
	e.streams[id] = set
	switch {
	case id.Kind.Video():
		e.add(prefix+"/info/camera_info", CameraInfo(s))
	case id.Kind.Inertial():
		e.add(prefix+"/imu_intrinsic", ImuIntrinsic(s.Motion))
	}
	if f := s.Profile.Format; f > rstext.Names256.Format {
		e.leave("format %s of stream %s, which librealsense 2.56 doesn't know", f, id)
	}
	if id.Kind != camdriver.Occupancy { // which librealsense doesn't know: it refuses files that describe one
		e.add(prefix+"/info", &msgs.StreamInfo{
			FPS: uint32(max(s.Profile.FPS, 0)), Encoding: set.encoding, Recommended: s.Profile.Default})
	}
	if s.Extrinsic != nil {
		e.add(prefix+"/tf/0", Transform(*s.Extrinsic))
	}
}

// CameraInfo returns a video stream's calibration with the SDK's name of the model, and R and P
// zero. Without intrinsics, only the last element of K isn't zero.
func CameraInfo(s camdriver.StreamSnapshot) *msgs.CameraInfo {
	m := &msgs.CameraInfo{Height: uint32(s.Profile.Height), Width: uint32(s.Profile.Width),
		DistortionModel: camdriver.NoDistortion.String(), D: make([]float64, 5)}
	m.K[8] = 1
	if in := s.Video; in != nil {
		m.Height, m.Width = uint32(in.Height), uint32(in.Width)
		m.DistortionModel = in.Model.String()
		m.D = in.Coeffs[:]
		m.K = [9]float64{in.Fx, 0, in.Ppx, 0, in.Fy, in.Ppy, 0, 0, 1}
	}
	return m
}

// ROSCameraInfo returns a video stream's calibration as ROS's tools expect it: of a rectified image. Without
// intrinsics, there is only the size.
func ROSCameraInfo(s camdriver.StreamSnapshot) *msgs.CameraInfo {
	m := CameraInfo(s)
	m.DistortionModel, m.R = "plumb_bob", [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}
	if s.Video == nil {
		m.K = [9]float64{}
		return m
	}
	if s.Video.Model == camdriver.KannalaBrandt4 {
		m.DistortionModel, m.D = "equidistant", m.D[:4]
	}
	k := m.K
	m.P = [12]float64{k[0], k[1], k[2], 0, k[3], k[4], k[5], 0, k[6], k[7], k[8], 0}
	return m
}

// ImuIntrinsic is the message of an inertial sensor's calibration.
func ImuIntrinsic(in *camdriver.MotionIntrinsics) *msgs.ImuIntrinsic {
	if in == nil {
		return &msgs.ImuIntrinsic{}
	}
	return &msgs.ImuIntrinsic{Data: in.Data, NoiseVariances: in.NoiseVariances, BiasVariances: in.BiasVariances}
}

// Stream returns a stream of the snapshot, or nil if there is none or the layout has no form for it.
func (e *Encoder) Stream(id camdriver.StreamID) *Stream { return e.streams[id] }

// Option is a change of an option's value; false if the layout has no name for it.
func (e *Encoder) Option(sensor int, id camdriver.OptionID, value float32) (Message, bool) {
	_, known := camdriver.ParseOptionID(id.String())
	if !known || sensor < 0 || sensor >= len(e.snap.Sensors) {
		return Message{}, false
	}
	return NewMessage(OptionTopic(sensor, id, "value"), &msgs.Float32{Data: value}), true
}

// Notification returns the message of a device's notification. Its topic has '_' for blanks,
// because ROS refuses names with blanks; librealsense reads the category from the message. Like
// librealsense, it stores milliseconds in place of nanoseconds.
func (e *Encoder) Notification(sensor int, n camdriver.Notification) (Message, bool) {
	_, known := camdriver.ParseCategory(n.Category.String())
	if !known || sensor < 0 || sensor >= len(e.snap.Sensors) {
		return Message{}, false
	}
	m := msgs.Notification{
		Timestamp: msgs.Time(max(n.Time.UnixMilli(), 0)), Category: n.Category.String(), Severity: n.Severity.String(),
		Description: text(n.Description), SerializedData: text(n.Data),
	}
	return NewMessage(NotificationTopic(sensor, n.Category), &m), true
}

// NotificationTopic is the topic of a sensor's notifications of a category.
func NotificationTopic(sensor int, c camdriver.Category) string {
	return SensorPrefix(sensor) + "/notification/" + strings.ReplaceAll(c.String(), " ", "_")
}

// text makes valid UTF-8: python's readers die of anything else.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// TimeReference relates a sensor's clock to the host's at the arrival of a frame.
func TimeReference(sensor int, f *camdriver.Frame) (topic string, m *msgs.TimeReference) {
	return SensorPrefix(sensor) + "/time", &msgs.TimeReference{
		Header:  msgs.Header{Seq: uint32(f.Number), Stamp: msgs.FromTime(f.Arrival)},
		TimeRef: msgs.FromMillis(f.Timestamp),
		Source:  f.Domain.String(),
	}
}

// Additional is a fact about the recording: program, host, start.
func Additional(key, value string) Message {
	m := NewMessage(topicAdditional, &msgs.KeyValue{Key: key, Value: text(value)})
	m.Static = true
	return m
}

// Keys of facts that rsbag.Recorder puts into /additional_info.
const (
	KeyProgram = "Program"
	KeyVersion = "Version"
	KeyHost    = "Host"
	KeyWritten = "Written" // through the page cache or past it, and why
	KeyStart   = "Start"   // wall time of the first frame's file time 0, RFC 3339 with nanoseconds
)

// KeyClock is the key of how a sensor's clock relates to the host's.
func KeyClock(sensor int) string { return fmt.Sprintf("Clock of sensor %d", sensor) }

// FormatStart is a wall time as KeyStart has it.
func FormatStart(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
