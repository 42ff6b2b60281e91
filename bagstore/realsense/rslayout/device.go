package rslayout

import (
	"strconv"
	"strings"
)

// In a recording of several devices, each has its own number. Device 0 has the topics of the SDK's
// layout. Those of the others begin with /device_1/, /device_2/ and so on, and differ in one more
// respect: librealsense, which plays device 0, applies what is under option/ and notification/ of
// every device to device 0's sensors. So the others' are under options/ and notifications/.
var otherNames = strings.NewReplacer("/option/", "/options/", "/notification/", "/notifications/")

var firstNames = strings.NewReplacer("/options/", "/option/", "/notifications/", "/notification/")

const devicePrefix = "/device_"

// MaxDevice is the largest number of a device.
const MaxDevice = 255

// DeviceTopic returns the topic that a device has in place of device 0's. All devices share /log and /file_version.
func DeviceTopic(device int, topic string) string {
	if device == 0 {
		return topic
	}
	prefix := devicePrefix + strconv.Itoa(device)
	if topic == topicAdditional {
		return prefix + topicAdditional
	}
	if rest, ok := strings.CutPrefix(topic, devicePrefix+"0/"); ok {
		return prefix + otherNames.Replace("/"+rest)
	}
	return topic
}

// FirstTopic returns the number of a topic's device, and the topic that device 0 has in its place. The
// number is -1 for topics of no device.
func FirstTopic(topic string) (device int, first string) {
	rest, ok := strings.CutPrefix(topic, devicePrefix)
	number, rest, slash := strings.Cut(rest, "/")
	device, err := strconv.Atoi(number)
	switch {
	case topic == topicAdditional:
		return 0, topic
	case !ok || !slash || err != nil || device < 0 || device > MaxDevice || strconv.Itoa(device) != number:
		return -1, topic
	case device == 0:
		return 0, topic
	case "/"+rest == topicAdditional:
		return device, topicAdditional
	}
	return device, devicePrefix + "0" + firstNames.Replace("/"+rest)
}

// ParseTopicOf is ParseTopic for a device with a number.
func ParseTopicOf(device int, topic string) Topic {
	switch owner, first := FirstTopic(topic); owner {
	case device, -1:
		return ParseTopic(first)
	}
	return Topic{}
}
