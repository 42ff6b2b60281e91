package rsbag

import (
	"strconv"
	"strings"

	"rsros/camdriver"
)

// Topics outside any sensor. Names are part of the file format.
const (
	topicVersion    = "/file_version"
	topicDevice     = "/device_0/info"
	TopicLog        = "/log"
	topicAdditional = "/additional_info"
)

// topicKind is what a topic holds.
type topicKind uint8

const (
	topicUnknown topicKind = iota
	topicFileVersion
	topicDeviceInfo
	topicLogLine
	topicAdditionalInfo
	topicSensorInfo
	topicSensorTime
	topicProperty       // options of version 2, as KeyValue
	topicOptionValue    // name: the option
	topicOptionText     // name: the option
	topicPostProcessing // a recommended filter
	topicNotification   // name: the category
	topicStreamInfo
	topicCameraInfo
	topicImuIntrinsic
	topicTF // name: the group
	topicImage
	topicCompressed // an image, in recordings after 2.58
	topicImu
	topicPoseTransform
	topicPoseAccel
	topicPoseTwist
	topicOccupancy
	topicMetadata
	topicNativeOptions // of a camera node
)

// topic is a topic name taken apart.
type topic struct {
	kind   topicKind
	sensor int
	stream camdriver.StreamID
	name   string
}

// data says whether messages of this topic are frames: one message, one frame.
// Of a pose it is the transform.
func (t topic) data() bool {
	switch t.kind {
	case topicImage, topicCompressed, topicImu, topicPoseTransform, topicOccupancy:
		return true
	}
	return false
}

// streamTopics are the names under a stream's prefix. imu_intrinsic is found
// under info/ in the SDK's documents, and beside it in its files.
var streamTopics = map[string]topicKind{
	"info": topicStreamInfo, "info/camera_info": topicCameraInfo, "camera_info": topicCameraInfo,
	"imu_intrinsic": topicImuIntrinsic, "info/imu_intrinsic": topicImuIntrinsic,
	"image/data": topicImage, "image/metadata": topicMetadata,
	topicCompressedSuffix: topicCompressed, topicCompressedDepthSuffix: topicCompressed,
	"imu/data": topicImu, "imu/metadata": topicMetadata,
	"pose/transform/data": topicPoseTransform, "pose/accel/data": topicPoseAccel,
	"pose/twist/data": topicPoseTwist, "pose/metadata": topicMetadata,
	"occupancy_map/data": topicOccupancy, "occupancy_map/metadata": topicMetadata,
}

// parseTopic is topicUnknown for anything that is not of device 0.
func parseTopic(s string) topic {
	switch s {
	case topicVersion:
		return topic{kind: topicFileVersion}
	case topicDevice:
		return topic{kind: topicDeviceInfo}
	case TopicLog:
		return topic{kind: topicLogLine}
	case topicAdditional:
		return topic{kind: topicAdditionalInfo}
	}
	rest, ok := strings.CutPrefix(s, "/device_0/sensor_")
	number, rest, slash := strings.Cut(rest, "/")
	sensor, err := strconv.ParseUint(number, 10, 31)
	if !ok || !slash || err != nil {
		return topic{}
	}
	return parseSensorTopic(int(sensor), rest)
}

func parseSensorTopic(sensor int, rest string) topic {
	t := topic{sensor: sensor}
	first, tail, _ := strings.Cut(rest, "/")
	switch {
	case rest == "info":
		t.kind = topicSensorInfo
	case rest == "time":
		t.kind = topicSensorTime
	case rest == "property":
		t.kind = topicProperty
	case rest == "post_processing":
		t.kind = topicPostProcessing
	case first == "notification" && tail != "":
		t.kind, t.name = topicNotification, tail
	case first == "option" && strings.HasSuffix(tail, "/value"):
		t.kind, t.name = topicOptionValue, strings.TrimSuffix(tail, "/value")
	case first == "option" && strings.HasSuffix(tail, "/description"):
		t.kind, t.name = topicOptionText, strings.TrimSuffix(tail, "/description")
	default:
		stream, err := camdriver.ParseStreamID(first)
		if err != nil {
			return topic{}
		}
		t.stream = stream
		if group, ok := strings.CutPrefix(tail, "tf/"); ok {
			return topic{kind: topicTF, sensor: sensor, stream: stream, name: group}
		}
		t.kind = streamTopics[tail]
	}
	return t
}

func sensorPrefix(sensor int) string { return "/device_0/sensor_" + strconv.Itoa(sensor) }

func streamPrefix(sensor int, s camdriver.StreamID) string {
	return sensorPrefix(sensor) + "/" + s.String()
}

// optionTopic writes spaces as '_', so that ROS accepts the name.
func optionTopic(sensor int, id camdriver.OptionID, what string) string {
	return sensorPrefix(sensor) + "/option/" + strings.ReplaceAll(id.String(), " ", "_") + "/" + what
}

// parseOptionName takes both spellings: with '_' and, from before 2020, with
// spaces.
func parseOptionName(name string) (camdriver.OptionID, bool) {
	return camdriver.ParseOptionID(strings.ReplaceAll(name, "_", " "))
}

// encodings are the names that differ from the format's own.
var encodings = map[camdriver.Format]string{
	camdriver.Z16: "mono16", camdriver.Y8: "8UC1", camdriver.Y16: "16UC1", camdriver.RAW8: "mono8",
	camdriver.UYVY: "yuv422", camdriver.RGB8: "rgb8", camdriver.BGR8: "bgr8",
	camdriver.RGBA8: "rgba8", camdriver.BGRA8: "bgra8",
}

// Encoding is how the layout names a format, in images and stream descriptions.
// It differs from what ROS's image tools expect: depth is "mono16".
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
