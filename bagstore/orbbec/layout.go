package orbbec

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is what a topic's messages hold.
type Kind int

// The kinds of topics.
const (
	Other Kind = iota // of another layout
	ImageTopic
	MotionTopic
	PointsTopic
	deviceTopic
	profileTopic // of an image stream
	otherProfileTopic
	propertyTopic
	disparityTopic
)

const prefix = "/cam/"

// The recorder's numbers of sensors and streams.
const depthSensor = 3

var sensorNames = map[int]string{
	1: "Infrared", 2: "Color", depthSensor: "Depth", 4: "Accel", 5: "Gyro", 6: "Infrared_Left", 7: "Infrared_Right", 8: "Raw_Phase",
	9: "Confidence", 10: "LiDAR", 11: "Color_Left", 12: "Color_Right",
}

// parseTopic returns a topic's kind and the number of its sensor.
func parseTopic(name string) (kind Kind, sensor int) {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return Other, 0
	}
	switch rest {
	case "deviceInfo":
		return deviceTopic, 0
	case "property":
		return propertyTopic, 0
	case "disparityParam":
		return disparityTopic, 0
	}
	if number, ok := strings.CutPrefix(rest, "streamProfileType_"); ok {
		sensor, err := strconv.ParseUint(number, 10, 8)
		if err != nil {
			return Other, 0
		}
		if kindOf(int(sensor)) == ImageTopic {
			return profileTopic, int(sensor)
		}
		return otherProfileTopic, int(sensor)
	}
	number, frame, _ := strings.Cut(strings.TrimPrefix(rest, "sensor_"), "/frameType_")
	n, err := strconv.ParseUint(number, 10, 8)
	if _, odd := strconv.ParseUint(frame, 10, 8); err != nil || odd != nil || !strings.HasPrefix(rest, "sensor_") {
		return Other, 0
	}
	return kindOf(int(n)), int(n)
}

func kindOf(sensor int) Kind {
	switch sensor {
	case 4, 5:
		return MotionTopic
	case 10:
		return PointsTopic
	}
	return ImageTopic
}

func sensorName(n int) string {
	if name, ok := sensorNames[n]; ok {
		return name
	}
	return fmt.Sprintf("Sensor_%d", n)
}

var formats = []string{
	0: "YUYV", 1: "YUY2", 2: "UYVY", 3: "NV12", 4: "NV21", 5: "MJPG", 6: "H264", 7: "H265", 8: "Y16", 9: "Y8", 10: "Y10", 11: "Y11", 12: "Y12", 13: "GRAY",
	14: "HEVC", 15: "I420", 21: "RLE", 22: "RGB", 23: "BGR", 24: "Y14", 25: "BGRA", 26: "COMPRESSED", 27: "RVL", 28: "Z16", 29: "YV12", 30: "BA81", 31: "RGBA",
	32: "BYR2", 33: "RW16", 34: "Y12C4",
}

func formatName(n uint8) string {
	if int(n) < len(formats) && formats[n] != "" {
		return formats[n]
	}
	return fmt.Sprintf("format %d", n)
}

var models = []string{"None", "Modified Brown Conrady", "Inverse Brown Conrady", "Brown Conrady", "Brown Conrady K6", "Kannala Brandt4"}

func modelName(n uint8) string {
	if int(n) < len(models) {
		return models[n]
	}
	return fmt.Sprintf("model %d", n)
}

// StockEncoding returns ROS's name for an encoding of the recorder, and "" if its pixels are compressed
// or ROS has none.
func StockEncoding(encoding string) string {
	switch encoding {
	case "z16", "mono16", "bw16":
		return "mono16"
	case "mono8", "ba81":
		return "mono8"
	case "yuyv", "yuy2", "gray":
		return "yuyv"
	case "yuv422":
		return "uyvy"
	case "rgb8", "bgr8", "rgba8", "bgra8":
		return encoding
	}
	return ""
}
