package rslayout

import "rsros/msgs"

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
