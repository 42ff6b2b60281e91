package rsbag

import (
	"strings"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
)

// Uncovered returns the connections that neither the description nor a Cursor reads: the recorder's
// log, the relation of clocks, and topics outside the layout.
func (f *File) Uncovered() []*bagstore.Connection {
	var list []*bagstore.Connection
	for _, c := range f.bag.Connections() {
		if f.textual && (c.Topic == "/tf_static" || strings.HasSuffix(c.Topic, "/image/camera_info")) {
			continue // for ROS 2 only: the description has the same content
		}
		switch f.topics[c.ID].Kind {
		case rslayout.TopicUnknown, rslayout.TopicLogLine, rslayout.TopicSensorTime:
			list = append(list, c)
		}
	}
	return list
}

// FileTime returns the file time of a message at a time in the bag.
func (f *File) FileTime(t bagstore.Time) time.Duration {
	for _, s := range f.segments {
		if t >= s.lo && t <= s.hi {
			return time.Duration(t + s.shift)
		}
	}
	return time.Duration(t)
}
