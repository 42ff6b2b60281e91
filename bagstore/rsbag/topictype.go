package rsbag

import "rsros/msgs"

// topicTypes are the types of the layout's topics.
var topicTypes = map[topicKind]string{
	topicFileVersion: "std_msgs/UInt32", topicLogLine: "rosgraph_msgs/Log",
	topicDeviceInfo: "diagnostic_msgs/KeyValue", topicAdditionalInfo: "diagnostic_msgs/KeyValue",
	topicSensorInfo: "diagnostic_msgs/KeyValue", topicProperty: "diagnostic_msgs/KeyValue",
	topicSensorTime:  "sensor_msgs/TimeReference",
	topicOptionValue: "std_msgs/Float32", topicOptionText: "std_msgs/String",
	topicPostProcessing: "std_msgs/String", topicNotification: "realsense_msgs/Notification",
	topicStreamInfo: "realsense_msgs/StreamInfo", topicCameraInfo: "sensor_msgs/CameraInfo",
	topicImuIntrinsic: "realsense_msgs/ImuIntrinsic", topicTF: "geometry_msgs/Transform",
	topicImage: "sensor_msgs/Image", topicCompressed: "sensor_msgs/CompressedImage", topicImu: "sensor_msgs/Imu",
	topicPoseTransform: "geometry_msgs/Transform", topicPoseAccel: "geometry_msgs/Accel",
	topicPoseTwist: "geometry_msgs/Twist", topicOccupancy: "nav_msgs/OccupancyGrid",
	topicMetadata: "diagnostic_msgs/KeyValue",
}

// TopicType is the type of a topic in the layout; ok is false for topics
// that are no part of it.
func TopicType(topic string) (t msgs.Type, ok bool) {
	name, ok := topicTypes[parseTopic(topic).kind]
	if !ok {
		return t, false
	}
	return msgs.Lookup(name)
}
