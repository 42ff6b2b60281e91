package rsdb3

import (
	"time"

	"rsros/bagstore/realsense/rslayout"
	"rsros/msgs"
)

// After 2.58 librealsense adds what lets ROS 2 use a recording: calibrations with each image, and
// poses. Its own readers ignore them.

// Types of these topics.
const (
	typeCameraInfo = "sensor_msgs/msg/CameraInfo"
	typeTF         = "tf2_msgs/msg/TFMessage"
	topicTFStatic  = "/tf_static"
)

const qosLatched = `- history: 1
  depth: 1
  reliability: 1
  durability: 1
  deadline:
    sec: 0
    nsec: 0
  lifespan:
    sec: 0
    nsec: 0
  liveliness: 0
  liveliness_lease_duration:
    sec: 0
    nsec: 0
  avoid_ros_namespace_conventions: false`

// rosReference is the parent of all streams' frames.
const rosReference = "ref_0"

// transforms writes /tf_static: a row for each stream, with all transforms so far.
func (w *Writer) transforms() {
	if w.o.Release != ReleaseROS2 {
		return
	}
	var list msgs.TFMessage
	for _, s := range w.snap.Streams {
		if !w.Holds(s.Sensor, s.Profile.Stream) || s.Extrinsic == nil || !s.Profile.Stream.Kind.Video() {
			continue
		}
		list.Transforms = append(list.Transforms, msgs.TransformStamped{
			Header: msgs.Header{FrameID: rosReference}, ChildFrameID: frameID(s.Profile.Stream),
			Transform: *rslayout.Transform(s.Extrinsic.Inverse()),
		})
		w.begin()
		w.enc.Message(&list)
		w.put(w.topic(topicTFStatic, typeTF, qosLatched), 0)
	}
}

func (w *Writer) calibration(t *streamTopics, at time.Duration) {
	if w.o.Release != ReleaseROS2 || t.info == nil {
		return
	}
	w.begin()
	t.info.Header = msgs.Header{Stamp: msgs.Time(at), FrameID: t.frameID}
	w.enc.Message(t.info)
	w.put(t.infoTopic, at)
}
