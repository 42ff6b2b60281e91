package rsdb3

import (
	"strconv"
	"strings"
)

// kind is the kind of a topic for the SDK's reader.
type kind uint8

const (
	other kind = iota // ignored
	versionTopic
	deviceInfo
	sensorInfo
	optionValue
	optionText
	filterList
	streamInfo
	calibration
	position
	frameData
	frameText
	notification
)

type topic struct {
	name           string
	kind           kind
	device, sensor int    // -1: of none
	prefix         string // of a stream
	option         string // its name, with blanks
}

var streamTopicKinds = map[string]kind{
	"info": streamInfo, "camera_info": calibration, "imu_intrinsic": calibration,
	"image/data": frameData, "image/data/compressed": frameData, "image/data/compressedDepth": frameData,
	"imu/data": frameData, "object_detection/data": frameData, "labeled_points/data": frameData,
	"image/metadata": frameText, "imu/metadata": frameText, "object_detection/metadata": frameText, "labeled_points/metadata": frameText,
}

func parseTopic(name string) topic {
	t := topic{name: name, device: -1, sensor: -1}
	if name == "/file_version" {
		t.kind = versionTopic
		return t
	}
	rest, ok := number(name, "/device_", &t.device)
	if !ok {
		return t
	}
	if rest == "info" {
		t.kind = deviceInfo
		return t
	}
	rest, ok = number(rest, "sensor_", &t.sensor)
	if !ok {
		return t
	}
	first, tail, _ := strings.Cut(rest, "/")
	switch {
	case rest == "info":
		t.kind = sensorInfo
	case rest == "post_processing":
		t.kind = filterList
	case first == "notification":
		t.kind = notification
	case first == "option":
		option, what, _ := strings.Cut(tail, "/")
		t.option = strings.ReplaceAll(option, "_", " ")
		t.kind = map[string]kind{"value": optionValue, "description": optionText}[what]
	default:
		t.prefix = strings.TrimSuffix(name, tail)
		t.kind = streamTopicKinds[tail]
		if strings.HasPrefix(tail, "tf/ref_") {
			t.kind = position
		}
	}
	return t
}

// number cuts a prefix, a number and a slash off a name.
func number(name, prefix string, n *int) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(name, prefix)
	digits, rest, slash := strings.Cut(rest, "/")
	v, err := strconv.ParseUint(digits, 10, 31)
	if !ok || !slash || err != nil {
		return name, false
	}
	*n = int(v)
	return rest, true
}
