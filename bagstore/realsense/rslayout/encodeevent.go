package rslayout

import (
	"strings"
	"time"

	"rsros/camdriver"
	"rsros/msgs"
)

// Option is a change of an option's value; false if the layout has no name for it.
func (e *Encoder) Option(sensor int, id camdriver.OptionID, value float32) (Message, bool) {
	_, known := camdriver.ParseOptionID(id.String())
	if !known || sensor < 0 || sensor >= len(e.snap.Sensors) {
		return Message{}, false
	}
	return topicOf(OptionTopic(sensor, id, "value")).with(msgs.Marshal(&msgs.Float32{Data: value}), nil), true
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
	return topicOf(NotificationTopic(sensor, n.Category)).with(msgs.Marshal(&m), nil), true
}

// NotificationTopic is the topic of a sensor's notifications of a category.
func NotificationTopic(sensor int, c camdriver.Category) string {
	return SensorPrefix(sensor) + "/notification/" + strings.ReplaceAll(c.String(), " ", "_")
}

// text makes valid UTF-8: python's readers die of anything else.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// Log is a line of the recording program's own log.
func (e *Encoder) Log(l msgs.Log) Message {
	return topicOf(TopicLog).with(msgs.Marshal(&l), nil)
}

// TimeReference relates a sensor's clock to the host's at the arrival of a frame.
func TimeReference(sensor int, f *camdriver.Frame) (topic string, m msgs.TimeReference) {
	return SensorPrefix(sensor) + "/time", msgs.TimeReference{
		Header:  msgs.Header{Seq: uint32(f.Number), Stamp: msgs.FromTime(f.Arrival)},
		TimeRef: msgs.FromMillis(f.Timestamp),
		Source:  f.Domain.String(),
	}
}

// TimeReference is the message of TimeReference.
func (e *Encoder) TimeReference(sensor int, f *camdriver.Frame) Message {
	topic, m := TimeReference(sensor, f)
	return topicOf(topic).with(msgs.Marshal(&m), nil)
}

// Additional is a fact about the recording: program, host, start.
func Additional(key, value string) Message {
	m := topicOf(topicAdditional).with(msgs.Marshal(&msgs.KeyValue{Key: key, Value: text(value)}), nil)
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

// FormatStart is a wall time as KeyStart has it.
func FormatStart(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
