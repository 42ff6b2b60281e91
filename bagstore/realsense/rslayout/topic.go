package rslayout

import (
	"strconv"
	"strings"

	"rsros/camdriver"
	"rsros/msgs"
)

// Topics outside any sensor. Names are part of the file format.
const (
	topicVersion    = "/file_version"
	topicDevice     = "/device_0/info"
	TopicLog        = "/log"
	topicAdditional = "/additional_info"
)

// TopicKind is what a topic holds.
type TopicKind uint8

const (
	TopicUnknown TopicKind = iota
	TopicFileVersion
	TopicDeviceInfo
	TopicLogLine
	TopicAdditionalInfo
	TopicSensorInfo
	TopicSensorTime
	TopicProperty       // options of version 2, as KeyValue
	TopicOptionValue    // name: the option
	TopicOptionText     // name: the option
	TopicPostProcessing // a recommended filter
	TopicNotification   // name: the category
	TopicStreamInfo
	TopicCameraInfo
	TopicImuIntrinsic
	TopicTF // name: the group
	TopicImage
	TopicCompressed // an image, in recordings after 2.58
	TopicImu
	TopicPoseTransform
	TopicPoseAccel
	TopicPoseTwist
	TopicOccupancy
	TopicMetadata
)

// Topic is a topic name taken apart.
type Topic struct {
	Kind   TopicKind
	Sensor int
	Stream camdriver.StreamID
	Name   string
}

// IsFrame reports whether each message of the topic is a frame; of a pose, the transform is.
func (t Topic) IsFrame() bool {
	switch t.Kind {
	case TopicImage, TopicCompressed, TopicImu, TopicPoseTransform, TopicOccupancy:
		return true
	}
	return false
}

// Names of compressed pixels end in these, in recordings after 2.58.
const (
	topicCompressedSuffix      = "image/data/compressed"
	topicCompressedDepthSuffix = "image/data/compressedDepth"
)

// streamTopics are the names below a stream's prefix. imu_intrinsic is below info/ in the SDK's
// documentation, but not in its files.
var streamTopics = map[string]TopicKind{
	"info": TopicStreamInfo, "info/camera_info": TopicCameraInfo, "camera_info": TopicCameraInfo,
	"imu_intrinsic": TopicImuIntrinsic, "info/imu_intrinsic": TopicImuIntrinsic,
	"image/data": TopicImage, "image/metadata": TopicMetadata,
	topicCompressedSuffix: TopicCompressed, topicCompressedDepthSuffix: TopicCompressed,
	"imu/data": TopicImu, "imu/metadata": TopicMetadata,
	"pose/transform/data": TopicPoseTransform, "pose/accel/data": TopicPoseAccel,
	"pose/twist/data": TopicPoseTwist, "pose/metadata": TopicMetadata,
	"occupancy_map/data": TopicOccupancy, "occupancy_map/metadata": TopicMetadata,
}

// rootTopics are the topics outside any sensor.
var rootTopics = map[string]TopicKind{
	topicVersion: TopicFileVersion, topicDevice: TopicDeviceInfo, TopicLog: TopicLogLine,
	topicAdditional: TopicAdditionalInfo,
}

// sensorTopics are the names below a sensor's prefix that are the same for all sensors.
var sensorTopics = map[string]TopicKind{
	"info": TopicSensorInfo, "time": TopicSensorTime, "property": TopicProperty, "post_processing": TopicPostProcessing,
}

// ParseTopic parses a topic name. The kind is TopicUnknown if it isn't of device 0.
func ParseTopic(s string) Topic {
	if kind, ok := rootTopics[s]; ok {
		return Topic{Kind: kind}
	}
	rest, ok := strings.CutPrefix(s, "/device_0/sensor_")
	number, rest, slash := strings.Cut(rest, "/")
	sensor, err := strconv.ParseUint(number, 10, 31)
	if !ok || !slash || err != nil {
		return Topic{}
	}
	return parseSensorTopic(int(sensor), rest)
}

func parseSensorTopic(sensor int, rest string) Topic {
	t := Topic{Kind: sensorTopics[rest], Sensor: sensor}
	first, tail, _ := strings.Cut(rest, "/")
	switch {
	case t.Kind != TopicUnknown:
	case first == "notification" && tail != "":
		t.Kind, t.Name = TopicNotification, tail
	case first == "option" && strings.HasSuffix(tail, "/value"):
		t.Kind, t.Name = TopicOptionValue, strings.TrimSuffix(tail, "/value")
	case first == "option" && strings.HasSuffix(tail, "/description"):
		t.Kind, t.Name = TopicOptionText, strings.TrimSuffix(tail, "/description")
	default:
		stream, err := camdriver.ParseStreamID(first)
		if err != nil {
			return Topic{}
		}
		t.Stream = stream
		if group, ok := strings.CutPrefix(tail, "tf/"); ok {
			return Topic{Kind: TopicTF, Sensor: sensor, Stream: stream, Name: group}
		}
		t.Kind = streamTopics[tail]
	}
	return t
}

// BelowStream reports whether a topic is below a stream, which the layout needn't have: later releases of librealsense
// add streams and kinds of data. what is the topic's name there.
func BelowStream(topic string) (what string, ok bool) {
	_, topic = FirstTopic(topic)
	parts := strings.SplitN(topic, "/", 5)
	if len(parts) < 5 || parts[1] != "device_0" || !strings.HasPrefix(parts[2], "sensor_") {
		return "", false
	}
	_, err := strconv.ParseUint(parts[3][strings.LastIndexByte(parts[3], '_')+1:], 10, 31)
	return parts[4], err == nil
}

// SensorPrefix returns the beginning of the names of a sensor's topics.
func SensorPrefix(sensor int) string { return "/device_0/sensor_" + strconv.Itoa(sensor) }

// StreamPrefix is what the names of a stream's topics begin with.
func StreamPrefix(sensor int, s camdriver.StreamID) string {
	return SensorPrefix(sensor) + "/" + s.String()
}

// OptionTopic is the topic of an option's "value" or "description": what. It writes spaces as '_', so that ROS accepts
// the name.
func OptionTopic(sensor int, id camdriver.OptionID, what string) string {
	return SensorPrefix(sensor) + "/option/" + strings.ReplaceAll(id.String(), " ", "_") + "/" + what
}

// ParseOptionName parses an option's name, with '_' or, as before 2020, with blanks.
func ParseOptionName(name string) (camdriver.OptionID, bool) {
	return camdriver.ParseOptionID(strings.ReplaceAll(name, "_", " "))
}

// encodings are the names that differ from the format's own.
var encodings = map[camdriver.Format]string{
	camdriver.Z16: "mono16", camdriver.Y8: "8UC1", camdriver.Y16: "16UC1", camdriver.RAW8: "mono8",
	camdriver.UYVY: "yuv422", camdriver.RGB8: "rgb8", camdriver.BGR8: "bgr8",
	camdriver.RGBA8: "rgba8", camdriver.BGRA8: "bgra8",
}

// Encoding returns the layout's name of a format. ROS's image tools expect others for some.
func Encoding(f camdriver.Format) string {
	if name, ok := encodings[f]; ok {
		return name
	}
	return f.String()
}

// ParseEncoding is the inverse of Encoding.
func ParseEncoding(s string) (camdriver.Format, bool) {
	for f, name := range encodings {
		if name == s {
			return f, true
		}
	}
	return camdriver.ParseFormat(s)
}

var topicTypes = map[TopicKind]string{
	TopicFileVersion: "std_msgs/UInt32", TopicLogLine: "rosgraph_msgs/Log",
	TopicDeviceInfo: "diagnostic_msgs/KeyValue", TopicAdditionalInfo: "diagnostic_msgs/KeyValue",
	TopicSensorInfo: "diagnostic_msgs/KeyValue", TopicProperty: "diagnostic_msgs/KeyValue",
	TopicSensorTime:  "sensor_msgs/TimeReference",
	TopicOptionValue: "std_msgs/Float32", TopicOptionText: "std_msgs/String",
	TopicPostProcessing: "std_msgs/String", TopicNotification: "realsense_msgs/Notification",
	TopicStreamInfo: "realsense_msgs/StreamInfo", TopicCameraInfo: "sensor_msgs/CameraInfo",
	TopicImuIntrinsic: "realsense_msgs/ImuIntrinsic", TopicTF: "geometry_msgs/Transform",
	TopicImage: "sensor_msgs/Image", TopicCompressed: "sensor_msgs/CompressedImage", TopicImu: "sensor_msgs/Imu",
	TopicPoseTransform: "geometry_msgs/Transform", TopicPoseAccel: "geometry_msgs/Accel",
	TopicPoseTwist: "geometry_msgs/Twist", TopicOccupancy: "nav_msgs/OccupancyGrid",
	TopicMetadata: "diagnostic_msgs/KeyValue",
}

// Type is the name of the type of topics of a kind, "" for TopicUnknown.
func (k TopicKind) Type() string { return topicTypes[k] }

// TopicType returns the type of a topic of the layout.
func TopicType(topic string) (t msgs.Type, ok bool) {
	name, ok := topicTypes[ParseTopic(topic).Kind]
	if !ok {
		return t, false
	}
	return msgs.Lookup(name)
}
